/** The guides in the order of the navigation. Each is docs/guides/<name>.md. */
export const CONTENTS = [
  { title: 'Start', guides: ['quickstart', 'connect', 'sdk', 'testing'] },
  { title: 'Catalog', guides: ['products', 'stock', 'images'] },
  { title: 'Orders', guides: ['orders', 'invoices-and-shipping'] },
  { title: 'Events', guides: ['webhooks'] },
  { title: 'Operate', guides: ['errors', 'limits', 'going-live'] },
] as const;

export const GUIDES: readonly string[] = CONTENTS.flatMap(({ guides }) => guides);
