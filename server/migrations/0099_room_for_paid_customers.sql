-- Leaves room on each page for the new versions of changed rows. A customer is counted and a payment gets its status
-- shortly after the row was created. Nothing that an index contains changes, so if the new version fits on the same
-- page, PostgreSQL adds no index entries. Otherwise it adds an entry to each index, and two of those of customers
-- contain about 200 parts of the customer's search terms. Without room, this was the case for half of the customers.
alter table customers set (fillfactor = 70);
alter table sandbox_payments set (fillfactor = 80);
