/** The widths of the five elements of each digit: two are wide (w), three are narrow (n). */
const DIGITS = ['nnwwn', 'wnnnw', 'nwnnw', 'wwnnn', 'nnwnw', 'wnwnn', 'nwwnn', 'nnnww', 'wnnwn', 'nwnwn'];
const START = [1, 1, 1, 1];
const STOP = [3, 1, 1];
/**
 * A wide element is three times as wide as a narrow one. Scanners need an empty margin on each side, at least as wide
 * as ten narrow elements.
 */
const WIDE = 3;
const MARGIN = 10;
const HEIGHT = 60;

/**
 * Draws an even number of digits as Interleaved 2 of 5, the barcode of boletos. The bars encode the first digit of each
 * pair, and the spaces between them the second.
 */
export function interleaved2of5(digits: string): string {
  const widths = [...START, ...(digits.match(/\d\d/g) ?? []).flatMap(pairWidths), ...STOP];
  let at = MARGIN;
  let bars = '';
  for (const [index, width] of widths.entries()) {
    if (index % 2 === 0) bars += `M${at} 0h${width}v${HEIGHT}h-${width}z`;
    at += width;
  }
  const size = `${at + MARGIN} ${HEIGHT}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" shape-rendering="crispEdges" preserveAspectRatio="none"><path fill="#fff" d="M0 0h${at + MARGIN}v${HEIGHT}H0z"/><path d="${bars}"/></svg>`;
}

function pairWidths(pair: string): number[] {
  const [bars, spaces] = [...pair].map((digit) => DIGITS[Number(digit)]!);
  return [...bars!].flatMap((bar, at) => [widthOf(bar), widthOf(spaces![at]!)]);
}

function widthOf(letter: string): number {
  return letter === 'w' ? WIDE : 1;
}
