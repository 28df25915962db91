import { slugOf } from '../platform/html/slug.js';
import { isId } from '../platform/schema/ids.js';

const ID_LENGTH = 36;

/** Returns the address of a product. It contains the name for readers and the id for the lookup. */
export function productAddress(shopSlug: string, { id, name }: { id: string; name: string }): string {
  return `/s/${shopSlug}/products/${productPart(id, name)}`;
}

/** Returns the last part of the address. If the name has no Latin letters or digits, this part is only the id. */
export function productPart(id: string, name: string): string {
  const slug = slugOf(name);
  return slug === '' ? id : `${slug}-${id}`;
}

/** Returns the id in the last part of an address, with or without a name before it, or undefined if there is none. */
export function idInAddress(part: string): string | undefined {
  const id = part.slice(-ID_LENGTH);
  return isId(id) && (part.length === ID_LENGTH || part.at(-ID_LENGTH - 1) === '-') ? id : undefined;
}
