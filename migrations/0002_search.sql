-- Search: a trace's neighbours in its task, in the order of time and then of writing.
create index traces_order on traces (user_id, task_id, "timestamp", seq) where task_id is not null;
create index traces_past_order on traces_past (user_id, task_id, "timestamp", seq) where task_id is not null;
