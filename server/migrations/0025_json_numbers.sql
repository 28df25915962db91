-- Numbers in the stored JSON are written without trailing zeros, as everywhere else in the API: 79.9 and not 79.90.
-- This migration rewrites the stored JSON of all products and variations.

create or replace function derive_product() returns trigger language plpgsql as $$
begin
  new.name_sort := search_form(new.name);
  new.document := '{"id":"' || new.id || '","name":' || json_text(new.name) || ',"price":' || trim_scale(new.price)
    || ',"priceDiscount":' || coalesce(trim_scale(new.price_discount)::text, 'null')
    || ',"description":' || json_text(new.description)
    || ',"weight":' || coalesce(trim_scale(new.weight)::text, 'null')
    || ',"width":' || coalesce(trim_scale(new.width)::text, 'null')
    || ',"height":' || coalesce(trim_scale(new.height)::text, 'null')
    || ',"length":' || coalesce(trim_scale(new.length)::text, 'null')
    || ',"typeId":' || new.type_id || ',"categoryId":' || new.category_id || ',"urlImage":' || json_text(new.url_image)
    || ',"sku":' || json_text(new.sku) || ',"ean":' || json_text(new.ean) || ',"createdAt":' || json_time(new.created_at);
  return new;
end
$$;

create or replace function derive_variation() returns trigger language plpgsql as $$
begin
  new.document := '{"id":"' || new.id || '","combination":' || json_text(new.combination) || ',"sku":' || json_text(new.sku)
    || ',"ean":' || json_text(new.ean) || ',"price":' || trim_scale(new.price);
  return new;
end
$$;

-- The updates call the triggers, which write the new value.
update products set document = document;
update variations set document = document;
