-- Returns a CPF or CNPJ (the tax id of a person or company) with its punctuation. This form is added to the search
-- terms, so that a search may also contain the number, or a part of it, with punctuation.
create function formatted_tax_id(value text) returns text
  language sql immutable parallel safe strict
  as $$ select case length(value)
    when 11 then regexp_replace(value, '^(.{3})(.{3})(.{3})(.{2})$', '\1.\2.\3-\4')
    when 14 then regexp_replace(value, '^(.{2})(.{3})(.{3})(.{4})(.{2})$', '\1.\2.\3/\4-\5')
  end $$;
