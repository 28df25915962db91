-- Lists of variations sorted by the time of the last change use the primary key of variation_sort_values.
drop index concurrently if exists variations_by_updated;
