-- For each of these indexes, ANALYZE computed the search grams of up to 30,000 rows and counted how often each gram
-- occurred, which took 1 to 2 s of CPU time for 10,000 products, orders or customers. Autovacuum repeated it whenever a
-- tenth of the rows had changed, and while it ran, a machine with two cores answered a quarter fewer product reads. No
-- plan depends on these statistics, because the searched keys are unknown when a search is planned.
alter index product_search_grams alter column 1 set statistics 0;
alter index order_search_grams alter column 1 set statistics 0;
alter index customers_grams alter column 1 set statistics 0;

-- No query compares these columns with anything, so no plan needs their statistics.
alter table products alter column document set statistics 0;
alter table variations alter column document set statistics 0;
alter table orders alter column document set statistics 0;
