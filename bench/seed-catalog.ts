/** Each product-line name that a benchmark searches for occurs in about this many products, however large the store. */
export const PRODUCTS_PER_LINE = 20;

// Line names are invented words made of syllables, so that their trigrams repeat as in a natural language. Ids are
// UUIDv7 with the creation time of the record.
export const WORDS = `
  create function seed_line(k bigint) returns text language sql immutable parallel safe as $$
    select initcap(string_agg(substr('bcdfgjlmnprstvxz', 1 + (digit % 16)::integer, 1)
      || substr('aeiou', 1 + (digit / 16)::integer, 1), '' order by i))
    from (select i, (k * 7919 + 104729) % 40960000 / (80 ^ i)::bigint % 80 as digit from generate_series(0, 3) i) digits
  $$;
  create function seed_pick(n bigint, salt integer, words text[]) returns text language sql immutable parallel safe as $$
    select words[1 + abs(hashint8extended(n, salt) % cardinality(words))]
  $$;
  create function seed_id(at timestamptz, store integer, n bigint) returns uuid language sql immutable parallel safe as $$
    select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(hash, 1, 3) || '8'
      || substr(hash, 4, 15))::uuid
    from md5(store || ' ' || n) hash
  $$`;

// The products of all stores alternate, as in production, so those of one store are spread over the whole table.
export const PRODUCTS = `
  insert into products (workspace_id, id, name, price, price_discount, description, quantity, weight, width, height,
    length, category_id, sku, ean, has_variants, variation_types, created_at, updated_at)
  select s.id, seed_id(at, s.store, n),
    concat_ws(' ',
      seed_pick(n, s.store, '{Camiseta,Calça,Tênis,Relógio,Caneca,Mochila,Óculos,Cadeira,Luminária,Panela,Café,Caderno}'),
      seed_pick(n, s.store + 1, '{Básica,Clássico,Premium,Esportiva,Infantil,Orgânico,Portátil,Térmica}'),
      seed_pick(n, s.store + 2, '{Azul,Branca,Preta,Verde,Vermelha,Amarela,Cinza}'),
      seed_pick(n, s.store + 4, '{Algodão,Linho,Couro,Bambu,Vidro,Inox,Cerâmica,Borracha,Nylon,Seda,Veludo,Feltro,Cortiça,Acrílico,Papel,Madeira,Alumínio,Silicone,Sisal,Jeans}'),
      seed_line(n % (1 + $1 / ${PRODUCTS_PER_LINE})), n),
    1 + hash % 50000 / 100.0, case when n % 5 = 0 then 1 + hash % 20000 / 100.0 end,
    repeat('Descrição do produto, com medidas, materiais e cuidados. ', 4),
    case when n % $2 = 0 then $3 * (n % 40) else hash % 500 end, 0.3, 20, 5, 30, 1 + hash % 27,
    case when n % $2 > 0 then 'SKU-' || lpad(n::text, 7, '0') end, '789' || lpad((hash % 10000000000)::text, 10, '0'),
    n % $2 = 0,
    case when n % $2 = 0 then '[{"name":"Tamanho","options":["P","M","G","GG"]},{"name":"Cor","options":["Azul","Branca"]}]'
      else '[]' end::jsonb,
    at, at + hash % 1000000 * interval '1 second'
  from generate_series(1, $1::bigint) n, seed_stores s,
    lateral (select timestamptz '2025-01-01Z' + n * interval '25 seconds' as at, abs(hashint8extended(n, s.store + 3)) as hash) of
  order by n, s.store`;

export const VARIATIONS = `
  insert into variations (workspace_id, product_id, id, position, combination, options, sku, ean, price, quantity)
  select p.workspace_id, p.id, seed_id(p.created_at, i, n), i, size || ' - ' || color, array[size, color],
    'SKU-' || lpad(n::text, 7, '0') || '-' || size || '-' || left(color, 2), '780' || lpad(n::text, 9, '0') || i,
    p.price, n % 40
  from (select *, split_part(name, ' ', -1)::bigint as n from products where has_variants) p,
    generate_series(0, $1::integer - 1) i,
    lateral (select (array['P', 'M', 'G', 'GG'])[1 + i / 2] as size, (array['Azul', 'Branca'])[1 + i % 2] as color) option`;

export const IMAGES = `
  insert into product_images (workspace_id, product_id, id, position, key, content_type, size, width, height)
  select p.workspace_id, p.id, seed_id(p.created_at, 10 + i, i), i,
    p.workspace_id || '/' || p.id || '/' || substr(md5(p.id::text || i), 1, 20) || '.jpg', 'image/jpeg', 180000, 1200, 1200
  from products p, generate_series(0, $1::integer - 1) i`;

// The same terms that refreshSearch writes.
export const SEARCH = `
  insert into product_search (workspace_id, product_id, terms)
  select p.workspace_id, p.id, search_terms(variadic array[p.name, p.sku, p.ean] || coalesce(v.codes, '{}'))
  from products p left join (
    select workspace_id, product_id, array_agg(code order by position) as codes
    from variations, unnest(array[sku, ean]) code group by workspace_id, product_id
  ) v on v.workspace_id = p.workspace_id and v.product_id = p.id`;
