import { BitArray, Code128Reader, ITFReader } from '@zxing/library';

const DOTS_PER_POINT = 20;

/**
 * Decodes the barcode of a label: turns the black rectangles of the PDF into a row of bits, which ZXing reads.
 */
export function readBarcode(pdf: Buffer): string {
  const bars = [...pdf.toString('latin1').matchAll(/([\d.]+) [\d.]+ ([\d.]+) [\d.]+ re f/g)].map(
    ([, x, width]) => ({ from: Number(x), to: Number(x) + Number(width) }),
  );
  const row = new BitArray(Math.ceil(Math.max(...bars.map(({ to }) => to)) + 20) * DOTS_PER_POINT);
  for (const { from, to } of bars)
    for (let dot = Math.round(from * DOTS_PER_POINT); dot < Math.round(to * DOTS_PER_POINT); dot++)
      row.set(dot);
  return new Code128Reader().decodeRow(0, row, new Map()).getText();
}

/** Decodes a barcode in an SVG that draws the bars as one path. */
export function readInterleaved2of5(svg: string): string {
  const bars = [...svg.matchAll(/M(\d+) 0h(\d+)v\d+h-/g)].map(
    ([, x, width]) => [Number(x), Number(width)] as const,
  );
  const row = new BitArray((Math.max(...bars.map(([x, width]) => x + width)) + 10) * DOTS_PER_POINT);
  for (const [x, width] of bars)
    for (let dot = x * DOTS_PER_POINT; dot < (x + width) * DOTS_PER_POINT; dot++) row.set(dot);
  return new ITFReader().decodeRow(0, row, new Map()).getText();
}
