-- Citus names the parts of a distributed table after it (ledger_102050), and the trigger on such a part sees that name. The rest is
-- as in 0001.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  -- Erasing an account may blank payloads of that account, nothing else.
  if tg_op = 'UPDATE' and tg_table_name ~ '^ledger(_[0-9]+)?$' then
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
