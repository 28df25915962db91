-- The first tables: stores and their owners, apps and their tokens, rate limits, idempotency keys, the catalog, events.
-- Tables with data of stores have a column workspace_id (the store's id), usually as the first column of the primary
-- key and the indexes. No foreign key refers to another store: a store is the unit of isolation, of locking and of a
-- future shard.

create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists btree_gin;

-- Returns the form in which text is compared if case and accents must not matter. unaccent() is declared stable,
-- because its dictionary can be changed. This function names a dictionary that is never changed, so the function can be
-- immutable. search_terms() puts the unit separator between values, so a separator inside a value becomes a space.
create function search_form(value text) returns text
  language sql immutable parallel safe strict
  as $$ select lower(public.unaccent('public.unaccent', normalize(translate(value, chr(31), ' '), NFC))) $$;

create function search_terms(variadic parts text[]) returns text
  language sql immutable parallel safe
  as $$ select array_to_string(array(select search_form(part) from unnest(parts) part where part is not null), chr(31)) $$;

-- Returns the LIKE pattern that matches any text containing the value. Special characters are escaped after unaccent(),
-- because unaccent() turns a full-width % into a plain %.
create function search_pattern(value text) returns text
  language sql immutable parallel safe strict
  as $$ select '%' || regexp_replace(search_form(value), '([\\%_])', '\\\1', 'g') || '%' $$;

-- Returns a hash of each sequence of four and of six bytes in a text. The hashes are seeded with the id of the store.
-- An index of trigrams alone was too slow: in a store of 1,000,000 products, thousands contain the same trigram, and a
-- search that found 20 products took 20 ms, because the lists of its trigrams had to be intersected with the list of
-- all products of the store. Most sequences of six bytes occur in far fewer products. Those of four are for searches of
-- four and five bytes. The function uses bytes instead of characters, because substr() counts characters from the
-- start each time. PostgreSQL also uses hashtextextended() and uuid_hash_extended() for hash partitions, so new
-- versions do not change them. Because of the declared cost, a query checks its other conditions first.
create function search_grams(workspace_id uuid, value text) returns bigint[]
  language sql immutable parallel safe strict cost 1000
  as $$
    select array(
      select hashtextextended(encode(substring(bytes from i for size), 'escape'), store)
      from convert_to(value, 'UTF8') bytes, uuid_hash_extended(workspace_id, 0) store, unnest(array[4, 6]) size,
        generate_series(1, length(bytes) - size + 1) i)
  $$;

-- Returns the hashes of the first and the last six bytes of a searched text, or four bytes if the text is shorter than
-- six. More hashes would be slower, because each hash is looked up for every product that contains the rarest one.
create function search_keys(workspace_id uuid, value text) returns bigint[]
  language sql immutable parallel safe strict
  as $$
    select array(
      select hashtextextended(encode(substring(bytes from i for size), 'escape'), store)
      from (values (1), (length(bytes) - size + 1)) ends(i))
    from convert_to(search_form(value), 'UTF8') bytes, uuid_hash_extended(workspace_id, 0) store,
      (select case when length(convert_to(search_form(value), 'UTF8')) < 6 then 4 else 6 end as size) sizes
  $$;

-- These functions return a value as JSON, for columns that store records in the form of the API. to_json() and
-- to_char() are declared stable, because in general they depend on type and locale. For these types and this pattern
-- their results never change.
create function json_text(value text) returns text
  language sql immutable parallel safe
  as $$ select coalesce(to_json(value)::text, 'null') $$;

create function json_time(value timestamptz) returns text
  language sql immutable parallel safe strict
  as $$ select '"' || to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"' $$;

-- Returns a UUIDv7, for rows that get their id in the database. The 12 bits after the version contain the fraction of
-- the millisecond. PostgreSQL 18 has its own function, with which a stock write takes 80 µs less.
create function new_id() returns uuid
  language sql volatile parallel safe
  as $$
    select encode(
      int8send((us / 1000 << 16) | (7 << 12) | (us % 1000 * 4096 / 1000)) || substring(uuid_send(gen_random_uuid()) from 9),
      'hex')::uuid
    from (select floor(extract(epoch from clock_timestamp()) * 1000000)::bigint) clock(us)
  $$;
do $$
begin
  if current_setting('server_version_num')::integer >= 180000 then
    create or replace function new_id() returns uuid
      language sql volatile parallel safe
      as 'select uuidv7()';
  end if;
end
$$;

-- Merchants and their stores.

create table users (
  id uuid primary key,
  email text not null,
  password_hash text not null,
  created_at timestamptz(3) not null default now()
);
create unique index users_email on users (lower(email));

create table workspaces (
  id uuid primary key,
  owner_id uuid not null,
  slug text not null unique,
  name text not null,
  email text not null,
  document text,
  domain text,
  timezone text not null default 'America/Sao_Paulo',
  created_at timestamptz(3) not null default now()
);
create index workspaces_owner on workspaces (owner_id);

-- Apps and the access that merchants granted to them.

create table apps (
  client_id text primary key,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz(3) not null default now()
);

create table app_secrets (
  client_id text not null references apps on delete cascade,
  secret_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (client_id, secret_hash)
);

-- A grant is one approval by a merchant or by the operator; all tokens issued for it refer to it. The revocation is
-- stored here, so that a token inserted after a revocation is invalid, too.
create table oauth_grants (
  workspace_id uuid not null,
  id uuid not null,
  client_id text not null,
  user_id uuid,
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  refresh_revoked_at timestamptz(3),
  primary key (workspace_id, id)
);
create index oauth_grants_client on oauth_grants (workspace_id, client_id);

create table oauth_access_tokens (
  token_hash bytea primary key,
  workspace_id uuid not null,
  grant_id uuid not null,
  expires_at timestamptz(3) not null
);
create index oauth_access_tokens_expiry on oauth_access_tokens (expires_at);

create table oauth_refresh_tokens (
  token_hash bytea primary key,
  workspace_id uuid not null,
  grant_id uuid not null,
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3)
);
create index oauth_refresh_tokens_expiry on oauth_refresh_tokens (expires_at);

-- Rate limits and idempotency keys.

create table budgets (
  workspace_id uuid not null,
  client_id text not null,
  per_minute integer not null check (per_minute > 0),
  primary key (workspace_id, client_id)
);

-- The daily count of upload URLs must survive a restart, so a row is kept for a day for each issued URL.
create table upload_spends (
  workspace_id uuid not null,
  client_id text not null,
  spent_at timestamptz not null,
  id uuid not null default new_id(),
  primary key (workspace_id, client_id, spent_at, id)
);
create index upload_spends_age on upload_spends (spent_at);

create table idempotency_keys (
  workspace_id uuid not null,
  client_id text not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  -- Encrypted, because the response to the creation of a webhook contains its secret.
  body bytea not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, client_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Catalog.

create table categories (
  id integer primary key,
  name text not null,
  parent_id integer references categories
);

create table products (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  name_sort text collate "C" not null,
  price numeric(14,2) not null check (price >= 0),
  price_discount numeric(14,2) check (price_discount >= 0),
  description text,
  -- For a product with variations, the sum of their quantities. Statements that change one of them update the sum.
  quantity bigint not null default 0 check (quantity >= 0),
  weight numeric(12,3),
  width numeric(12,3),
  height numeric(12,3),
  length numeric(12,3),
  type_id smallint not null default 2 check (type_id between 1 and 3),
  category_id integer not null default 23,
  url_image text,
  sku text,
  ean text,
  has_variants boolean not null default false,
  variation_types jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- The JSON of most fields that a stock write does not change, without the closing brace. With this column, a list
  -- of 50 products takes a third of the time that it takes if each query builds the JSON.
  document text not null,
  primary key (workspace_id, id)
);
-- A trigger is used instead of generated columns, because PostgreSQL parses the expressions of generated columns in
-- every update, even in a stock write, which does not change them. The trigger is not called for a stock write.
create function derive_product() returns trigger language plpgsql as $$
begin
  new.name_sort := search_form(new.name);
  new.document := '{"id":"' || new.id || '","name":' || json_text(new.name) || ',"price":' || new.price
    || ',"priceDiscount":' || coalesce(new.price_discount::text, 'null') || ',"description":' || json_text(new.description)
    || ',"weight":' || coalesce(new.weight::text, 'null') || ',"width":' || coalesce(new.width::text, 'null')
    || ',"height":' || coalesce(new.height::text, 'null') || ',"length":' || coalesce(new.length::text, 'null')
    || ',"typeId":' || new.type_id || ',"categoryId":' || new.category_id || ',"urlImage":' || json_text(new.url_image)
    || ',"sku":' || json_text(new.sku) || ',"ean":' || json_text(new.ean) || ',"createdAt":' || json_time(new.created_at);
  return new;
end
$$;
create trigger products_derived
  before insert or update of id, name, price, price_discount, description, weight, width, height, length, type_id,
    category_id, url_image, sku, ean, created_at, name_sort, document
  on products for each row execute function derive_product();

create unique index products_name on products (workspace_id, name);
create index products_by_name on products (workspace_id, name_sort, id);
create index products_by_price on products (workspace_id, price, id);
create index products_by_quantity on products (workspace_id, quantity, id);
create index products_by_created on products (workspace_id, created_at, id);
create index products_by_updated on products (workspace_id, updated_at, id);
create index products_category on products (workspace_id, category_id, created_at, id);
create index products_sku on products (workspace_id, sku) where sku is not null;
create index products_ean on products (workspace_id, ean) where ean is not null;

-- The searchable text of a product: its name, sku and ean, and the sku and ean of its variations. It is in a table of
-- its own, because a stock write adds an entry to every index of products and would otherwise update the search
-- indexes, too.
create table product_search (
  workspace_id uuid not null,
  product_id uuid not null,
  terms text not null,
  primary key (workspace_id, product_id)
);
create index product_search_grams on product_search using gin (search_grams(workspace_id, terms));
-- For search texts that are too short for the index above.
create index product_search_terms on product_search using gin (workspace_id, terms gin_trgm_ops);

create table variations (
  workspace_id uuid not null,
  product_id uuid not null,
  id uuid not null,
  position integer not null,
  combination text not null,
  options text[] not null,
  sku text,
  ean text,
  price numeric(14,2) not null check (price >= 0),
  quantity integer not null default 0 check (quantity >= 0),
  -- The JSON of the variation as the API returns it, without the quantity and the closing brace.
  document text not null,
  primary key (workspace_id, product_id, id),
  -- Checked at the end of a statement, so that two variations can swap their SKUs in one statement.
  constraint variations_sku unique (workspace_id, product_id, sku) deferrable initially immediate,
  constraint variations_combination unique (workspace_id, product_id, combination)
);
create function derive_variation() returns trigger language plpgsql as $$
begin
  new.document := '{"id":"' || new.id || '","combination":' || json_text(new.combination) || ',"sku":' || json_text(new.sku)
    || ',"ean":' || json_text(new.ean) || ',"price":' || new.price;
  return new;
end
$$;
create trigger variations_derived before insert or update of id, combination, sku, ean, price, document
  on variations for each row execute function derive_variation();
create index variations_by_sku on variations (workspace_id, sku) where sku is not null;
create index variations_by_ean on variations (workspace_id, ean) where ean is not null;

create table product_images (
  workspace_id uuid not null,
  product_id uuid not null,
  id uuid not null,
  position integer not null,
  key text,
  url text,
  content_type text,
  size integer,
  width integer,
  height integer,
  created_at timestamptz(3) not null default now(),
  -- The JSON without the closing brace and the url. Only the running server knows the address of uploaded files.
  document text not null generated always as (
    '{"id":"' || id::text || '","productId":"' || product_id::text || '","key":' || json_text(key)
    || ',"order":' || position::text || ',"contentType":' || json_text(content_type)
    || ',"size":' || coalesce(size::text, 'null') || ',"width":' || coalesce(width::text, 'null')
    || ',"height":' || coalesce(height::text, 'null') || ',"createdAt":' || json_time(created_at)
  ) stored,
  primary key (workspace_id, product_id, id),
  constraint product_images_position unique (workspace_id, product_id, position) deferrable initially immediate
);

-- Events.

-- An event is written in the same statement or transaction as its change, so neither can exist without the other.
create table events (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  event text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, id)
);
