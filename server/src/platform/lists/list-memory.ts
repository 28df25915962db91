import type { Tx } from '../db/share.js';
import type { Reached } from './cursor.js';
import { type CountedList, countBase } from './kept-count.js';

/** The position of a page: the page at `offset` begins after the record `after`. */
export interface Place {
  offset: number;
  after: Reached;
}

interface Known {
  version: string;
  places: Map<number, Reached>;
}

/** Positions are remembered from this offset on. Skipping fewer index entries costs almost nothing. */
const FIRST_REMEMBERED = 200;
/** All lists together hold at most 20,000 positions, about 4 MB. */
const MAX_LISTS = 100;
const MAX_PLACES = 200;
const MAX_TOTALS = 10_000;
/** This many results take about 6 MB if each has 50 ids. */
const MAX_RESULTS = 1_000;

/**
 * Remembers where pages of lists begin, and the results and totals of searches. Each entry is stored with the version
 * of the list, or of its search terms, at which it was read. The entry is valid only if the statement that reads a page
 * with it sees the same version. Changes by other processes are therefore noticed.
 */
export class ListMemory {
  private readonly lists = new Map<string, Known>();
  private readonly totals = new Map<string, { version: string; total: number }>();
  private readonly results = new Map<string, { version: string; ids: string[] }>();
  private readonly counting = new Set<string>();

  /** `background` is used for the one full count of each list. */
  constructor(private readonly background: Tx) {}

  /** Returns the nearest remembered position at or before `offset`, with the version for which it is valid. */
  placeBefore(key: string, offset: number): { place: Place; version: string } | undefined {
    if (offset < FIRST_REMEMBERED) return undefined;
    const known = this.lists.get(key);
    if (!known) return undefined;
    let nearest: Place | undefined;
    for (const [at, after] of known.places)
      if (at <= offset && at > (nearest?.offset ?? 0)) nearest = { offset: at, after };
    return nearest && { place: nearest, version: known.version };
  }

  rememberPlace(key: string, version: string, { offset, after }: Place): void {
    if (offset < FIRST_REMEMBERED) return;
    const known = this.lists.get(key);
    const places = known?.version === version ? known.places : new Map<number, Reached>();
    setLast(places, offset, after, MAX_PLACES);
    setLast(this.lists, key, { version, places }, MAX_LISTS);
  }

  totalOf(key: string): { version: string; total: number } | undefined {
    return this.totals.get(key);
  }

  rememberTotal(key: string, version: string, total: number): void {
    setLast(this.totals, key, { version, total }, MAX_TOTALS);
  }

  /** Returns the remembered ids of a page of a search, followed by the id of the next record if there is one. */
  resultOf(key: string): { version: string; ids: string[] } | undefined {
    return this.results.get(key);
  }

  rememberResult(key: string, version: string, ids: string[]): void {
    setLast(this.results, key, { version, ids }, MAX_RESULTS);
  }

  /**
   * Counts the list once. From then on, the database maintains its total. No caller waits for this count, and if it
   * fails, the next request for the list repeats it.
   */
  wantBase(workspaceId: string, list: CountedList): void {
    const key = `${workspaceId} ${list}`;
    if (this.counting.has(key)) return;
    this.counting.add(key);
    this.background
      .query(countBase(workspaceId, list))
      .catch(() => {})
      .finally(() => this.counting.delete(key));
  }
}

/** Sets an entry as the newest and removes the oldest if there are too many. */
function setLast<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as K);
}
