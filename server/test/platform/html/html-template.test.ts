import fc from 'fast-check';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { attribute, html } from '../../../src/platform/html/html-template.js';

const SCRIPT = `<script>alert("1")</script>&amp;`;
const ESCAPED = '&lt;script>alert(&quot;1&quot;)&lt;/script>&amp;amp;';

test('a template escapes every value, in text, in attributes, in lists and in parts of templates', () => {
  const part = html`<b title="${SCRIPT}"${attribute('lang', SCRIPT)}>${[SCRIPT, html`<i>${SCRIPT}</i>`]}</b>`;
  expect(renderToString(html`<p>${part}</p>`)).toBe(
    `<p><b title="${ESCAPED}" lang="${ESCAPED}">${ESCAPED}<i>${ESCAPED}</i></b></p>`,
  );
});

test('a template returns the same HTML as JSX for any values', () => {
  const value = fc.oneof(
    fc.string(),
    fc.stringMatching(/^["'&<>=/ a]*$/),
    fc.integer(),
    fc.constantFrom(null, undefined, true, false),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^["'&<>=/ aé\n]+$/), fc.array(value), (title, children) => {
      const jsx = h('p', { title, lang: undefined, alt: '' }, children, h('br', {}));
      const template = html`
        <p title="${title}"${attribute('lang', undefined)}${attribute('alt', '')}>
          ${children}
          ${h('br', {})}
        </p>`;
      expect(renderToString(template)).toBe(renderToString(jsx));
    }),
  );
});

test('a template cannot be used where escaping has no effect: as a name, or as a value without double quotes', () => {
  const use = (value: string) => [
    () => html`<a ${value}>x</a>`,
    () => html`<a href=${value}>x</a>`,
    () => html`<a href='${value}'>x</a>`,
    () => html`<a title="a > b"${value}>x</a>`,
    () => html`<${value}>x</a>`,
  ];
  for (const template of use('x onclick=alert(1)')) expect(template).toThrow('must be in double quotes');
  expect(() => html`<a title="a > b" href="${'x'}">${'x'}</a>`).not.toThrow();
});

test('HTML cannot be used in the quotes of an attribute, and no value in a script or a style', () => {
  const part = html`<b class="x">y</b>`;
  for (const value of [part, [part], h('b', { class: 'x' })])
    expect(() => html`<a title="${value}">x</a>`).toThrow('must be text, not HTML');
  for (const template of [() => html`<script>${'x'}</script>`, () => html`<p><style>p {${part}}</style></p>`])
    expect(template).toThrow('cannot contain values');
  expect(
    () => html`<script src="${'x'}"></script>${part}<style>p { color: red }</style>${'x'}`,
  ).not.toThrow();
});

test('text that looks like the result of a template is still escaped or ignored', () => {
  const forged = JSON.parse('{"type":"b","props":{"tpl":["<script>"]},"key":null}') as never;
  expect(renderToString(html`<p>${forged}</p>`)).toBe('<p></p>');
});
