/** Returns the first item with each key, in their order. */
export function firstOfEach<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  const known = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    const isFirst = !known.has(key);
    known.add(key);
    return isFirst;
  });
}
