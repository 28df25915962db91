-- The trigger that sets products.document_end took an eighth of PostgreSQL's time for a stock write. A statement may now
-- set the column itself. The trigger sets it for all other changes. On insert it always sets it.
drop trigger products_document_end on products;
create trigger products_document_end_inserted before insert on products
  for each row execute function derive_product_end();
create trigger products_document_end before update of ncm, cest, fiscal_origin, quantity, has_variants, updated_at, document_end
  on products for each row when (new.document_end is not distinct from old.document_end)
  execute function derive_product_end();
