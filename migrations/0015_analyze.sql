-- Statistics that do not know a user yet make the planner choose the wrong index for that user's rows: pages of 20,000 events
-- imported by a new user beside as many older rows took 11 s, and 0.5 ms per page after ANALYZE. The default waits for a tenth
-- of the table.

alter table ledger set (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500);
alter table traces set (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500);
alter table events set (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500);
