// The introduction, the groups and the scope sentences of the API reference.

export const INTRODUCTION = `An API for the products, variations, stock, images, orders, invoices, shipments, customers and webhooks of online stores. Each token acts for one store.

**Authentication.** Send \`Authorization: Bearer <access token>\`. A token belongs to one store and one app, is valid for two hours and has scopes. Each call below names the scope it needs.

**Rate limit.** 120 calls per store and app in any 60 seconds. Every response to a request with a valid token has \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. A 429 has \`Retry-After\`; waiting that long is enough. Prefer the batch calls.

**Errors** (except those of OAuth, which follow RFC 6749) have one shape: \`error\` is a sentence for people, \`code\` is stable and for programs, \`docUrl\` links to an explanation of the code, \`requestId\` is for support, and \`details\` lists every fault of a 422. The header \`X-Should-Retry\` says whether the same request may succeed later.

**Lists** are read with \`page\` and \`limit\`, or with \`cursor\`, which has no limit on the number of pages. Follow \`meta.nextCursor\` while \`meta.hasMore\` is true.

**Idempotency.** Send an \`Idempotency-Key\` with a write, and you can repeat the request safely for 24 hours: the first response is returned with \`Idempotent-Replayed: true\`, and nothing is done twice.

**Dry runs.** Writes of products, variations, stock and shipping status accept \`dryRun=true\`: validation, status and body are the same as without it, the response has \`X-Dry-Run: true\`, and nothing is stored or emitted.

**Money** is in reais with at most two decimals, stored exactly. **Times** are RFC 3339 in UTC.`;

export const TAGS = [
  {
    name: 'OAuth',
    description:
      'How an app gets, renews and revokes tokens. /.well-known/oauth-authorization-server describes the server for libraries (RFC 8414).',
  },
  { name: 'Account', description: 'The store that a token acts for, and the scopes of the token.' },
  {
    name: 'Products',
    description:
      'The catalog. A simple product has its own stock; the stock of a product with variations is the sum of the stock of its variations.',
  },
  {
    name: 'Variations',
    description: 'Combinations of options (size × color), each with its own SKU, price and stock.',
  },
  { name: 'Stock', description: 'Stock balances by product or by SKU. These calls need stock:write only.' },
  {
    name: 'Images',
    description:
      'Upload a file in three steps: request an upload URL and a key, PUT the file to the URL, attach the key to a product. Or attach the URL of a published image.',
  },
  {
    name: 'Orders',
    description:
      'Orders of buyers: read them, follow changes by delta sync, update the shipping status, add invoices, refund in full.',
  },
  { name: 'Shipments', description: 'Labels and tracking. An order has at most one shipment.' },
  { name: 'Customers', description: 'The buyers of the store, derived from its orders.' },
  {
    name: 'Webhooks',
    description:
      'Signed POST requests about changes, instead of polling. Respond with 2xx immediately and process the event afterwards. Any other response leads to a retry: five attempts in all, over five hours. Deduplicate by X-Service-Delivery, which is the same for all attempts of an event. The order of arrival is not guaranteed.',
  },
  {
    name: 'Events',
    description:
      'The same events as a feed, to catch up after an outage or for apps whose server cannot be reached from the internet.',
  },
  { name: 'Categories', description: 'The categories, which all stores share.' },
];

export function scopeSentence(scope: string | readonly string[]): string {
  if (scope === 'any') return 'Requires any valid token.';
  return `Requires the scope ${[scope]
    .flat()
    .map((name) => `\`${name}\``)
    .join(' or ')}.`;
}
