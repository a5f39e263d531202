-- A task's plans by status: /agent/execute, and the queue of one task.
create index traces_task_plans on traces (user_id, task_id, status, scheduled_for, uid) where type = 'agent_plan' and task_id is not null;

-- Imported plans are records. Release 0.1 let an edit or feedback make them due, or lapse.
update traces set due_at = null where due_at is not null and origin = 'import';
update traces set expires_at = null where expires_at is not null and origin = 'import';
-- Only what is approved here is ever due. Rows from before are in order now; not validating spares the scan under the lock.
alter table traces add constraint traces_due_approved
  check (due_at is null or (type = 'agent_plan' and status = 'approved' and origin <> 'import')) not valid;
