-- The first tables: stores and their owners, apps and their tokens, budgets, idempotency, the catalog, events.
-- Every table of a store has workspace_id first in its primary key and in its indexes, and no foreign key crosses
-- stores: a store is the unit of isolation, of locking and of a future shard.

create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists btree_gin;

-- How text is compared when case and accents must not matter. unaccent() is only stable because a dictionary can be
-- changed; naming the dictionary and never changing it makes the wrapper immutable in fact. The unit separator is what
-- search_terms() puts between values, so no value may keep one.
create function search_form(value text) returns text
  language sql immutable parallel safe strict
  as $$ select lower(public.unaccent('public.unaccent', normalize(translate(value, chr(31), ' '), NFC))) $$;

create function search_terms(variadic parts text[]) returns text
  language sql immutable parallel safe
  as $$ select array_to_string(array(select search_form(part) from unnest(parts) part where part is not null), chr(31)) $$;

-- The pattern that finds a text anywhere inside. Escaped after unaccent, which makes a plain % of a full-width one.
create function search_pattern(value text) returns text
  language sql immutable parallel safe strict
  as $$ select '%' || regexp_replace(search_form(value), '([\\%_])', '\\\1', 'g') || '%' $$;

-- Every four and every six bytes of a text, each hashed together with the store. In a store of 1,000,000 products a
-- trigram stands in thousands of them, and a search that finds 20 took 20 ms to intersect their lists with the list of
-- all products of the store; six bytes of one store stand in a few dozen. Four are for words of four and five letters.
-- Over bytes and not characters, because substr() counts characters from the start each time. These hash functions decide
-- on partitions too, so no version changes them. The cost keeps the planner from calling it on rows that another
-- condition can refuse.
create function search_grams(workspace_id uuid, value text) returns bigint[]
  language sql immutable parallel safe strict cost 1000
  as $$
    select array(
      select hashtextextended(encode(substring(bytes from i for size), 'escape'), store)
      from convert_to(value, 'UTF8') bytes, uuid_hash_extended(workspace_id, 0) store, unnest(array[4, 6]) size,
        generate_series(1, length(bytes) - size + 1) i)
  $$;

-- The grams at both ends of a searched text of four bytes or more, of six if there are six. More of them would be slower:
-- of each product that has the rarest, every other one is looked up.
create function search_keys(workspace_id uuid, value text) returns bigint[]
  language sql immutable parallel safe strict
  as $$
    select array(
      select hashtextextended(encode(substring(bytes from i for size), 'escape'), store)
      from (values (1), (length(bytes) - size + 1)) ends(i))
    from convert_to(search_form(value), 'UTF8') bytes, uuid_hash_extended(workspace_id, 0) store,
      (select case when length(convert_to(search_form(value), 'UTF8')) < 6 then 4 else 6 end as size) sizes
  $$;

-- Values as JSON, for columns that keep a record as it is answered. to_json() and to_char() are only stable because they
-- take any type and any locale; of these two types and this one pattern the outcome never changes.
create function json_text(value text) returns text
  language sql immutable parallel safe
  as $$ select coalesce(to_json(value)::text, 'null') $$;

create function json_time(value timestamptz) returns text
  language sql immutable parallel safe strict
  as $$ select '"' || to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"' $$;

-- UUIDv7 for rows that a statement makes by itself. The 12 bits after the version hold the fraction of the millisecond.
-- PostgreSQL 18 has a function for it, which costs a stock write 80 µs less than this one, 15 to 17 do not.
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

-- Apps and what merchants granted them.

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

-- A grant is the family of all tokens that one approval led to. Revocation lives here, so that a token inserted after
-- a revocation is already dead.
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

-- Budgets and repeated requests.

create table budgets (
  workspace_id uuid not null,
  client_id text not null,
  per_minute integer not null check (per_minute > 0),
  primary key (workspace_id, client_id)
);

-- The daily count of upload addresses must survive a restart, so each one that was given leaves a row for a day.
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
  -- Sealed: the answer to the making of a webhook carries its secret.
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
  -- Of a product with variations this is the sum of theirs, kept by every statement that changes one.
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
  -- The JSON of all that a stock write leaves alone, open at its end: a list of 50 costs a third of what writing it anew
  -- for each reader cost.
  document text not null,
  primary key (workspace_id, id)
);
-- A trigger and not generated columns: of those PostgreSQL reads the expression anew in every update, only to find that
-- a stock write leaves them alone. This one is not even called then.
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

-- What a search looks at: name, sku and ean of the product and of its variations. Apart from products, so that a stock
-- write (which makes an entry in every index of its table) does not also touch the trigram index.
create table product_search (
  workspace_id uuid not null,
  product_id uuid not null,
  terms text not null,
  primary key (workspace_id, product_id)
);
create index product_search_grams on product_search using gin (search_grams(workspace_id, terms));
-- For what is too short for the one above.
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
  -- All but the quantity, open at its end.
  document text not null,
  primary key (workspace_id, product_id, id),
  -- Judged when a statement ends, not row by row: two variations may swap their SKUs in one statement.
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
  -- Open at its end for the url, which begins with an address that only the running server knows.
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

-- Written by the statement or transaction that made the change: neither can exist without the other.
create table events (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  event text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, id)
);
