-- Who set a sensitive value decides what it blanks (domain/record/blanking.ts). `sensitive` holds what persons set, and in rows of
-- earlier releases every value; `agent_values` holds what agents set, as `<actor> <value>`. It is null in rows of earlier releases
-- and without values, and {} where a person set all of them.
alter table traces add column agent_values text[];
alter table traces_past add column agent_values text[];
-- A reader's cache looks for what was set and what ended after a seq.
create index traces_agent_values on traces (user_id, seq) where agent_values <> '{}';
create index traces_past_sensitive_until on traces_past (user_id, until) where sensitive is not null;
create index traces_past_agent_values on traces_past (user_id, until) where agent_values <> '{}';
-- Entries of earlier releases have no salt, so their hashes are shown to few (memport/ledger-lines.ts). There are usually none.
create index traces_unsalted on traces (user_id) where sensitive is not null and agent_values is null;
create index traces_past_unsalted on traces_past (user_id) where sensitive is not null and agent_values is null;
