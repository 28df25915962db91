import { createHash } from 'node:crypto';

/**
 * SQL written as SQL. A statement without fragments is named after its text, so that PostgreSQL parses and plans it
 * once per connection; one put together from fragments is planned anew each time, which a search needs anyway: a
 * generic plan cannot know how rare the searched word is.
 */
export class Statement {
  readonly text: string;
  readonly name: string | undefined;

  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
    prepared?: { text: string; name: string },
  ) {
    this.text = prepared?.text ?? numbered(strings);
    this.name = prepared?.name;
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
  const [first, ...rest] = fragments;
  if (!first) return new Statement([''], []);
  return rest.reduce((all, fragment) => append(append(all, new Statement([separator], [])), fragment), first);
}

/** A composed statement that has few forms and no plan that depends on its values may be prepared as well. */
export function prepared(statement: Statement): Statement {
  return new Statement(statement.strings, statement.values, {
    text: statement.text,
    name: nameOf(statement.text),
  });
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

const preparedTexts = new WeakMap<TemplateStringsArray, { text: string; name: string }>();

function composed(strings: readonly string[], parts: readonly unknown[]): Statement {
  let all = new Statement([strings[0] ?? ''], []);
  parts.forEach((part, index) => {
    const piece = part instanceof Statement ? part : new Statement(['', ''], [part]);
    all = append(append(all, piece), new Statement([strings[index + 1] ?? ''], []));
  });
  return all;
}

function append(left: Statement, right: Statement): Statement {
  const seam = (left.strings.at(-1) ?? '') + (right.strings[0] ?? '');
  return new Statement(
    [...left.strings.slice(0, -1), seam, ...right.strings.slice(1)],
    [...left.values, ...right.values],
  );
}

function numbered(strings: readonly string[]): string {
  return strings.reduce((text, part, index) => `${text}$${index}${part}`);
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
