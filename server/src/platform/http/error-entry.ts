/** The meaning of one error code and what the caller should do. Both are shown at /docs/errors. */
export interface ErrorEntry {
  status: number;
  meaning: string;
  remedy: string;
  /** Set for a conflict that resolves on its own. A 408, 429 or 5xx is worth retrying even without this flag. */
  retry?: true;
}
