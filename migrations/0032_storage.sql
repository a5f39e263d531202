-- How much an account may store (src/ledger/storage.ts).

-- The bytes that the documents of the account may have. Null: what the operator has set for all; 0: no limit.
alter table users add column storage_limit bigint;

-- The bytes of the documents up to an entry. A write adds its own, if the count is complete; an older release that runs beside this
-- one adds none, so that the rest is counted when it is needed.
alter table ledger_heads add column counted_bytes bigint not null default 0;
alter table ledger_heads add column counted_seq bigint not null default 0;
