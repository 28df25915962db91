import { hash } from 'node:crypto';

/** A rendered page, ready to be sent. */
export interface RenderedPage {
  bytes: Buffer;
  etag: string;
}

interface Entry {
  version: string;
  renderedAt: number;
  /** Undefined if the page was rendered only once at this version. */
  page: RenderedPage | undefined;
  size: number;
}

interface StorePages {
  /** The pages, beginning with the least recently used. */
  pages: Map<string, Entry>;
  bytes: number;
}

/** Limits the age of a cached page, because rows that an operator changes with SQL may not get a new version. */
const MAX_AGE_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** The approximate size of an entry without a page. */
const ENTRY_BYTES = 256;
/** A full cache is reduced to this size, so that not every new page triggers another search for the largest store. */
const KEPT_BYTES = MAX_BYTES * 0.9;

/**
 * The rendered pages of this process. Each page is stored with the version of its content in the database, and is sent
 * only if the request has just read the same version. Changes by other processes are therefore noticed. When the cache
 * is full, pages of the store with the most bytes are removed, so a large store cannot displace small ones.
 *
 * A page is stored only when it is rendered for the second time at the same version. A crawler that visits each page of
 * a large shop once would otherwise fill the cache with pages that are never sent again, and collecting them as garbage
 * took a tenth of the time of a product page.
 */
export class PageCache {
  private readonly stores = new Map<string, StorePages>();
  private bytes = 0;

  has(workspaceId: string, key: string): boolean {
    return this.stores.get(workspaceId)?.pages.get(key)?.page !== undefined;
  }

  find(workspaceId: string, key: string, version: string): RenderedPage | undefined {
    const pages = this.stores.get(workspaceId)?.pages;
    const entry = pages?.get(key);
    if (!pages || entry?.version !== version || performance.now() - entry.renderedAt > MAX_AGE_MS)
      return undefined;
    pages.delete(key);
    pages.set(key, entry);
    return entry.page;
  }

  /** Returns the page as it is to be sent, and stores it if this version of it was rendered before. */
  keep(workspaceId: string, key: string, version: string, html: string): RenderedPage {
    const bytes = Buffer.from(html);
    const page = { bytes, etag: `"${hash('sha1', bytes, 'base64url')}"` };
    const isRepeated = this.stores.get(workspaceId)?.pages.get(key)?.version === version;
    this.remove(workspaceId, key);
    this.add(workspaceId, key, {
      version,
      renderedAt: performance.now(),
      page: isRepeated ? page : undefined,
      size: ENTRY_BYTES + (isRepeated ? bytes.length : 0),
    });
    return page;
  }

  private add(workspaceId: string, key: string, entry: Entry): void {
    const store = this.stores.get(workspaceId) ?? { pages: new Map<string, Entry>(), bytes: 0 };
    this.stores.set(workspaceId, store);
    store.pages.set(key, entry);
    store.bytes += entry.size;
    this.bytes += entry.size;
    if (this.bytes > MAX_BYTES) this.makeRoom();
  }

  private makeRoom(): void {
    while (this.bytes > KEPT_BYTES) {
      const [workspaceId, { pages }] = [...this.stores].reduce((most, each) =>
        each[1].bytes > most[1].bytes ? each : most,
      );
      // Removes the least recently used tenth of the pages of the largest store.
      for (const key of [...pages.keys()].slice(0, Math.ceil(pages.size / 10))) this.remove(workspaceId, key);
    }
  }

  private remove(workspaceId: string, key: string): void {
    const store = this.stores.get(workspaceId);
    const entry = store?.pages.get(key);
    if (!store || !entry) return;
    store.pages.delete(key);
    store.bytes -= entry.size;
    this.bytes -= entry.size;
    if (store.pages.size === 0) this.stores.delete(workspaceId);
  }
}
