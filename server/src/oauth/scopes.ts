export const SCOPES = {
  'products:read': 'Read products',
  'products:write': 'Create and edit products',
  'stock:write': 'Update stock',
  'categories:read': 'Read categories',
  'customers:read': 'Read customers',
  'orders:read': 'Read orders',
  'orders:write': 'Change the shipping status, add and remove invoices, and refund orders',
  'shipping:read': 'Query shipments and tracking',
  'shipping:write': 'Create shipments and labels',
  'media:write': 'Upload product images',
  'webhooks:manage': 'Manage webhooks',
} as const;

export type Scope = keyof typeof SCOPES;

export function isScope(value: string): value is Scope {
  return Object.hasOwn(SCOPES, value);
}
