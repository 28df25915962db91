import { raw, type Statement } from './sql.js';

/**
 * How the value of a column becomes JSON. `token` is text that needs no escaping (ids, names that we made); a `?` says
 * that the column may be null.
 */
type Kind = 'token' | 'text' | 'text?' | 'plain' | 'plain?' | 'time' | 'json';

export type JsonFields = Record<string, readonly [expression: string, kind: Kind]>;

/**
 * An SQL expression that writes a record as JSON text, which is sent on as it is. For a list of 50 this takes 0.55 ms
 * in PostgreSQL and 0.25 ms here; columns, which become objects here and then JSON, take 0.25 ms and 0.85 ms, and
 * json_build_object takes 0.76 ms in PostgreSQL alone, because it looks up the type of each argument of each row.
 */
export function jsonObject(fields: JsonFields): Statement {
  const members = Object.entries(fields).map(([name, [expression, kind]], index) => {
    const [open, value, close] = written(expression, kind);
    return `'${index === 0 ? '{' : ','}"${name}":${open}' || ${value}${close ? ` || '${close}'` : ''}`;
  });
  return raw(`${members.join(' || ')} || '}'`);
}

/** The same record as columns. */
export function columns(fields: JsonFields): Statement {
  return raw(
    Object.entries(fields)
      .map(([name, [expression]]) => `${expression} as "${name}"`)
      .join(', '),
  );
}

function written(expression: string, kind: Kind): [open: string, value: string, close: string] {
  switch (kind) {
    case 'token':
      return ['"', `${expression}::text`, '"'];
    case 'text':
      return ['', `to_json(${expression})::text`, ''];
    case 'text?':
      return ['', `coalesce(to_json(${expression})::text, 'null')`, ''];
    case 'plain':
      return ['', `${expression}::text`, ''];
    case 'plain?':
      return ['', `coalesce(${expression}::text, 'null')`, ''];
    case 'time':
      return ['"', `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`, '"'];
    case 'json':
      return ['', expression, ''];
  }
}
