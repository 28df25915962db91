-- Adds the products that existed before 0088. It commits after every 500 products, so writes go on meanwhile.
call fill_product_sort_values();
