/** Callers share one result, and one call under way, for this long: what strangers may ask must not cost a query each. */
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
