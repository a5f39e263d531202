-- The calendar: series found without looking at single events, and what rows of events were, for as_of.

-- A window expands every series that overlaps it; among 20,000 single events the planner read them all.
create index events_series on events using gist (user_id, span) where recurring;

-- When versions of events happened that are not current any more, from seq until the seq that changed or removed them.
create table events_past (
  user_id text not null,
  uid     text not null,
  seq     bigint not null,
  until   bigint not null,
  span    tstzrange not null,
  primary key (user_id, uid, seq)
);
create index events_past_span on events_past using gist (user_id, span, int8range(seq, until));

-- By trigger, so that a process of the release before, still running, leaves nothing out.
create function keep_event_past() returns trigger language plpgsql as $$
declare
  ended bigint;
begin
  if current_setting('almanac.erasing', true) = old.user_id then return null; end if;
  if tg_op = 'UPDATE' then
    ended := new.seq;
  else
    select l.seq into ended from ledger l
    where l.user_id = old.user_id and l.subject = 'event' and l.subject_uid = old.uid and l.version = old.version + 1;
  end if;
  if ended > old.seq then
    insert into events_past (user_id, uid, seq, until, span) values (old.user_id, old.uid, old.seq, ended, old.span);
  end if;
  return null;
end $$;
create trigger events_keep_past after update or delete on events for each row execute function keep_event_past();

-- What was changed or removed before: of series it is not known here how long they ran, so they are looked at always.
insert into events_past (user_id, uid, seq, until, span)
select l.user_id, l.subject_uid, l.seq, n.seq,
       case when l.payload->>'rrule' is null and l.payload->'rdates' = '[]' and l.payload->'overrides' = '{}'
            then tstzrange((l.payload->>'scheduled_for')::timestamptz, (l.payload->>'end')::timestamptz, '[]')
            else tstzrange(null, null) end
from ledger l
join ledger n on n.user_id = l.user_id and n.subject = 'event' and n.subject_uid = l.subject_uid and n.version = l.version + 1
where l.subject = 'event' and l.kind <> 'event.removed' and l.payload is not null;

-- What each release of the time zone data said that this database was used with: the wall time an instant meant can be told
-- after the rules have changed (npm run rezone). Nobody's data.
create table zone_rules (
  release text primary key,             -- 2026c
  since   timestamptz not null default now(),
  offsets jsonb not null                -- by zone [[until, offset], ...] in milliseconds; the last until is null
);
