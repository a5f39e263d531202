-- How far each embedder has read each user's ledger: every version of a trace up to `seq` has its vector, or can't have one.
-- The vectors themselves stand in tables that are made where pgvector is (src/db/migrate.ts); they go with these rows.
create table embedding_progress (
  user_id       text not null references users on delete cascade,
  model         text not null,      -- name and length of the vectors, as text-embedding-3-small/1536
  seq           bigint not null default 0,
  claimed_until timestamptz,        -- an instance is at it until then at most; null = nobody
  primary key (user_id, model)
);
