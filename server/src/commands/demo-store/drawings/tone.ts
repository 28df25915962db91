/** A color with two darker shades and a lighter one, for the shadows and highlights of a drawing. */
export interface Tone {
  main: string;
  dark: string;
  darker: string;
  light: string;
}

/**
 * A function that draws a product inside a square with sides of 1,000 units. The base of most products is at about
 * y = 860.
 */
export type Drawing = (tone: Tone) => string;

export function toneOf(hex: string): Tone {
  return {
    main: hex,
    dark: mix(hex, '#1a1a22', 0.2),
    darker: mix(hex, '#1a1a22', 0.42),
    light: mix(hex, '#ffffff', 0.35),
  };
}

/** Mixes two colors. A share of 0 gives the first color, and a share of 1 the second. */
export function mix(from: string, to: string, share: number): string {
  const channel = (at: number) => {
    const [a, b] = [from, to].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16)) as [number, number];
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

/** Returns a soft highlight along the left side of a round object. */
export function shine(x: number, y: number, width: number, height: number): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${width / 2}" fill="#fff" opacity=".28"/>`;
}
