import { expect } from 'vitest';
import type { StoreClient } from './feira.js';

export interface FeedPage {
  data: {
    id: string;
    sequence: number;
    event: string;
    workspaceId: string;
    data: { id: string; name?: string };
    createdAt: string;
  }[];
  meta: { limit: number; hasMore: boolean; nextCursor: string };
}

/** Reads a page of the events of the store. */
export async function readFeed(
  store: StoreClient,
  query: { after?: string; limit?: number } = {},
): Promise<FeedPage> {
  const text = new URLSearchParams(query as Record<string, string>);
  const answer = await store.get(`/events?${text}`);
  expect(answer.status).toBe(200);
  return answer.body;
}
