export type Language = 'en' | 'pt';

/** Returns English or Portuguese, whichever Accept-Language prefers, or the fallback if the header contains neither. */
export function languageOf(header: string | undefined, fallback: Language = 'en'): Language {
  let best: { language: Language; weight: number } = { language: fallback, weight: 0 };
  for (const entry of (header ?? '').split(',')) {
    const [tag = '', ...parameters] = entry.trim().toLowerCase().split(';');
    const language = tag.split('-', 1)[0];
    if (language !== 'en' && language !== 'pt') continue;
    const quality = parameters
      .map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1])
      .find((value) => value !== undefined);
    const weight = quality === undefined ? 1 : Number(quality);
    if (weight > best.weight) best = { language, weight };
  }
  return best.language;
}
