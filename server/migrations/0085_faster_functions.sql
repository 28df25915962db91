-- These functions return the same as before, except for search_grams(), but take less time. A function in SQL that
-- cannot be inlined starts an executor for each call, which takes longer than the functions themselves. PL/pgSQL
-- evaluates a simple expression directly.

create or replace function json_text(value text) returns text
  language plpgsql immutable parallel safe
  as $$
begin
  return coalesce(to_json(value)::text, 'null');
end
$$;

create or replace function json_time(value timestamptz) returns text
  language plpgsql immutable parallel safe strict
  as $$
begin
  return '"' || to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"';
end
$$;

create or replace function formatted_tax_id(value text) returns text
  language plpgsql immutable parallel safe strict
  as $$
begin
  return case length(value)
    when 11 then left(value, 3) || '.' || substr(value, 4, 3) || '.' || substr(value, 7, 3) || '-' || right(value, 2)
    when 14 then left(value, 2) || '.' || substr(value, 3, 3) || '.' || substr(value, 6, 3) || '/' || substr(value, 9, 4)
      || '-' || right(value, 2)
  end;
end
$$;

create or replace function search_form(value text) returns text
  language plpgsql immutable parallel safe strict
  as $$
begin
  return lower(public.unaccent('public.unaccent', normalize(translate(value, chr(31), ' '), NFC)));
end
$$;

create or replace function search_terms(variadic parts text[]) returns text
  language plpgsql immutable parallel safe
  as $$
declare
  part text;
  terms text;
begin
  foreach part in array coalesce(parts, '{}') loop
    continue when part is null;
    terms := concat_ws(chr(31), terms, search_form(part));
  end loop;
  return coalesce(terms, '');
end
$$;

-- search_grams() no longer returns the sequences that span two values, which no search looks for. They were about a
-- third, and each is an entry of the index. Existing index entries remain and do no harm. The function is in PL/pgSQL,
-- because for every statement that writes to such an index, PostgreSQL parsed the function in SQL to find out whether
-- it can be inlined.
create or replace function search_grams(workspace_id uuid, value text) returns bigint[]
  language plpgsql immutable parallel safe strict cost 1000
  as $$
begin
  return array(
    select hashtextextended(encode(substring(bytes from i for size), 'escape'), store)
    from convert_to(value, 'UTF8') bytes, uuid_hash_extended(workspace_id, 0) store, unnest(array[4, 6]) size,
      generate_series(1, length(bytes) - size + 1) i
    where position('\x1f'::bytea in substring(bytes from i for size)) = 0);
end
$$;
