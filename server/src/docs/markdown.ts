import { Marked, type Token, type Tokens } from 'marked';
import { codeFigure, escapeHtml } from './highlight.js';

export interface Heading {
  depth: number;
  id: string;
  text: string;
}

/** The text below one heading, as the search indexes it. */
export interface Section extends Heading {
  body: string;
}

export interface Rendered {
  /** The text of the first heading. */
  title: string;
  /** The first paragraph, without markup. */
  description: string;
  html: string;
  sections: Section[];
}

/** Renders a page of the documentation. Raw HTML in it is shown as text. */
export function renderMarkdown(markdown: string, linkTo: (href: string) => string): Rendered {
  const sections: Section[] = [];
  const ids = new Set<string>();
  const marked = new Marked({
    renderer: {
      html: ({ raw }) => escapeHtml(raw),
      code: (token) => codeFigure(token.text, languageOf(token), attributesOf(token).title),
      heading(token) {
        const { depth, text, tokens } = token;
        const id = uniqueId(plain(text), ids);
        sections.push({ depth, id, text: plain(text), body: '' });
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${inner}</h1>\n`;
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`;
      },
      link(token) {
        return `<a href="${escapeHtml(linkTo(token.href))}">${this.parser.parseInline(token.tokens)}</a>`;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const html = groupsOf(tokens)
    .map((group) => {
      const part = group.map((token) => partOf(marked, token, sections)).filter((each) => each !== '');
      return 'tab' in attributesOf(group[0]) ? tabs(group as Tokens.Code[], part) : part.join('');
    })
    .join('');
  const first = tokens.find(({ type }) => type === 'paragraph') as Tokens.Paragraph | undefined;
  return { title: sections[0]?.text ?? '', description: plain(first?.text ?? ''), html, sections };
}

function partOf(marked: Marked, token: Token, sections: Section[]): string {
  const html = marked.parser([token]);
  const current = sections.at(-1);
  // Code blocks are not indexed, because they would only add noise to the search results.
  if (current && token.type !== 'heading' && token.type !== 'code') current.body += `${plain(token.raw)} `;
  // A wide table scrolls in its own box, which must be reachable by keyboard.
  if (token.type === 'table')
    return `<div class="table" tabindex="0" role="region" aria-label="${escapeHtml(current?.text ?? 'Table')}: table">${html}</div>`;
  return html;
}

/** Groups adjacent code blocks that have a tab name. Every other token is a group of its own. */
function groupsOf(tokens: Token[]): Token[][] {
  const groups: Token[][] = [];
  for (const token of tokens.filter(({ type }) => type !== 'space')) {
    const last = groups.at(-1);
    if ('tab' in attributesOf(token) && last && 'tab' in attributesOf(last[0])) last.push(token);
    else groups.push([token]);
  }
  return groups;
}

/** The tabs are radio buttons, so they work without a script. */
function tabs(group: Tokens.Code[], parts: string[]): string {
  const name = `tab-${uniqueId(group[0]!.text.slice(0, 40), new Set())}`;
  const choices = group.map((token, index) => {
    const { tab } = attributesOf(token);
    const checked = index === 0 ? ' checked' : '';
    return `<label><input type="radio" name="${name}" value="${index + 1}"${checked}>${escapeHtml(tab!)}</label>`;
  });
  return `<fieldset class="tabs"><legend class="visually-hidden">Language</legend><div class="tab-names">${choices.join('')}</div>${parts.join('')}</fieldset>`;
}

/** Parses the words after the language of a code block, as in ```ts title=verify.ts tab=TypeScript */
export function attributesOf(token: Token | undefined): Record<string, string> {
  if (token?.type !== 'code') return {};
  const [, ...words] = ((token as Tokens.Code).lang ?? '').split(/\s+/);
  return Object.fromEntries(words.map((word) => word.split('=', 2) as [string, string]));
}

function languageOf({ lang = '' }: Tokens.Code): string {
  return lang.split(/\s+/, 1)[0]!;
}

function uniqueId(text: string, taken: Set<string>): string {
  const base =
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '') || 'section';
  let id = base;
  for (let number = 2; taken.has(id); number++) id = `${base}-${number}`;
  taken.add(id);
  return id;
}

/** Returns the text without most Markdown markup. */
function plain(markdown: string): string {
  return markdown
    .replace(/^```.*$/gm, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
