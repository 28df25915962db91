/** Parts of the OpenAPI document that are not generated from routes, such as the OAuth endpoints and the webhooks. */
export interface DocumentPart {
  schemas?: Record<string, object>;
  paths?: Record<string, object>;
  webhooks?: Record<string, object>;
  securitySchemes?: Record<string, object>;
}
