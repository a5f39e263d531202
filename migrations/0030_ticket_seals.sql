-- A ticket is sealed with the secret of the service, so that a row that somebody else inserts or changes opens nothing
-- (src/user/socket-tickets.ts). Tickets of earlier releases have none, and are refused; they live for ten minutes at most.
alter table tickets add column seal bytea;
