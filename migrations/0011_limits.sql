-- What limits, the queue's conflicts and the cap on pending proposals are counted by. All three are null on other traces.
alter table traces
  add column counts_at timestamptz, -- when an agent's plan counts against limits; null = it does not
  add column wanted tstzrange,      -- time a pending proposal needs to be free
  add column proposed_by text       -- actor
;

-- As domain/plan-time.ts has it; a test compares the two.
create function plan_times(plan jsonb, out counts_at timestamptz, out wanted tstzrange) language sql stable as $$
  select
    case
      when plan->>'origin' <> 'agent' or plan->>'status' = 'rejected' or plan #>> '{decision,code}' is not distinct from 'displaced' then null
      when cancels then recorded_at
      else coalesce(scheduled_for, recorded_at) end,
    case
      when plan->>'status' = 'proposed' and plan->>'origin' <> 'import' and not cancels
        and (plan->>'action_type' = 'schedule' and plan #> '{arguments,all_day}' is distinct from 'true'::jsonb or plan->>'action_type' = 'reschedule')
        then tstzrange(scheduled_for, scheduled_for + minutes * interval '1 minute') end
  from (select (plan->>'scheduled_for')::timestamptz as scheduled_for, (plan->>'recorded_at')::timestamptz as recorded_at,
               (plan->>'duration_minutes')::float8 as minutes,
               plan->>'action_type' = 'reschedule' and plan #> '{arguments,cancel}' is not distinct from 'true'::jsonb as cancels) read
$$;

update traces t set (proposed_by, counts_at, wanted) =
  (select l.payload->>'proposed_by', p.counts_at, p.wanted from plan_times(l.payload) p)
from ledger l
where t.type = 'agent_plan' and l.user_id = t.user_id and l.seq = t.seq and l.payload is not null;

create index traces_counted on traces (user_id, counts_at) where counts_at is not null;
create index traces_wanted on traces using gist (user_id, wanted) where wanted is not null;
create index traces_pending on traces (user_id, origin, proposed_by) where type = 'agent_plan' and status = 'proposed';

-- A process of the release before, still running, writes plans without these columns: they are completed at its commit, when the
-- ledger has the document.
create function complete_plan() returns trigger language plpgsql as $$
begin
  update traces t set (proposed_by, counts_at, wanted) = (l.payload->>'proposed_by', p.counts_at, p.wanted)
  from ledger l cross join lateral plan_times(l.payload) p
  where t.user_id = new.user_id and t.uid = new.uid and l.user_id = t.user_id and l.seq = t.seq and l.payload is not null
    and (t.proposed_by, t.counts_at, t.wanted) is distinct from (l.payload->>'proposed_by', p.counts_at, p.wanted);
  return null;
end $$;
create constraint trigger plans_complete after insert on traces deferrable initially deferred
  for each row when (new.type = 'agent_plan' and new.proposed_by is null) execute function complete_plan();
create constraint trigger plans_stay_complete after update on traces deferrable initially deferred
  for each row when (new.type = 'agent_plan' and new.seq <> old.seq
    and new.counts_at is not distinct from old.counts_at and new.wanted is not distinct from old.wanted)
  execute function complete_plan();
