-- What limits, the queue's conflicts and the cap on pending proposals are counted by. All three are null on other traces.
alter table traces
  add column counts_at timestamptz, -- when an agent's plan counts against limits; null = it does not
  add column wanted tstzrange,      -- time a pending proposal needs to be free
  add column proposed_by text       -- actor
;

update traces t set
  proposed_by = l.payload->>'proposed_by',
  counts_at = case
    when t.origin <> 'agent' or t.status = 'rejected' or l.payload->'decision'->>'code' is not distinct from 'displaced' then null
    when t.action_type = 'reschedule' and l.payload->'arguments'->'cancel' is not distinct from 'true'::jsonb
      then (l.payload->>'recorded_at')::timestamptz
    else coalesce(t.scheduled_for, (l.payload->>'recorded_at')::timestamptz) end,
  wanted = case
    when t.status = 'proposed' and t.origin <> 'import' and t.scheduled_for is not null
      and l.payload->>'duration_minutes' is not null
      and (t.action_type = 'schedule' and l.payload->'arguments'->'all_day' is distinct from 'true'::jsonb
        or t.action_type = 'reschedule' and l.payload->'arguments'->'cancel' is distinct from 'true'::jsonb)
      then tstzrange(t.scheduled_for, t.scheduled_for + (l.payload->>'duration_minutes')::float8 * interval '1 minute') end
from ledger l
where t.type = 'agent_plan' and l.user_id = t.user_id and l.seq = t.seq and l.payload is not null;

create index traces_counted on traces (user_id, counts_at) where counts_at is not null;
create index traces_wanted on traces using gist (user_id, wanted) where wanted is not null;
create index traces_pending on traces (user_id, origin, proposed_by) where type = 'agent_plan' and status = 'proposed';
