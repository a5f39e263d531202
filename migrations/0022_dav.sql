-- CalDAV: the names that calendar programs gave their files, and what changed after a seq.

-- Null where the name follows from the uid.
alter table events add column href text;
create unique index events_href on events (user_id, href) where href is not null;
create index events_seq on events (user_id, seq);
create index traces_plan_seq on traces (user_id, seq) where type = 'agent_plan';
