-- What an agent has written is found by the agent. The rows of earlier releases get it when their terms are made again.
alter table traces add column recorded_by text;
alter table traces_past add column recorded_by text;
create index traces_recorded_by on traces (user_id, recorded_by, "timestamp", uid, seq) where recorded_by is not null;
create index traces_past_recorded_by on traces_past (user_id, recorded_by, "timestamp", uid, seq, until) where recorded_by is not null;
-- What somebody wrote, without plans, the records of their transitions, and what happened on the calendar, which are usually more.
create index traces_notes on traces (user_id, "timestamp", uid, seq)
  where transition_of is null and type not in ('agent_plan', 'calendar_event');
create index traces_past_notes on traces_past (user_id, "timestamp", uid, seq, until)
  where type not in ('agent_plan', 'calendar_event');
