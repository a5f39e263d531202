-- Erasing an account: everything of it goes but its ledger, whose entries keep hashes and digests and no text.

-- Where the ledger of an erased account ended, as ledger_heads says it of a living one. Written once, with the erasure.
create table erased_accounts (
  user_id     text primary key,
  seq         bigint not null,
  hash        bytea not null,
  recorded_at timestamptz not null
);
create trigger erasure_immutable before update or delete on erased_accounts for each row execute function refuse_change();
create trigger erasure_kept before truncate on erased_accounts for each statement execute function refuse_change();

-- Erasing deletes the records of transitions; it never had a reason to change one.
create or replace function refuse_transition_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('almanac.erasing', true) = old.user_id then return old; end if;
  raise exception '% of the record of a transition is refused: the trace log is immutable', tg_op using errcode = 'AL001';
end $$;
