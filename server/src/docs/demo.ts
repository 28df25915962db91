/** The demo store, which exists only on a server that no other machine can reach. */
export interface Demo {
  slug: string;
  /** Returns an access token that is valid for at least an hour. */
  token(): Promise<string>;
}

/** Returns undefined until the demo store has been created, and always on a server without a demo store. */
export type FindDemo = () => Demo | undefined;
