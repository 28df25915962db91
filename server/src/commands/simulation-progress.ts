const EVERY_MS = 500;

export interface Counts {
  orders: number;
  paid: number;
  parcels: number;
  scans: number;
  refunds: number;
  /** Buyers who found nothing in stock. */
  soldOut: number;
  /** Products and variations that got new stock. */
  restocked: number;
  /** Buyers whose visit failed because the database was busy or unreachable. */
  gaveUp: number;
}

export function inWords(counts: Counts): string {
  const { orders, paid, parcels, scans, refunds, soldOut, restocked, gaveUp } = counts;
  return [
    `${orders} orders`,
    `${paid} paid`,
    `${parcels} labels`,
    `${scans} scans`,
    `${refunds} refunds`,
    `${restocked} restocked`,
    `${soldOut} buyers found nothing in stock`,
    ...(gaveUp > 0 ? [`${gaveUp} buyers gave up because the database was busy or unreachable`] : []),
  ].join(', ');
}

/**
 * Updates one line while the simulation runs. It does so only on a terminal, because a log would get thousands of
 * lines.
 */
export function showProgress(counts: Counts, json: boolean): { end(): void } {
  if (json || !process.stderr.isTTY) return { end() {} };
  const timer = setInterval(() => process.stderr.write(`\r\x1b[K${inWords(counts)}`), EVERY_MS).unref();
  return {
    end() {
      clearInterval(timer);
      process.stderr.write('\r\x1b[K');
    },
  };
}
