type Kind = 'comment' | 'string' | 'number' | 'keyword';

interface Syntax {
  comment?: string;
  string: string;
  keyword: string;
}

const QUOTED = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
const WORDS =
  'const|let|import|from|export|async|await|function|return|if|else|for|of|new|throw|try|catch|class';

const SCRIPT: Syntax = {
  comment: String.raw`//.*|/\*[\s\S]*?\*/`,
  string: `${QUOTED}|\`(?:\\\\.|[^\`\\\\])*\``,
  keyword: String.raw`\b(?:${WORDS}|type|interface|string|number|boolean|true|false|null|undefined|while|process)\b`,
};

const SYNTAX: Record<string, Syntax> = {
  sh: {
    comment: String.raw`(?<=^|\s)#.*`,
    string: QUOTED,
    keyword: String.raw`\$\{[^}]+\}|\$\w+|(?<=^|[|;&(]\s*|\s)(?:curl|export|npx|npm|node|python3|php|openssl|until|while|do|done|if|then|fi|git|cd)(?=\s|$)`,
  },
  json: { string: QUOTED, keyword: String.raw`\b(?:true|false|null)\b` },
  ts: SCRIPT,
  js: SCRIPT,
  python: {
    comment: '#.*',
    string: QUOTED,
    keyword: String.raw`\b(?:import|from|def|return|if|elif|else|for|in|while|not|and|or|with|as|class|raise|try|except|True|False|None|print|assert)\b`,
  },
  php: {
    comment: '//.*|#.*',
    string: QUOTED,
    keyword: String.raw`<\?php|\$\w+|\b(?:function|return|if|else|foreach|as|echo|exit|true|false|null|new)\b`,
  },
};

const NAMES: Record<string, string> = {
  sh: 'Shell',
  json: 'JSON',
  js: 'JavaScript',
  ts: 'TypeScript',
  output: 'Output',
  text: 'Example',
};

/** Renders a code block. It may scroll horizontally, so it must be reachable by keyboard. */
export function codeFigure(code: string, language: string, title?: string): string {
  const caption = escapeHtml(title ?? NAMES[language] ?? 'Code');
  return `<figure class="code${language === 'output' ? ' output' : ''}"><figcaption>${caption}</figcaption><pre tabindex="0"><code>${highlight(code, language)}</code></pre></figure>\n`;
}

/**
 * Returns the code as HTML with highlighting. The patterns are simple, but sufficient for short examples, and need
 * neither a library nor a script in the browser.
 */
function highlight(code: string, language: string): string {
  const syntax = SYNTAX[language];
  if (!syntax) return escapeHtml(code);
  const kinds: [Kind, string][] = [
    ...(syntax.comment === undefined ? [] : [['comment', syntax.comment] as [Kind, string]]),
    ['string', syntax.string],
    ['keyword', syntax.keyword],
    ['number', String.raw`\b\d+(?:\.\d+)?\b`],
  ];
  const pattern = new RegExp(kinds.map(([kind, source]) => `(?<${kind}>${source})`).join('|'), 'gm');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const kind = kinds.find(([name]) => match.groups?.[name] !== undefined)?.[0];
    html += `${escapeHtml(code.slice(end, match.index))}<span class="c-${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
