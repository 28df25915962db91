import { Alert, Field } from '../../platform/html/page.js';
import { DocsPage, type Navigation } from './layout.js';

const COLORS = [
  ['ink', 'Text'],
  ['soft', 'Secondary text'],
  ['line', 'Lines between components; never the only border of a control'],
  ['edge', 'Borders of controls, with a contrast of at least 3:1'],
  ['paper', 'Surfaces'],
  ['ground', 'Background'],
  ['sunk', 'Recessed areas, code'],
  ['accent', 'Links, main buttons and focus. A shop can set its own color'],
  ['accent-soft', 'Selected choices'],
  ['danger', 'Errors and destructive actions'],
  ['alert', 'Background of errors'],
  ['few', 'Warnings, low stock'],
  ['good', 'Confirmations'],
  ['info', 'Neutral information'],
] as const;

/** The tokens that all pages share and the components of Feira's own pages, rendered with the real style sheets. */
export function DesignPage({ navigation }: { navigation: Navigation }) {
  return (
    <DocsPage
      navigation={navigation}
      path="/docs/design"
      title="Design system"
      description="The colors and type that all pages share, and the components of the documentation, the console and the partner pages."
      styles={['docs/design.css']}
    >
      <h1>Design system</h1>
      <p class="lead">
        The tokens that all pages share, and the components of Feira's own pages: the documentation, the
        console and the partner pages.
      </p>
      <h2 id="files">Files</h2>
      <ul>
        <li>
          <code>tokens.css</code>: colors, type, radii and the focus ring, in the layers <code>tokens</code>{' '}
          and <code>base</code>, and, without a layer, the classes of the skip link and of visually hidden
          text. Every page loads it.
        </li>
        <li>
          <code>forms.css</code> and <code>feira.css</code>: the components below, in the layer{' '}
          <code>parts</code>. For Feira's own pages.
        </li>
        <li>
          <code>docs/</code> and <code>site.css</code>: the layouts of the documentation and of the landing
          page, in the layer <code>layout</code>.
        </li>
        <li>
          <code>shop/</code>: shops, checkout and payment. These files have no layer, so their rules override
          those in layers. For a shop with a color of its own, a style sheet replaces the tokens that begin
          with <code>--accent</code>. The color is adjusted until text in this color has enough contrast.
        </li>
      </ul>
      <h2 id="rules">Rules</h2>
      <ul>
        <li>
          Light and dark mode come from <code>light-dark()</code> in the tokens. No style sheet has a media
          query for them.
        </li>
        <li>
          Text has a contrast of at least 4.5:1 with its background; borders of controls and the focus ring
          have at least 3:1.
        </li>
        <li>
          Controls are at least 44 px high, secondary controls in a row at least 36 px, and controls in the
          documentation at least 24 px.
        </li>
        <li>
          Native elements first: <code>details</code>, <code>dialog</code>, <code>popover</code>, radio
          buttons as tabs. Pages work without JavaScript. There is one script for the documentation (mainly
          copy buttons and “Try it”) and one for shops (copy buttons, and the current number of units in the
          cart after going back).
        </li>
        <li>At most 60 kB of style and script per page.</li>
      </ul>
      <h2 id="colors">Colors</h2>
      <ul class="swatches">
        {COLORS.map(([name, use]) => (
          <li key={name}>
            <span class={`swatch ${name}`} />
            <code>--{name}</code>
            <small>{use}</small>
          </li>
        ))}
      </ul>
      <h2 id="parts">Components</h2>
      <h3>Buttons</h3>
      <p class="actions">
        <button type="button">Save</button>
        <button type="button" class="second">
          Cancel
        </button>
        <button type="button" class="danger">
          Disconnect
        </button>
        <button type="button" class="quiet">
          Sign out
        </button>
      </p>
      <h3>Fields</h3>
      <Field name="sample" label="Name" hint="Screen readers announce the hint together with the field." />
      <h3>Messages</h3>
      <Alert>The e-mail address is not valid.</Alert>
      <p class="notice">Your changes are saved.</p>
      <p>
        <span class="tag">Tag</span> <span class="method get">GET</span> <span class="method post">POST</span>{' '}
        <span class="method patch">PATCH</span> <span class="method delete">DELETE</span>
      </p>
    </DocsPage>
  );
}
