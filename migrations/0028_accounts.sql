-- What the audit needs to know who may do what (src/ledger/attested.ts, src/user/account-projection.ts).

-- The ledger has digests of the address, the password's hash, keys' hashes and webhooks' URLs. A digest is made with this random
-- value, which is only here, so that nobody can try values offline. Null until the service has recorded the account.
alter table users add column salt bytea;
create index users_unrecorded on users (user_id) where salt is null;

-- A refresh token is sealed with the secret of the service, so that a row that somebody else inserts is no login. Null in rows of
-- earlier releases until their account is recorded.
alter table refresh_tokens add column seal bytea;

-- Every account that was ever made, in a chain of hashes, so that one that is removed from every other table is missed. It has no
-- user_id, because it is no table of user data: it is not distributed, and erasing an account leaves the id here, as in the ledger.
create table accounts (
  position bigint primary key,
  account  text not null unique,
  hash     bytea not null        -- sha256 of the hash before (of zeros for the first) and the account
);
do $$
declare
  one record;
  before bytea := decode(repeat('0', 64), 'hex');
begin
  for one in
    select row_number() over (order by at, id) as position, id from (
      select user_id as id, created_at as at from users union all select user_id, recorded_at from erased_accounts) known
  loop
    before := sha256(before || convert_to(one.id, 'UTF8'));
    insert into accounts values (one.position, one.id, before);
  end loop;
end $$;
create trigger accounts_immutable before update or delete on accounts for each row execute function refuse_change();
create trigger accounts_kept before truncate on accounts for each statement execute function refuse_change();
