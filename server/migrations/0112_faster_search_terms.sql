-- Returns the same as before. Nearly all values are ASCII, which search_form() only changes to lower case, so they can be
-- joined first. The separator, chr(31), is replaced in a value by a space. If a value contains it, or a character that is
-- not ASCII, each value is converted on its own, as before.
create or replace function search_terms(variadic parts text[]) returns text
  language plpgsql immutable parallel safe
  as $$
declare
  part text;
  terms text := array_to_string(parts, chr(31));
begin
  if octet_length(terms) = length(terms)
      and cardinality(string_to_array(terms, chr(31))) = cardinality(array_remove(parts, null)) then
    return lower(terms);
  end if;
  terms := null;
  foreach part in array coalesce(parts, '{}') loop
    continue when part is null;
    terms := concat_ws(chr(31), terms, search_form(part));
  end loop;
  return coalesce(terms, '');
end
$$;
