// The parts of SQL whose content must not be searched for keywords or semicolons: comments, strings and function
// bodies.
const OPAQUE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/g;

/** Returns the statements of a file, in lower case, without comments. Strings and function bodies become ''. */
export function splitStatements(text: string): string[] {
  return text
    .replace(OPAQUE, (part) => (part.startsWith('--') || part.startsWith('/*') ? ' ' : "''"))
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim().toLowerCase())
    .filter(Boolean);
}

/** Splits at commas that are not inside parentheses. */
export function splitClauses(text: string): string[] {
  const clauses = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (char === ',' && depth === 0) clauses.push('');
    else clauses[clauses.length - 1] += char;
  }
  return clauses.map((clause) => clause.trim()).filter(Boolean);
}
