-- The spine: accounts, the ledger, and the projections (views of the ledger kept for reading fast).
-- Every table of user data begins its keys with user_id, so that one user's work touches one shard.

create extension if not exists btree_gist;
create extension if not exists btree_gin;
create extension if not exists pg_trgm;

-- Accounts. Everything a person can change about themselves beyond the password is in the ledger (subject 'profile').
create table users (
  user_id       text primary key,
  email         text not null unique,           -- lower case
  password_hash text not null,                  -- bcrypt
  admin         boolean not null default false,
  epoch         integer not null default 0,     -- login tokens carry it; a new password outdates them all
  profile_seq   bigint not null default 0,      -- ledger entry that holds the current profile
  created_at    timestamptz not null default now()
);

-- The user's lock and the end of the chain. Updated by every write: room on the page keeps it HOT.
create table ledger_heads (
  user_id     text primary key references users on delete cascade,
  seq         bigint not null default 0,
  hash        bytea not null,
  recorded_at timestamptz not null
) with (fillfactor = 50);

-- The ledger: one row per version of anything. State tables below only point into it.
create table ledger (
  user_id      text not null,
  seq          bigint not null,
  kind         text not null,      -- trace.created, plan.approved, event.updated, profile.updated, key.created ...
  subject      text not null,      -- trace, event, profile, key, checkpoint
  subject_uid  text not null,
  version      integer not null,   -- of the subject, from 1
  actor        text not null,      -- user:<key id>, agent:<key id>, system:executor ...
  recorded_at  timestamptz not null,
  payload      jsonb,              -- the whole document at this version; null only after the account was erased
  payload_hash bytea not null,     -- sha256 of the canonical payload (RFC 8785)
  hash         bytea not null,     -- sha256 of the previous hash and the canonical entry
  primary key (user_id, seq),
  unique (user_id, subject, subject_uid, version)
);
-- Time travel looks for what was changed after a point: edits only, a small part of the ledger.
create index ledger_edits on ledger (user_id, subject, seq) where version > 1;
create index ledger_time on ledger (user_id, recorded_at);

create function refuse_change() returns trigger language plpgsql as $$
begin
  -- Erasing an account may blank payloads of that account, nothing else.
  if tg_op = 'UPDATE' and tg_table_name = 'ledger' then
    if current_setting('almanac.erasing', true) = old.user_id
       and new.payload is null
       and (new.user_id, new.seq, new.kind, new.subject, new.version, new.actor, new.recorded_at, new.payload_hash, new.hash)
         = (old.user_id, old.seq, old.kind, old.subject, old.version, old.actor, old.recorded_at, old.payload_hash, old.hash)
    then
      return new;
    end if;
  end if;
  raise exception '% on % is refused: the ledger is immutable', tg_op, tg_table_name using errcode = 'AL001';
end $$;
create trigger ledger_immutable before update or delete on ledger for each row execute function refuse_change();
create trigger ledger_kept before truncate on ledger for each statement execute function refuse_change();

-- Traces, as they are now: what they are found by. The document itself is ledger.payload at (user_id, seq).
create table traces (
  user_id       text not null,
  uid           text not null,
  seq           bigint not null,
  version       integer not null,
  type          text not null,
  task_id       text,
  tempo_tag     text,
  tags          text[] not null default '{}',
  origin        text not null,
  "timestamp"   timestamptz not null,
  transition_of text,               -- plan uid, on the immutable record of a transition
  status        text,               -- agent_plan only, with the columns below
  action_type   text,
  scheduled_for timestamptz,
  due_at        timestamptz,        -- when the executor must act; null = nothing to do
  expires_at    timestamptz,        -- when an undecided proposal lapses
  rating        real,
  event_uid     text,               -- linked_event_uid
  sensitive     text[],             -- authored_by and chat_url, which exports blank
  search        tsvector not null,  -- domain/lexemes.ts
  primary key (user_id, uid)
);
create index traces_time on traces (user_id, "timestamp", uid);
create index traces_task on traces (user_id, task_id, "timestamp", uid) where task_id is not null;
create index traces_type on traces (user_id, type, "timestamp", uid);
create index traces_tempo on traces (user_id, tempo_tag, "timestamp", uid) where tempo_tag is not null;
create index traces_tags on traces using gin (user_id, tags);
create index traces_search on traces using gin (user_id, search);
create index traces_event on traces (user_id, event_uid) where type = 'calendar_event' and event_uid is not null;
create index traces_sensitive on traces (user_id, seq) where sensitive is not null;
create index traces_plans on traces (user_id, status, scheduled_for, uid) where type = 'agent_plan';
-- The two questions asked across users: what is due, what has lapsed.
create index traces_due on traces (due_at, user_id) where due_at is not null;
create index traces_lapse on traces (expires_at, user_id) where expires_at is not null;

-- What rows of traces were, from seq until the seq that changed or removed them: time travel is an index range on this.
create table traces_past (
  user_id       text not null,
  uid           text not null,
  seq           bigint not null,
  until         bigint not null,
  type          text not null,
  task_id       text,
  tempo_tag     text,
  tags          text[] not null,
  origin        text not null,
  "timestamp"   timestamptz not null,
  status        text,
  action_type   text,
  scheduled_for timestamptz,
  rating        real,
  event_uid     text,
  sensitive     text[],
  search        tsvector not null,
  primary key (user_id, uid, seq)
);
create index traces_past_until on traces_past (user_id, until);
create index traces_past_event on traces_past (user_id, event_uid) where type = 'calendar_event' and event_uid is not null;
create index traces_past_sensitive on traces_past (user_id, seq) where sensitive is not null;

create function refuse_transition_change() returns trigger language plpgsql as $$
begin
  if current_setting('almanac.erasing', true) = old.user_id then return case tg_op when 'DELETE' then old else new end; end if;
  raise exception '% of the record of a transition is refused: the trace log is immutable', tg_op using errcode = 'AL001';
end $$;
create trigger transitions_immutable before update or delete on traces
  for each row when (old.transition_of is not null) execute function refuse_transition_change();
create trigger transitions_kept before truncate on traces for each statement execute function refuse_change();

-- Events, as they are now. A series is one row; its changed instances are part of its document.
create table events (
  user_id   text not null,
  uid       text not null,
  seq       bigint not null,
  version   integer not null,
  during    tstzrange not null,     -- first occurrence, or the only one
  span      tstzrange not null,     -- from the first occurrence to the end of the last one; unbounded for endless series
  recurring boolean not null,
  busy      boolean not null,
  task_id   text,
  tempo_tag text,
  tags      text[] not null default '{}',
  plan_uid  text,                   -- set = an agent's block
  -- A person's event owns a point of its own, an agent's block the whole line: two lanes overlap unless both are a person's.
  lane      int8range not null,
  primary key (user_id, uid),
  constraint events_no_double_booking exclude using gist (user_id with =, lane with &&, during with &&) where (busy and not recurring)
);
create index events_span on events using gist (user_id, span);
-- A page of single events by start; uids in the order of bytes, as the service merges them with occurrences of series.
create index events_start on events (user_id, lower(during), uid collate "C") where not recurring;
create index events_task on events (user_id, task_id) where task_id is not null;
create index events_plan on events (user_id, plan_uid) where plan_uid is not null;

-- Credentials. Looked up by id alone: the id is part of the key and random.
create table api_keys (
  user_id      text not null references users on delete cascade,
  id           text not null,
  kind         text not null,
  label        text not null,
  scopes       text[] not null,
  secret_hash  bytea not null,
  expires_at   timestamptz,
  last_used_at timestamptz,
  created_at   timestamptz not null,
  primary key (user_id, id)
);
create index api_keys_id on api_keys (id);

create table refresh_tokens (
  user_id    text not null references users on delete cascade,
  id         text not null,
  family     text not null,
  hash       bytea not null,
  used       boolean not null default false,
  expires_at timestamptz not null,
  primary key (user_id, id)
);
create index refresh_families on refresh_tokens (user_id, family);

create table tickets (
  user_id    text not null references users on delete cascade,
  hash       bytea not null,
  credential jsonb not null,
  expires_at timestamptz not null,
  primary key (user_id, hash)
);

create table idempotency_keys (
  user_id      text not null references users on delete cascade,
  key          text not null,
  claim        text not null,       -- the try of the request that may have the effect
  request_hash bytea not null,
  effect_seq   bigint,              -- set in the transaction of the effect: a lost answer never means a second effect
  answer       json,                -- {status, headers, body} to the letter; null while running
  created_at   timestamptz not null,
  primary key (user_id, key)
);
create index idempotency_age on idempotency_keys (created_at);

create table checkpoints (
  user_id    text not null references users on delete cascade,
  tag        text not null,
  seq        bigint not null,
  parameters jsonb not null,
  created_at timestamptz not null,
  primary key (user_id, tag)
);

-- Login throttle shared by instances (rate-limiter-flexible's columns).
create table throttles (
  key    varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
