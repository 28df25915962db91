import type { BrowserContext, Page } from 'playwright-core';

interface Shift {
  value: number;
  /** Descriptions of the elements that moved. */
  moved: string[];
}

interface Recorder {
  shifts: Shift[];
  collect(): Shift[];
}

/** Records the layout shifts of every page in this browser, from its first frame on. */
export async function recordShifts(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    type Entry = PerformanceEntry & { value: number; sources: { node?: Element | null }[] };
    const shifts: Shift[] = [];
    const keep = (entries: PerformanceEntryList) => {
      for (const { value, sources } of entries as Entry[])
        shifts.push({ value, moved: sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? 'removed') });
    };
    const observer = new PerformanceObserver((list) => keep(list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    const recorder: Recorder = {
      shifts,
      collect() {
        keep(observer.takeRecords());
        return shifts;
      },
    };
    Object.assign(globalThis, { recorder });
  });
}

/** Loads all images of the page that are not hidden, including those further down. Returns all layout shifts so far. */
export async function shiftsOn(page: Page): Promise<Shift[]> {
  await page.evaluate(async () => {
    for (const image of document.images) {
      // Images in closed details elements are not loaded.
      if (!image.checkVisibility()) continue;
      image.scrollIntoView({ block: 'center' });
      if (image.complete) continue;
      await new Promise((done) => {
        image.addEventListener('load', done);
        image.addEventListener('error', done);
      });
    }
    scrollTo(0, 0);
    // A layout shift is reported only in a later frame.
    for (let frame = 0; frame < 3; frame++) await new Promise((next) => requestAnimationFrame(next));
  });
  return page.evaluate(() => (globalThis as unknown as { recorder: Recorder }).recorder.collect());
}

/** Returns the size of the style sheets and scripts of the page, as sent and after decompression. */
export async function weightOf(page: Page): Promise<{ sent: number; decoded: number }> {
  return page.evaluate(() => {
    const files = (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(
      ({ name }) => /\.(css|js)$/.test(new URL(name).pathname),
    );
    const sum = (size: (file: PerformanceResourceTiming) => number) =>
      files.reduce((total, file) => total + size(file), 0);
    return { sent: sum((file) => file.encodedBodySize), decoded: sum((file) => file.decodedBodySize) };
  });
}
