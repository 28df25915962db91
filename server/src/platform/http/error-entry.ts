/** The meaning of one error code and what the caller should do. Shown at /docs/errors and listed in openapi.json. */
export interface ErrorEntry {
  status: number;
  meaning: string;
  remedy: string;
  /**
   * Set if the same request may succeed later: for every 408, 429 and 5xx, and for conflicts that resolve on their
   * own.
   */
  retry?: true;
}
