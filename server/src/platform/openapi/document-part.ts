/** Parts of the OpenAPI document that follow from no route under /api/v1: a domain describes its own. */
export interface DocumentPart {
  schemas?: Record<string, object>;
  paths?: Record<string, object>;
  webhooks?: Record<string, object>;
  securitySchemes?: Record<string, object>;
}
