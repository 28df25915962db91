/**
 * Callers share one result, and one running call, for this long. A public endpoint must not cost a query per request.
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
