/**
 * Returns the longest time in seconds between two consecutive acknowledged writes, beginning with the last write before
 * the fault. The given times are in milliseconds, as returned by performance.now().
 */
export function longestGap(acknowledgedAt: number[], faultBegan: number): number {
  const times = [...acknowledgedAt].sort((one, other) => one - other);
  const before = times.findLast((time) => time < faultBegan) ?? faultBegan;
  const after = times.filter((time) => time >= faultBegan);
  const gaps = after.map((time, index) => time - (after[index - 1] ?? before));
  return Math.max(0, ...gaps) / 1000;
}

/** A table with one line per kind of fault: how often it was caused, and the longest write gap. */
export class ResultTable {
  private readonly gaps = new Map<string, number[]>();

  add(title: string, gap: number): void {
    this.gaps.set(title, [...(this.gaps.get(title) ?? []), gap]);
  }

  toString(): string {
    const rows = [...this.gaps].map(([title, gaps]) => [
      title,
      String(gaps.length),
      Math.max(...gaps).toFixed(1),
    ]);
    const lines = [['fault', 'times', 'longest write gap (s)'], ...rows];
    return lines
      .map(([title, times, gap]) => `${title!.padEnd(50)} ${times!.padStart(5)} ${gap!.padStart(22)}`)
      .join('\n');
  }
}
