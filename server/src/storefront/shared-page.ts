import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderPage, sendPage } from '../platform/html/page.js';
import type { PageCache, RenderedPage } from '../platform/html/page-cache.js';
import { matchesTag } from '../platform/http/etag.js';
import type { Visit } from './pages/shell.js';

/** Identifies a page that is the same for every visitor with an empty cart and the same language. */
export interface SharedPage {
  cache: PageCache;
  key: string;
  /** The version of everything that the page shows besides the shop itself. */
  version: string;
}

/**
 * Returns whether the cart is empty and any version of the page is cached. If not, there is no need to look up the
 * current version, because no cached page can be sent.
 */
export function mayBeCached(visit: Visit, { cache, key }: Omit<SharedPage, 'version'>): boolean {
  return isShared(visit) && cache.has(visit.shop.workspaceId, keyOf(visit, key));
}

/** Sends the cached page if the cart is empty and the page has the current version. Returns undefined otherwise. */
export function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  { cache, key, version }: SharedPage,
): FastifyReply | undefined {
  if (!isShared(visit)) return undefined;
  const page = cache.find(visit.shop.workspaceId, keyOf(visit, key), versionOf(visit, version));
  return page && sendRendered(request, reply, page);
}

/** Renders and sends the page. Caches it for other visitors if the cart of this visitor is empty. */
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

/** Pages can be shared only while the cart is empty, because their header shows the number of units in the cart. */
function isShared({ units }: Visit): boolean {
  return units === 0;
}

function keyOf({ language }: Visit, key: string): string {
  return `${language} ${key}`;
}

/** Changes to the shop itself do not change `version`, so the details of the shop that pages show are added to it. */
function versionOf({ shop }: Visit, version: string): string {
  return `${version} ${shop.name} ${shop.accentColor}`;
}

/** Browsers may store the page but must revalidate it each time, because prices and stock may have changed. */
function sendRendered(request: FastifyRequest, reply: FastifyReply, { bytes, etag }: RenderedPage) {
  reply
    .header('cache-control', 'no-cache')
    .header('vary', 'cookie, accept-language')
    .header('etag', etag)
    .type('text/html; charset=utf-8');
  const isCurrent = matchesTag(request.headers['if-none-match'], etag);
  // For HEAD, the body is passed even with 304: the framework measures it for Content-Length but does not send it.
  return reply.code(isCurrent ? 304 : 200).send(isCurrent && request.method !== 'HEAD' ? undefined : bytes);
}
