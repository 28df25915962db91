export type QueryValue = string | number | boolean | Date | readonly string[] | undefined;
export type Query = { [name: string]: QueryValue };

/**
 * Builds a URL. Times are formatted as RFC 3339, several values are separated by commas, and undefined values are
 * omitted.
 */
export function urlOf(baseUrl: string, path: string, query: Query): string {
  const parameters = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)]);
  const search = new URLSearchParams(parameters as [string, string][]).toString();
  return `${baseUrl.replace(/\/+$/, '')}/api/v1${path}${search && `?${search}`}`;
}

/**
 * Builds a path and encodes its values: path`/products/${id}`. Throws for an empty value, `.` and `..`, which would
 * address another resource.
 */
export function path(strings: TemplateStringsArray, ...values: string[]): string {
  return String.raw(
    { raw: strings },
    ...values.map((value) => {
      if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
        throw new TypeError(`Expected an id or code, got ${JSON.stringify(value)}`);
      return encodeURIComponent(value);
    }),
  );
}
