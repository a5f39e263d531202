-- How many bytes a document has as text, so that a page can end before it is too large without unpacking what is not on it.
-- Entries of earlier releases have none: theirs is found out when they are read. It is no part of what an entry's hash is made of.
alter table ledger add column bytes integer;
