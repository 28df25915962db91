/**
 * Returns the lines of a stream. Fails if nothing arrives for `idleMs`. Text after the last line break is not
 * returned.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array> | null,
  idleMs: number,
): AsyncGenerator<string, void, undefined> {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await within(idleMs, reader.read());
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() as string;
      yield* lines;
    }
  } finally {
    // Also runs if the consumer stops early, so that the server stops sending.
    await reader.cancel().catch(() => {});
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No data for ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
