-- Accounts that the operator disables, and invitations (src/user/operate-accounts.ts, src/user/invitations.ts).

-- Nobody can sign in to a disabled account or use its keys, and nothing is executed, sent or read for it.
alter table users add column disabled boolean not null default false;

-- A link that makes one account where registration is closed. The secret in it is stored as a hash, and a seal of the service makes
-- sure that a row which somebody else inserts invites nobody. A row is deleted when it is used or revoked; the ledger keeps both.
create table invitations (
  user_id    text not null references users on delete cascade,  -- who invites
  id         text not null,
  label      text,
  hash       bytea not null,
  seal       bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (user_id, id)
);
