-- The table gets a name that says what it contains. During an upgrade, processes of the previous version still use the
-- old name, which is now a view of the table. PostgreSQL applies their inserts, updates and deletes to the table. A later
-- release drops the view.
alter table doomed_files rename to files_to_delete;
create view doomed_files as select * from files_to_delete;
