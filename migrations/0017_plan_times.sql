-- A plan that only gives its event new texts has no time, so it wants none. Without a start, tstzrange() is unbounded and would
-- conflict with every proposal. The rest is as in 0011.
create or replace function plan_times(plan jsonb, out counts_at timestamptz, out wanted tstzrange) language sql stable as $$
  select
    case
      when plan->>'origin' <> 'agent' or plan->>'status' = 'rejected' or plan #>> '{decision,code}' is not distinct from 'displaced' then null
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
