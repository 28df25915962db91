/** Parts of the OpenAPI document that do not come from routes under /api/v1. Each domain describes its own. */
export interface DocumentPart {
  schemas?: Record<string, object>;
  paths?: Record<string, object>;
  webhooks?: Record<string, object>;
  securitySchemes?: Record<string, object>;
}
