-- Lists sorted by the time of the last change use product_sort_values_by_updated.
drop index concurrently if exists products_by_updated;
