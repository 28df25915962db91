const ASCII = /^[ -~]*$/;

/** Returns a name in the form used in URLs: unaccented lower-case letters, digits, and hyphens between words. */
export function slugOf(name: string): string {
  // Removing accents takes most of the time, so names without any skip it.
  const plain = ASCII.test(name) ? name : name.normalize('NFKD').replace(/\p{M}/gu, '');
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-|-$/g, '');
}
