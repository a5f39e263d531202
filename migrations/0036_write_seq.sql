-- The first entry of the write that an entry belongs to, so that a write can be taken back as a whole. Null: an earlier release wrote it.
alter table ledger add column write_seq bigint;
