import { hash } from 'node:crypto';

/**
 * SQL written as SQL. A statement without fragments is named after its text, so that PostgreSQL parses and plans it
 * once per connection; one put together from fragments is planned anew each time, which a search needs anyway: a
 * generic plan cannot know how rare the searched word is.
 */
export class Statement {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
    private readonly prepared?: { text: string; name: string },
  ) {}

  get text(): string {
    return this.prepared?.text ?? numbered(this.strings);
  }

  get name(): string | undefined {
    return this.prepared?.name;
  }
}

export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Statement {
  if (parts.some((part) => part instanceof Statement)) return composed(strings, parts);
  let prepared = preparedTexts.get(strings);
  if (!prepared) {
    const text = numbered(strings);
    prepared = { text, name: nameOf(text) };
    preparedTexts.set(strings, prepared);
  }
  return new Statement(strings, parts, prepared);
}

export function joined(fragments: Statement[], separator: string): Statement {
  const between = Array.from({ length: Math.max(0, fragments.length - 1) }, () => separator);
  return composed(['', ...between, ''], fragments);
}

/** A composed statement that has few forms and no plan that depends on its values may be prepared as well. */
export function prepared(statement: Statement): Statement {
  const { text } = statement;
  return new Statement(statement.strings, statement.values, { text, name: nameOf(text) });
}

/**
 * A composed statement whose text is always the same is put together once: `build` is called with stand-ins, and each
 * later call only fills in its values. Composing the product detail anew cost a fifth of the request.
 */
export function fixed<Args extends unknown[]>(
  build: (...args: Args) => Statement,
): (...args: Args) => Statement {
  const standIns = Array.from({ length: build.length }, () => ({}));
  const { strings, values, text } = build(...(standIns as Args));
  const order = values.map((value) => standIns.indexOf(value as object));
  if (order.includes(-1))
    throw new Error(`a fixed statement takes its values from its arguments only: ${text}`);
  const kept = { text, name: nameOf(text) };
  return (...args) =>
    new Statement(
      strings,
      order.map((index) => args[index]),
      kept,
    );
}

/** Text that is SQL itself: column names and directions chosen from our own tables, never from input. */
export function raw(text: string): Statement {
  return new Statement([text], []);
}

/** Ids, or whole numbers, as PostgreSQL writes an array of them. pg would look each through for what must be quoted. */
export function arrayOf(values: (string | number)[]): string {
  return `{${values.join(',')}}`;
}

const preparedTexts = new WeakMap<TemplateStringsArray, { text: string; name: string }>();

function composed(strings: readonly string[], parts: readonly unknown[]): Statement {
  const texts = [strings[0] ?? ''];
  const values: unknown[] = [];
  const seam = (text: string) => {
    texts[texts.length - 1] += text;
  };
  parts.forEach((part, index) => {
    if (part instanceof Statement) {
      seam(part.strings[0] ?? '');
      texts.push(...part.strings.slice(1));
      values.push(...part.values);
    } else {
      texts.push('');
      values.push(part);
    }
    seam(strings[index + 1] ?? '');
  });
  return new Statement(texts, values);
}

function numbered(strings: readonly string[]): string {
  return strings.reduce((text, part, index) => `${text}$${index}${part}`);
}

function nameOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}
