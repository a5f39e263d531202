-- How `search` of a row was computed, as a number; null in rows of earlier releases, which src/memory/search-reindex.ts computes
-- again in the background. Until then they are found as before.
alter table traces add column terms smallint;
alter table traces_past add column terms smallint;

-- The record of a transition stays immutable, but its search terms follow the release.
create or replace function refuse_transition_change() returns trigger language plpgsql as $$
declare
  kept traces%rowtype;
begin
  if tg_op = 'DELETE' and current_setting('almanac.erasing', true) = old.user_id then return old; end if;
  if tg_op = 'UPDATE' then
    kept := new;
    kept.search := old.search;
    kept.terms := old.terms;
    if kept is not distinct from old and (new.search, new.terms) is distinct from (old.search, old.terms) then return new; end if;
  end if;
  raise exception '% of the record of a transition is refused: the trace log is immutable', tg_op using errcode = 'AL001';
end $$;
