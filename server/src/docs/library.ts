import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLoopbackUrl } from '../platform/http/public-address.js';
import { GUIDES } from './contents.js';
import { type Rendered, renderMarkdown } from './markdown.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LOCAL = 'http://localhost:3000';

/** A page written in Markdown. */
export interface Article extends Rendered {
  path: string;
  /** The path of the source file from the root of the repository. */
  source: string;
  markdown: string;
}

/** The Markdown pages. Each one is read and rendered on first use. */
export class Library {
  private readonly articles = new Map<string, Article>();

  constructor(private readonly publicUrl: string) {}

  guide(name: string): Article | undefined {
    return GUIDES.includes(name) ? this.read(`docs/guides/${name}.md`) : undefined;
  }

  guides(): Article[] {
    return GUIDES.map((name) => this.read(`docs/guides/${name}.md`));
  }

  changelog(): Article {
    return this.read('CHANGELOG.md');
  }

  /** The instructions for coding assistants, as Markdown. */
  skill(): string {
    return this.local(readFileSync(`${ROOT}docs/SKILL.md`, 'utf8'));
  }

  private read(source: string): Article {
    const known = this.articles.get(source);
    if (known) return known;
    const markdown = this.local(readFileSync(ROOT + source, 'utf8'));
    const rendered = renderMarkdown(markdown, (href) => addressOf(href, source));
    const article = { ...rendered, path: addressOf(posix.basename(source), source), source, markdown };
    this.articles.set(source, article);
    return article;
  }

  /**
   * The examples contain the default address of a local server. A local server replaces it with its own address, and a
   * public one leaves it as it is.
   */
  private local(markdown: string): string {
    return isLoopbackUrl(this.publicUrl) ? markdown.replaceAll(LOCAL, this.publicUrl) : markdown;
  }
}

/** Turns links between files of the repository into links between pages. */
function addressOf(href: string, source: string): string {
  const [file = '', anchor] = href.split('#', 2);
  if (file === '' || !file.endsWith('.md') || /^[a-z]+:|^\//.test(file)) return href;
  const target = posix.join(posix.dirname(source), file);
  const path = target === 'CHANGELOG.md' ? '/docs/changelog' : `/${target.replace(/\.md$/, '')}`;
  return anchor === undefined ? path : `${path}#${anchor}`;
}
