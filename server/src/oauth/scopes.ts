export const SCOPES = {
  'products:read': 'Read products',
  'products:write': 'Create and edit products',
  'stock:write': 'Update stock',
  'categories:read': 'Read categories',
  'customers:read': 'Read customers',
  'orders:read': 'Read orders',
  'orders:write': 'Update status and refund orders',
  'shipping:read': 'Query shipments and tracking',
  'shipping:write': 'Generate labels and update shipments',
  'media:write': 'Upload product images',
  'webhooks:manage': 'Manage webhooks',
} as const;

export type Scope = keyof typeof SCOPES;

export function isScope(value: string): value is Scope {
  return Object.hasOwn(SCOPES, value);
}
