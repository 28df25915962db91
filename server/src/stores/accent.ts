/** The contrast ratio that WCAG requires for text (level AA). Borders and icons need less (3:1). */
const TEXT_CONTRAST = 4.5;
const STEP = 0.02;

type Color = [red: number, green: number, blue: number];

const WHITE: Color = [255, 255, 255];
const BLACK: Color = [0, 0, 0];

/**
 * `papers`: the backgrounds of tokens.css (--paper, --ground, --sunk). `soft`: the share of the accent in
 * --accent-soft. `towards`: the color that is mixed into an accent with too little contrast, and into every accent to
 * get --accent-hover. `hover`: the share of `towards` in --accent-hover. `ink`: the color of text on the accent.
 */
const SCHEMES = {
  light: { papers: ['ffffff', 'f7f9f8', 'f0f4f2'], soft: 0.1, towards: BLACK, ink: 'ffffff', hover: 0.2 },
  dark: { papers: ['18211f', '101715', '131c1a'], soft: 0.16, towards: WHITE, ink: '0a100f', hover: 0.25 },
};

const ACCENT_COLOR = /^[0-9a-f]{6}$/;

/** Parses "#C2410C" or "c2410c" and returns the stored form, or undefined if the text is not a color. */
export function readAccentColor(text: string): string | undefined {
  const color = text.trim().replace(/^#/, '').toLowerCase();
  return ACCENT_COLOR.test(color) ? color : undefined;
}

/**
 * Returns the address of the style sheet for a color. It is a separate file, because the content security policy
 * allows no inline styles.
 */
export function accentUrl(color: string): string {
  return `/assets/accent/${color}.css`;
}

/**
 * Returns the style sheet that replaces the accent tokens of tokens.css. A color that would be hard to read is
 * darkened, or lightened for dark pages, until text in that color has enough contrast on every background.
 */
export function accentStyles(color: string): string {
  const light = accentsOf(color, 'light');
  const dark = accentsOf(color, 'dark');
  const tokens = (Object.keys(light) as (keyof Accents)[]).map(
    (name) => `--${name}:light-dark(#${light[name]},#${dark[name]})`,
  );
  return `@layer tokens{:root{${tokens.join(';')}}}\n`;
}

interface Accents {
  accent: string;
  'accent-hover': string;
  'accent-ink': string;
  'accent-soft': string;
}

function accentsOf(color: string, scheme: keyof typeof SCHEMES): Accents {
  const { papers, soft, towards, ink, hover } = SCHEMES[scheme];
  const paper = parse(papers[0] as string);
  const given = parse(color);
  const softOf = (accent: Color) => mix(paper, accent, soft);
  const isReadable = (accent: Color) =>
    [...papers.map(parse), softOf(accent)].every((ground) => contrast(accent, ground) >= TEXT_CONTRAST);
  let accent = given;
  for (let part = STEP; !isReadable(accent) && part < 1; part += STEP) accent = mix(given, towards, part);
  return {
    accent: format(accent),
    'accent-hover': format(mix(accent, towards, hover)),
    'accent-ink': ink,
    'accent-soft': format(softOf(accent)),
  };
}

function parse(color: string): Color {
  return [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as Color;
}

function format(color: Color): string {
  return color.map((part) => part.toString(16).padStart(2, '0')).join('');
}

function mix(from: Color, to: Color, part: number): Color {
  return from.map((value, at) => Math.round(value + ((to[at] as number) - value) * part)) as Color;
}

/** Returns the contrast ratio of two colors as defined by WCAG 2. */
function contrast(a: Color, b: Color): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Color): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Color;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
