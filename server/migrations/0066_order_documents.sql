-- The JSON of an order as the API returns it, stored in the row of the order, as for products. Building it for each
-- reader took most of the time of a list request. Null for orders that have not changed since this migration; readers
-- then build it.
alter table orders add column document text;
-- With the default target, PostgreSQL would compress the JSON of most orders or move it out of the row, and undo that
-- for each reader.
alter table orders set (toast_tuple_target = 8160);

create function invoices_json(of_store uuid, of_order uuid) returns text language sql stable as $$
  select coalesce(string_agg('{"type":' || json_text(type) || ',"key":' || json_text(key) || ',"number":' || json_text(number)
    || ',"series":' || json_text(series) || ',"issuedAt":' || coalesce(json_time(issued_at), 'null')
    || ',"amount":' || coalesce(trim_scale(amount)::text, 'null') || ',"xmlUrl":' || json_text(xml_url)
    || ',"pdfUrl":' || json_text(pdf_url) || ',"createdAt":' || json_time(created_at) || '}', ',' order by created_at, key), '')
  from invoices where workspace_id = of_store and order_id = of_order
$$;

create function order_items_json(items jsonb) returns text language sql stable as $$
  select coalesce(string_agg('{"productId":' || json_text(item->>'productId') || ',"variantId":' || json_text(item->>'variantId')
    || ',"sku":' || json_text(item->>'sku') || ',"ean":' || json_text(item->>'ean') || ',"name":' || json_text(item->>'name')
    || ',"combination":' || json_text(item->>'combination') || ',"quantity":' || coalesce(item->>'quantity', 'null')
    || ',"unitPrice":' || coalesce(trim_scale((item->>'unitPrice')::numeric)::text, 'null')
    || ',"total":' || coalesce(trim_scale((item->>'total')::numeric)::text, 'null') || '}', ',' order by n), '')
  from jsonb_array_elements(items) with ordinality as listed(item, n)
$$;

create function order_json(o orders) returns text language sql stable as $$
  select '{"id":"' || o.id || '","number":' || o.number || ',"status":' || json_text(o.status)
    || ',"statusShipping":' || json_text(o.status_shipping) || ',"codeShipping":' || json_text(o.code_shipping)
    || ',"carrier":' || json_text(o.carrier) || ',"trackingUrl":' || json_text(o.tracking_url)
    || ',"shippingService":' || json_text(nullif(o.shipping_service, 'digital'))
    || ',"estimatedDelivery":' || json_text(to_char(o.estimated_delivery, 'YYYY-MM-DD'))
    || ',"currency":"BRL","subtotal":' || trim_scale(o.subtotal) || ',"discount":' || trim_scale(o.discount)
    || ',"shippingCost":' || trim_scale(o.shipping_cost) || ',"total":' || trim_scale(o.total)
    || ',"refundedAmount":' || trim_scale(o.refunded_amount)
    || ',"payment":{"method":' || json_text(o.payment_method) || ',"installments":' || o.installments
    || ',"gateway":' || json_text(o.gateway) || ',"transactionId":' || json_text(o.transaction_id)
    || '},"customer":{"id":' || json_text(o.customer->>'id') || ',"name":' || json_text(o.customer->>'name')
    || ',"email":' || json_text(o.customer->>'email') || ',"phone":' || json_text(o.customer->>'phone')
    || ',"document":' || json_text(o.customer->>'document')
    || '},"shippingAddress":{"street":' || json_text(o.shipping_address->>'street')
    || ',"number":' || json_text(o.shipping_address->>'number')
    || ',"complement":' || json_text(o.shipping_address->>'complement')
    || ',"district":' || json_text(o.shipping_address->>'district') || ',"city":' || json_text(o.shipping_address->>'city')
    || ',"state":' || json_text(o.shipping_address->>'state') || ',"zipCode":' || json_text(o.shipping_address->>'zipCode')
    || ',"country":' || json_text(o.shipping_address->>'country')
    || '},"items":[' || order_items_json(o.items) || '],"invoices":[' || invoices_json(o.workspace_id, o.id)
    || '],"expiresAt":' || coalesce(case when o.status = 'pending' then json_time(o.expires_at) end, 'null')
    || ',"createdAt":' || json_time(o.created_at) || ',"updatedAt":' || json_time(o.updated_at)
    || ',"paidAt":' || coalesce(json_time(o.paid_at), 'null') || ',"shippedAt":' || coalesce(json_time(o.shipped_at), 'null')
    || ',"deliveredAt":' || coalesce(json_time(o.delivered_at), 'null')
    || ',"refundedAt":' || coalesce(json_time(o.refunded_at), 'null')
    || ',"canceledAt":' || coalesce(json_time(o.canceled_at), 'null') || '}'
$$;

-- Triggers run in the order of their names, so orders_derived runs after orders_change, which sets updated_at. Code
-- that changes the invoices of an order updates the order afterwards in the same transaction, so that its JSON is
-- built again.
create function derive_order() returns trigger language plpgsql as $$
begin
  new.document := order_json(new);
  return new;
end
$$;
create trigger orders_derived before insert or update on orders for each row execute function derive_order();
