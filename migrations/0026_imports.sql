-- Imports that are too large for one transaction (src/ledger/staged-import.ts). Their parts are stored first. From the moment the
-- import is accepted it is completed, whatever happens to the process; one that was never accepted leaves nothing.
create table imports (
  user_id    text not null references users on delete cascade,
  id         text not null,
  kind       text not null,                  -- traces, events
  author     jsonb not null,                 -- who imports: actor, origin, scopes
  accepted   boolean not null default false, -- all parts are stored
  touched_at timestamptz not null,           -- when a process last worked on it
  primary key (user_id, id)
);
-- Asked across users: which imports does no process work on?
create index imports_idle on imports (accepted, touched_at);

create table import_parts (
  user_id   text not null,
  import_id text not null,
  position  integer not null,
  items     text not null,                   -- JSON
  primary key (user_id, import_id, position),
  foreign key (user_id, import_id) references imports on delete cascade
);
