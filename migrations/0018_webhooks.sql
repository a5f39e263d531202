-- Webhooks: where a user's changes are sent. The ledger records what was configured; URL, secret and progress are only here.
create table webhooks (
  user_id          text not null references users on delete cascade,
  id               text not null,
  url              text not null,
  secret           text not null,         -- signs deliveries, so it cannot be stored as a hash
  types            text[],                -- the types of changes that are sent; null = all
  description      text,
  scopes           text[] not null,       -- what the credential that made or last changed it may read
  status           text not null,         -- active, paused
  paused_reason    text,
  seq              bigint not null,       -- every entry up to this one was delivered or is not sent here
  failures         integer not null default 0,
  failing_since    timestamptz,
  retry_at         timestamptz,
  last_delivery_at timestamptz,
  log              json not null default '[]', -- the newest attempts
  claim            text,                  -- the instance's turn that sends now, until then at most
  claimed_until    timestamptz,
  served_at        timestamptz,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (user_id, id)
);
