import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { verbatim } from './html-template.js';

/**
 * Keeps the HTML of parts of pages that are the same for many visitors, because rendering takes most of the time of a
 * large form. The key must contain everything on which the part depends.
 */
export class KeptHtml {
  private readonly parts = new Map<string, string>();

  /** If there are more parts than `most`, the oldest is removed, because visitors choose what some keys contain. */
  constructor(private readonly most: number) {}

  of(key: string, part: () => VNode): VNode {
    return verbatim(this.parts.get(key) ?? this.keep(key, renderToString(part())));
  }

  private keep(key: string, html: string): string {
    this.parts.set(key, html);
    if (this.parts.size > this.most) this.parts.delete(this.parts.keys().next().value as string);
    return html;
  }
}
