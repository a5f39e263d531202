-- Calendar sources: .ics addresses whose events are read. The ledger records what was configured; the URL, which is a secret, and
-- the state of reading are only here.
create table calendar_sources (
  user_id         text not null references users on delete cascade,
  id              text not null,
  name            text not null,
  url             text not null,
  busy            boolean not null,
  color           text,
  refresh_minutes integer not null,
  etag            text,                  -- of the file that was read last
  last_modified   text,
  events          integer not null default 0,
  unread          integer not null default 0, -- components of that file that could not be read
  failures        integer not null default 0,
  failing_since   timestamptz,
  last_error      text,
  last_success_at timestamptz,
  refresh_at      timestamptz not null,  -- when it is read next
  claim           text,                  -- the instance that reads it now, until then at most
  claimed_until   timestamptz,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (user_id, id)
);
-- A question asked across users: what is to be read now.
create index calendar_sources_due on calendar_sources (refresh_at, user_id);

-- The source that an event comes from; null for all others.
alter table events add column source_uid text;
create index events_source on events (user_id, source_uid) where source_uid is not null;
