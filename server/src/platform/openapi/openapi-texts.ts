// The texts of the reference that do not come from the routes: the introduction and the groups.

export const INTRODUCTION = `Act for one store: products, variations, stock, images, orders, shipments, customers and webhooks.

**Authentication.** Send \`Authorization: Bearer <access token>\`. A token is for one store and one app, lives two hours and carries scopes; each call below names the scope it needs.

**Budget.** 120 calls a minute per store and app, in any 60 seconds. Every response tells how it stands: \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\`, \`X-RateLimit-Reset\`. A 429 carries \`Retry-After\`; waiting that long is enough. Prefer the batch calls.

**Errors** are one shape: \`error\` is a sentence for a person, \`code\` is stable for programs, \`docUrl\` explains the code and what to do, \`requestId\` is what to tell support, \`details\` lists all faults of a 422. The header \`X-Should-Retry\` says whether the same request may succeed later.

**Lists** go by \`page\` and \`limit\`, or by \`cursor\` for as far as there is data. Follow \`meta.nextCursor\` until it is null.

**Repeats.** Send an \`Idempotency-Key\` with a write and repeat it freely for 24 hours: the first answer comes back with \`Idempotent-Replayed: true\` and nothing is done twice.

**Dry runs.** Writes of products, variations, stock and shipping status take \`dryRun=true\`: the same validation, status and body, with \`X-Dry-Run: true\`, and nothing is stored or emitted.

**Money** is in reais with at most two decimals, stored exactly. **Times** are RFC 3339 in UTC.`;

export const TAGS = [
  {
    name: 'OAuth',
    description:
      'How an app gets, renews and revokes tokens. /.well-known/oauth-authorization-server describes the server for libraries (RFC 8414).',
  },
  { name: 'Account', description: 'Which store a token acts for, and what it may do.' },
  {
    name: 'Products',
    description:
      'The catalog. A simple product keeps its own stock; one with variations keeps the sum of theirs.',
  },
  {
    name: 'Variations',
    description: 'Combinations of options (size × colour), each with its own SKU, price and stock.',
  },
  { name: 'Stock', description: 'Balances, by product or by SKU. Needs stock:write and nothing else.' },
  {
    name: 'Images',
    description:
      'In three steps: ask for an address, PUT the bytes there, attach the key. Or attach an address.',
  },
  {
    name: 'Orders',
    description:
      'What buyers ordered: to read, to follow by delta sync, to move along its shipping, to refund in full.',
  },
  { name: 'Shipments', description: 'Labels and tracking. An order has one shipment.' },
  { name: 'Customers', description: 'Who bought, derived from the orders of the store.' },
  {
    name: 'Webhooks',
    description:
      'Signed POSTs about what changed, instead of polling. Answer 2xx at once and work later; anything else is sent again, five times in all over five hours. Tell deliveries apart by X-Service-Delivery, which is the same over all attempts of one event; do not rely on their order.',
  },
  {
    name: 'Events',
    description: 'The same events to be read, for recovery and for those who cannot be called.',
  },
  { name: 'Categories', description: 'The categories every store shares.' },
];

export function scopeSentence(scope: string | readonly string[]): string {
  if (scope === 'any') return 'Needs any valid token.';
  return `Needs the scope ${[scope]
    .flat()
    .map((name) => `\`${name}\``)
    .join(' or ')}.`;
}
