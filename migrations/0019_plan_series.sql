-- Plans that repeat, and plans that were proposed by one request. Both columns are null on all traces so far.
alter table traces
  add column counts_until timestamptz, -- until when the occurrences of an agent's series count against limits
  add column proposal_id text
;
create index traces_counted_series on traces (user_id, counts_until) where counts_until is not null;
create index traces_proposal on traces (user_id, proposal_id) where proposal_id is not null;

-- A series that the person removed does not count any more. The rest is as in 0017.
create or replace function plan_times(plan jsonb, out counts_at timestamptz, out wanted tstzrange) language sql stable as $$
  select
    case
      when plan->>'origin' <> 'agent' or plan->>'status' = 'rejected' or plan #>> '{decision,code}' is not distinct from 'displaced'
        or plan->>'rrule' is not null and plan #>> '{decision,code}' is not distinct from 'event_removed' then null
      when cancels then recorded_at
      else coalesce(scheduled_for, recorded_at) end,
    case
      when plan->>'status' = 'proposed' and plan->>'origin' <> 'import' and not cancels and scheduled_for is not null
        and (plan->>'action_type' = 'schedule' and plan #> '{arguments,all_day}' is distinct from 'true'::jsonb or plan->>'action_type' = 'reschedule')
        then tstzrange(scheduled_for, scheduled_for + minutes * interval '1 minute') end
  from (select (plan->>'scheduled_for')::timestamptz as scheduled_for, (plan->>'recorded_at')::timestamptz as recorded_at,
               (plan->>'duration_minutes')::float8 as minutes,
               plan->>'action_type' = 'reschedule' and plan #> '{arguments,cancel}' is not distinct from 'true'::jsonb as cancels) read
$$;
