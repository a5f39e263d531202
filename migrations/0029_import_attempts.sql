-- How often an import was continued since a part of it was written (src/ledger/staged-import.ts).
alter table imports add column attempts integer not null default 0;
