/**
 * Caches the result of `load` for this many milliseconds, and lets concurrent callers share one call. A public endpoint
 * that uses it does not run a query for each request.
 */
export function cachedFor<T>(milliseconds: number, load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (loading === undefined || performance.now() - loadedAt >= milliseconds) {
      loadedAt = Number.POSITIVE_INFINITY;
      loading = load().finally(() => {
        loadedAt = performance.now();
      });
    }
    return loading;
  };
}
