import { hash } from 'node:crypto';

/**
 * SQL written as SQL. A statement without fragments is named after its text, so that PostgreSQL parses and plans it
 * once per connection. One composed of fragments is planned at each use, which a search needs anyway: a generic plan
 * cannot know how rare the searched word is.
 */
export class Statement {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
    private readonly prepared?: { text: string; name: string },
    /** Result columns that hold JSON text to be sent on as it is: a driver may deliver their bytes undecoded. */
    readonly rawColumns?: readonly string[],
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
  const { text, strings, values, rawColumns } = statement;
  return new Statement(strings, values, { text, name: nameOf(text) }, rawColumns);
}

/** `expression as name`, where the result is JSON text that goes out as it is: it arrives as `string | Buffer`. */
export function rawJson(expression: Statement, name: string): Statement {
  const { strings, values } = composed(['', ` as "${name}"`], [expression]);
  return new Statement(strings, values, undefined, [name]);
}

/**
 * A composed statement whose text is always the same is composed once: `build` is called with placeholders, and each
 * later call only fills in its values. Composing the product detail at each call cost a fifth of the request.
 */
export function fixed<Args extends unknown[]>(
  build: (...args: Args) => Statement,
): (...args: Args) => Statement {
  const placeholders = Array.from({ length: build.length }, () => ({}));
  const { strings, values, text, rawColumns } = build(...(placeholders as Args));
  const order = values.map((value) => placeholders.indexOf(value as object));
  if (order.includes(-1))
    throw new Error(`a fixed statement takes its values from its arguments only: ${text}`);
  const kept = { text, name: nameOf(text) };
  return (...args) =>
    new Statement(
      strings,
      order.map((index) => args[index]),
      kept,
      rawColumns,
    );
}

/** Text that is SQL itself: column names and directions chosen from our own tables, never from input. */
export function raw(text: string): Statement {
  return new Statement([text], []);
}

/** Ids, or whole numbers, as a PostgreSQL array literal. pg would search each of them for characters to quote. */
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
  const raw = parts.flatMap((part) => (part instanceof Statement && part.rawColumns) || []);
  return new Statement(texts, values, undefined, raw.length > 0 ? raw : undefined);
}

function numbered(strings: readonly string[]): string {
  return strings.reduce((text, part, index) => `${text}$${index}${part}`);
}

function nameOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}
