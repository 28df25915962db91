/** A search entry: a section of a guide, a call, or an error code. */
export interface Entry {
  path: string;
  title: string;
  /** The title of the page that contains the entry. */
  page: string;
  text: string;
}

export interface Hit extends Entry {
  excerpt: string;
}

const MAX_HITS = 20;
const MAX_CHARACTERS = 100;
const EXCERPT = 160;

/** Returns the best entries that contain every word. Matches in titles count most. */
export function search(entries: Entry[], query: string): Hit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_HITS)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.text, words[0]!) }));
}

function wordsOf(query: string): string[] {
  return query.slice(0, MAX_CHARACTERS).toLowerCase().split(/\s+/).filter(Boolean);
}

function scoreOf({ title, page, text }: Entry, words: string[]): number {
  const [inTitle, inPage, inText] = [title.toLowerCase(), page.toLowerCase(), text.toLowerCase()];
  let score = 0;
  for (const word of words) {
    const found =
      (inTitle === word ? 20 : 0) +
      (inTitle.includes(word) ? 10 : 0) +
      (inPage.includes(word) ? 3 : 0) +
      (inText.includes(word) ? 1 : 0);
    if (found === 0) return 0;
    score += found;
  }
  return score;
}

/** Returns the text around the first occurrence of the word, or the beginning if the text does not contain it. */
function excerptOf(text: string, word: string): string {
  // Remove list markers, which would look like part of a sentence in an excerpt of one line.
  const clean = text
    .replaceAll('`', '')
    .replace(/(^|\s)(?:-|\d\.) (?=\S)/g, '$1')
    .trim();
  const at = Math.max(0, clean.toLowerCase().indexOf(word) - EXCERPT / 3);
  const start = at === 0 ? 0 : clean.indexOf(' ', at) + 1;
  if (clean.length <= start + EXCERPT) return `${start > 0 ? '… ' : ''}${clean.slice(start)}`;
  const end = clean.lastIndexOf(' ', start + EXCERPT);
  return `${start > 0 ? '… ' : ''}${clean.slice(start, end)} …`;
}
