import { type ComponentChildren, isValidElement, type VNode } from 'preact';
import { jsxEscape, jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';

/**
 * Creates HTML from a template, for pages that are rendered so often that JSX takes too long: JSX allocates an object
 * for each element and inspects every attribute, even if they are always the same. The result can be used in JSX and in
 * other templates.
 *
 * As in JSX, all values are escaped, except HTML that was itself created by a template or by JSX, and null, undefined
 * and booleans are shown as nothing. A line break in the template is removed together with the indentation after it, or
 * replaced by a space between two attributes. An attribute that can be missing is written with attribute().
 */
export function html(template: TemplateStringsArray, ...values: ComponentChildren[]): VNode {
  const { texts, places } = templates.get(template) ?? prepare(template);
  let out = texts[0] as string;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    const place = places[at] as Place;
    if (place !== 'text' && value && !isAllowed(value, place)) throw new Error(RULES[place]);
    out += htmlOf(value) + (texts[at + 1] as string);
  }
  return verbatim(out);
}

/** Returns an attribute with a space before it, or nothing if the value is undefined. */
export function attribute(name: string, value: string | undefined): VNode | undefined {
  if (value === undefined) return undefined;
  return verbatim(value === '' ? ` ${name}` : ` ${name}="${jsxEscape(value)}"`);
}

/** Inserts text into a page without escaping it. The text must be HTML that contains no unescaped input. */
export function verbatim(text: string): VNode {
  return new Html(text) as unknown as VNode;
}

/**
 * A node of Preact that consists of HTML. It inherits the many properties of a node, because setting them for each part
 * of a page took a tenth of the time of the page.
 */
class Html {
  constructor(readonly text: string) {}

  get props() {
    return { tpl: [this.text] };
  }
}

// Preact recognizes its nodes by the value of `constructor`, so the one of the class must not hide it.
Reflect.deleteProperty(Html.prototype, 'constructor');
Object.setPrototypeOf(Html.prototype, jsxTemplate([]));

/** Returns the HTML of anything that JSX or a template can contain. */
function htmlOf(value: ComponentChildren): string {
  if (typeof value === 'string') return jsxEscape(value) as string;
  if (typeof value === 'number') return String(value);
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.reduce<string>((out, each) => out + htmlOf(each), '');
  return isValidElement(value) ? renderToString(value) : '';
}

/** Where a value is inserted: between tags, in a tag, in the double quotes of an attribute, or in a script or style. */
type Place = 'text' | 'tag' | 'quotes' | 'script';

/** Escaping has no effect in a tag or a script, and HTML is not escaped, so its quotes would end an attribute. */
const RULES = {
  tag: 'A value inside a tag must be in double quotes or HTML that attribute() has returned',
  quotes: 'A value in double quotes must be text, not HTML',
  script: 'A script or style cannot contain values',
};

function isAllowed(value: ComponentChildren, place: Place): boolean {
  if (place === 'tag') return value instanceof Html;
  return place === 'quotes' && typeof value !== 'object';
}

interface Template {
  texts: string[];
  /** The place of each value. */
  places: Place[];
}

/** The array that a template tag receives is the same each time the same line of code runs. */
const templates = new WeakMap<TemplateStringsArray, Template>();

function prepare(template: TemplateStringsArray): Template {
  let before = '';
  const places: Place[] = [];
  const texts = template.map((source) => {
    const start = before;
    const text = source.replace(/\n\s*/g, (_, at: number) =>
      placeAfter(start + source.slice(0, at)) === 'tag' ? ' ' : '',
    );
    before += text;
    places.push(placeAfter(before));
    return text;
  });
  const prepared = { texts, places };
  templates.set(template, prepared);
  return prepared;
}

/** Returns the place of a value that follows this HTML. */
function placeAfter(before: string): Place {
  const openTag = /<[^>"]*(?:"[^"]*"[^>"]*)*("[^"]*)?$/.exec(before);
  if (openTag) return openTag[1] === undefined ? 'tag' : 'quotes';
  return /<(script|style)\b(?!.*<\/\1)/s.test(before) ? 'script' : 'text';
}
