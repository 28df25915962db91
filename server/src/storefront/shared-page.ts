import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderPage, sendPage } from '../platform/html/page.js';
import type { PageCache, RenderedPage } from '../platform/html/page-cache.js';
import { matchesTag } from '../platform/http/etag.js';
import type { Visit } from './pages/shell.js';

/** Identifies a page that is the same for every visitor with an empty cart. */
export interface SharedPage {
  cache: PageCache;
  key: string;
  /** The version of what the page shows besides the shop itself. */
  version: string;
}

/** Whether any version of the page is cached, so that reading the current version can help. */
export function mayBeKept(visit: Visit, { cache, key }: Omit<SharedPage, 'version'>): boolean {
  return isShared(visit) && cache.has(visit.shop.workspaceId, keyOf(visit, key));
}

/** Sends the page if it was rendered before and is still current. */
export function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  { cache, key, version }: SharedPage,
): FastifyReply | undefined {
  if (!isShared(visit)) return undefined;
  const page = cache.find(visit.shop.workspaceId, keyOf(visit, key), versionOf(visit, version));
  return page && sendRendered(request, reply, page);
}

/** Renders and sends the page, and caches it for other visitors unless it shows a cart. */
export function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  { cache, key, version }: SharedPage,
  page: VNode,
): FastifyReply {
  if (!isShared(visit)) return sendPage(reply, page);
  const { workspaceId } = visit.shop;
  const html = renderPage(page);
  return sendRendered(
    request,
    reply,
    cache.keep(workspaceId, keyOf(visit, key), versionOf(visit, version), html),
  );
}

/** The header of every page shows how many units are in the cart. */
function isShared({ units }: Visit): boolean {
  return units === 0;
}

function keyOf({ language }: Visit, key: string): string {
  return `${language} ${key}`;
}

/** No event reports a change of the shop itself, so what pages show of it is part of the version. */
function versionOf({ shop }: Visit, version: string): string {
  return `${version} ${shop.name} ${shop.accentColor}`;
}

/** A browser may keep the page and asks each time whether it is still current, as prices and stock may have changed. */
function sendRendered(request: FastifyRequest, reply: FastifyReply, { bytes, etag }: RenderedPage) {
  reply
    .header('cache-control', 'no-cache')
    .header('vary', 'cookie, accept-language')
    .header('etag', etag)
    .type('text/html; charset=utf-8');
  const isCurrent = matchesTag(request.headers['if-none-match'], etag);
  // The framework removes the body of an answer to HEAD itself, and fails if there is none.
  return reply.code(isCurrent ? 304 : 200).send(isCurrent && request.method !== 'HEAD' ? undefined : bytes);
}
