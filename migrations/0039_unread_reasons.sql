-- Why components of the file of a source could not be read, and what the reader doubted: at most 20 of each.
alter table calendar_sources add column unread_components jsonb not null default '[]';
alter table calendar_sources add column warnings jsonb not null default '[]';
