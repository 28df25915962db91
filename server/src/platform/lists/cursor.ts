import { badRequest } from '../http/errors.js';
import { isId } from '../schema/ids.js';

export interface Reached {
  value: string | number;
  id: string;
}

interface Cursor {
  sort: string;
  filters: object;
  after: Reached;
}

export function encodeCursor(list: string, { sort, filters, after }: Cursor): string {
  return Buffer.from(JSON.stringify([list, sort, filters, after.value, after.id])).toString('base64url');
}

/** A cursor comes from the client, so everything in it is validated again. */
export function decodeCursor(
  text: string,
  list: string,
  isSortValue: (sort: string, value: unknown) => boolean,
  isFilters: (value: unknown) => boolean,
): Cursor {
  const broken = () => badRequest('cursor was not issued by this list', 'invalid_parameter');
  const bytes = Buffer.from(text, 'base64url');
  // The decoder skips characters outside its alphabet. A cursor with additional characters is not one that we issued.
  if (bytes.toString('base64url') !== text) throw broken();
  let parts: unknown;
  try {
    parts = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw broken();
  }
  if (!Array.isArray(parts) || parts.length !== 5 || parts[0] !== list) throw broken();
  const [sort, filters, value, id] = parts.slice(1) as [unknown, unknown, unknown, unknown];
  if (typeof sort !== 'string' || typeof id !== 'string' || !isId(id)) throw broken();
  if (!isSortValue(sort, value)) throw broken();
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters) || !isFilters(filters))
    throw broken();
  return { sort, filters, after: { value: value as string | number, id } };
}
