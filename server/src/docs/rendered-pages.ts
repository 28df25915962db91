import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderPage } from '../platform/html/page.js';

/** One page as HTML and as Markdown. */
export interface Content {
  /** The path of the page. Undefined if the page must not be cached, because it contains an access token. */
  path: string | undefined;
  page: () => VNode;
  markdown: () => string;
}

/**
 * Caches the HTML of pages that have a path. Such a page does not change while the server runs, and rendering the
 * largest ones takes 5 to 20 ms.
 */
export class RenderedPages {
  private readonly pages = new Map<string, string>();

  send(request: FastifyRequest, reply: FastifyReply, content: Content): FastifyReply {
    if (wantsMarkdown(request)) return sendMarkdown(reply, content.markdown());
    return reply.type('text/html; charset=utf-8').send(this.htmlOf(content));
  }

  private htmlOf({ path, page }: Content): string {
    if (path === undefined) return renderPage(page());
    const html = this.pages.get(path) ?? renderPage(page());
    this.pages.set(path, html);
    return html;
  }
}

export function sendMarkdown(reply: FastifyReply, markdown: string): FastifyReply {
  return reply.type('text/markdown; charset=utf-8').send(markdown);
}

function wantsMarkdown({ url, headers }: FastifyRequest): boolean {
  return /\.md(\?|$)/.test(url) || headers.accept?.includes('text/markdown') === true;
}
