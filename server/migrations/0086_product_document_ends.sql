-- The end of the JSON of a product: the fields that change often, such as the quantity and the time of the last change.
-- Building this text for products and their variations in each read took a fifth of PostgreSQL's time for a product. In
-- rows from before this migration the column is null until the row changes. For such rows, reads build these fields as
-- before. The rows are not updated here, because that would lock all products for as long as it takes.
alter table products add column document_end text;
alter table products alter column document_end set statistics 0;

create function derive_product_end() returns trigger language plpgsql as $$
begin
  new.document_end := case when new.ncm is null and new.cest is null and new.fiscal_origin is null
      then ',"ncm":null,"cest":null,"fiscalOrigin":null'
      else ',"ncm":' || json_text(new.ncm) || ',"cest":' || json_text(new.cest)
        || ',"fiscalOrigin":' || coalesce(new.fiscal_origin::text, 'null') end
    || ',"quantity":' || new.quantity || ',"hasVariants":' || new.has_variants
    || ',"updatedAt":"' || to_char(new.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"';
  return new;
end
$$;
create trigger products_document_end
  before insert or update of ncm, cest, fiscal_origin, quantity, has_variants, updated_at, document_end
  on products for each row execute function derive_product_end();
