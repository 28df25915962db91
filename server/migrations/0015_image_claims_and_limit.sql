-- An upload is claimed while its verified bytes are published, so that only one of several calls that attach the same
-- key writes the file. A claim expires, so that a process that dies does not keep it.
alter table uploads add column claim uuid, add column claimed_until timestamptz(3);

-- At most 50 images per product. A check constraint on the position would be simpler, but it would also refuse changes
-- to products that have more images already. The lock on the product makes concurrent inserts wait for each other.
create function limit_images_per_product() returns trigger language plpgsql as $$
begin
  perform 1 from products where workspace_id = new.workspace_id and id = new.product_id for update;
  if (select count(*) from product_images
      where workspace_id = new.workspace_id and product_id = new.product_id) >= 50 then
    raise exception 'the product has 50 images' using errcode = 'check_violation', constraint = 'product_images_limit';
  end if;
  return new;
end
$$;

create trigger product_images_limit before insert on product_images
  for each row execute function limit_images_per_product();
