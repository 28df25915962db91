-- Lists sorted by quantity use product_sort_values_by_quantity.
drop index concurrently if exists products_by_quantity;
