/** Each surname that the benchmark searches for occurs in about this many orders, however many orders there are. */
export const ORDERS_PER_SURNAME = 20;

// The expiry of all orders is far in the future, so that no order expires during a measurement. Each order was last
// changed within an hour after it was placed.
export const ORDERS = `
  insert into orders (workspace_id, id, number, status, status_shipping, code_shipping, carrier, subtotal, shipping_cost, total,
    payment_method, gateway, transaction_id, customer_id, customer, shipping_address, items, checkout_id, expires_at,
    created_at, updated_at, paid_at, shipped_at)
  select s.id, seed_id(at, 1, n), 1000 + n,
    (array['pending', 'paid', 'paid', 'paid', 'paid', 'paid', 'refunded', 'canceled'])[1 + hash % 8],
    (array['pending', 'preparing', 'sent', 'in_transit', 'delivered'])[1 + hash / 8 % 5],
    case when hash / 8 % 5 > 1 then 'SX' || lpad((n * 7919 % 1000000000)::text, 9, '0') || 'BR' end, 'Sandbox Express',
    price, 12.5, price + 12.5, 'pix', 'sandbox', 'sbx_' || substr(md5(n::text), 1, 24), seed_id(at, 2, n),
    jsonb_build_object('id', seed_id(at, 2, n), 'name', person, 'email', lower(seed_line(n)) || n || '@cliente.example',
      'phone', '119' || lpad((hash % 100000000)::text, 8, '0'), 'document', lpad((n * 10007 % 100000000000)::text, 11, '0')),
    '{"street":"Rua das Flores","number":"120","complement":null,"district":"Centro","city":"São Paulo","state":"SP","zipCode":"01001000","country":"BR"}',
    jsonb_build_array(jsonb_build_object('productId', seed_id(at, 3, n), 'variantId', null,
      'sku', 'SKU-' || lpad((hash % 5000)::text, 7, '0'), 'ean', null, 'name', 'Camiseta Básica Azul', 'combination', null,
      'quantity', 1, 'unitPrice', price, 'total', price)),
    'seed-' || n, timestamptz '2099-01-01Z', at, at + hash % 3600 * interval '1 second', at + interval '1 minute',
    case when hash / 8 % 5 > 1 then at + interval '30 minutes' end
  from generate_series(1, $1::bigint) n, seed_stores s,
    lateral (select timestamptz '2025-01-01Z' + n * interval '1 minute' as at, abs(hashint8extended(n, 5)) as hash) of,
    lateral (select (1 + hash % 50000 / 100.0)::numeric(14,2) as price,
      seed_pick(n, 1, '{Ana,Bia,Caio,Davi,Érica,Fábio,Gabriela,Hugo,Inês,João,Lívia,Otávio}') || ' '
        || seed_line(n % (1 + $1 / ${ORDERS_PER_SURNAME})) as person) who
  order by n`;

export const CUSTOMERS = `
  insert into customers (workspace_id, id, identity, name, email, phone, document, address, orders_count, total_spent,
    first_order_at, last_order_at, terms)
  select workspace_id, customer_id, 'document ' || (customer->>'document'), customer->>'name', customer->>'email',
    customer->>'phone', customer->>'document', shipping_address, 1, total, created_at, created_at,
    search_terms(customer->>'name', customer->>'email', customer->>'document', formatted_tax_id(customer->>'document'), customer->>'phone')
  from orders`;

// The same terms that refreshOrderSearch writes.
export const ORDER_SEARCH = `
  insert into order_search (workspace_id, order_id, terms)
  select o.workspace_id, o.id, search_terms(variadic array[o.number::text, o.customer->>'name', o.customer->>'email',
    o.customer->>'document', formatted_tax_id(o.customer->>'document'), o.code_shipping] || array(select item->>'sku' from jsonb_array_elements(o.items) item))
  from orders o`;

// Numbers the orders of each store by the time of their last change. Delta sync lists orders by this number.
export const ORDER_CHANGES = `
  with numbered as (
    insert into order_changes (workspace_id, order_id, change)
    select workspace_id, id, row_number() over (partition by workspace_id order by updated_at, id) from orders returning workspace_id
  )
  insert into event_heads (workspace_id, last_order_change) select workspace_id, count(*) from numbered group by workspace_id`;

// The payments of the orders and what the gateway has reported. Without them, PostgreSQL plans the statements of the
// first checkouts for empty tables and reads these tables completely until they are analyzed.
export const PAYMENTS = `
  with payment as (
    insert into sandbox_payments (id, workspace_id, order_id, store_name, amount, method, installments, return_url, status,
      created_at)
    select transaction_id, workspace_id, id, 'Store', total, payment_method, 1, 'http://localhost/orders/' || id,
      case status when 'pending' then 'open' when 'canceled' then 'canceled' else 'paid' end, created_at
    from orders returning *
  )
  insert into payment_notifications (id, workspace_id, order_id, transaction_id, type, amount, refunded_in_all, received_at)
  select id || ':' || status, workspace_id, order_id, id, status, amount, 0, created_at from payment where status <> 'open'`;
