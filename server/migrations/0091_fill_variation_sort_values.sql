-- Adds the variations that existed before 0089. It commits after every 500 variations, so writes go on meanwhile.
call fill_variation_sort_values();
