-- How large series are: every window reads those that overlap it whole, so a calendar holds only so much of them.

-- Characters of a series' document as JSON; 0 for single events.
alter table events add column size integer not null default 0;

update events e set size = length(l.payload::text)
from ledger l
where l.user_id = e.user_id and l.seq = e.seq and e.recurring;
