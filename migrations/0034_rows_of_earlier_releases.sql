-- A process of an earlier release, still running during an upgrade, replaces rows of traces without the columns that it does not
-- know, so that they keep the values of the version before. Its statement does not name `terms`. The first trigger makes `terms`
-- negative, and the second one, which fires only where the statement names it, takes that back. Triggers fire in the order of their
-- names. src/memory/search/reindex.ts makes rows with negative terms again from the ledger.
create function doubt_terms() returns trigger language plpgsql as $$
begin
  new.terms := -new.terms;
  return new;
end $$;
create trigger terms_1_doubted before update on traces for each row
  when (new.seq <> old.seq and new.terms > 0) execute function doubt_terms();
create trigger terms_2_named before update of terms on traces for each row
  when (new.terms < 0) execute function doubt_terms();
