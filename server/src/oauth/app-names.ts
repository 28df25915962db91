import { UNITS_PER_CHARACTER } from '../platform/schema/normalize.js';

export type AppNameFault = 'length' | 'invisible' | 'script' | 'blank' | 'ours';

export const MAX_APP_NAME = 100;

/**
 * Returns the name in the form in which it is stored. A name that is much too long is returned unchanged,
 * because normalizing combining marks takes quadratic time; `appNameFault` then rejects it.
 */
export function normalizedAppName(name: string): string {
  return name.length > MAX_APP_NAME * UNITS_PER_CHARACTER ? name : name.trim().normalize('NFC');
}

/**
 * Returns why a developer must not give an app this name, or undefined if the name is acceptable. The consent screen
 * shows the name, so it must not mislead merchants. The partner pages and `feira app create` use this check, but
 * the command ignores `script` and `ours`, because only the operator runs it.
 */
export function appNameFault(name: string): AppNameFault | undefined {
  if (name === '' || [...name].length > MAX_APP_NAME) return 'length';
  // Control and format characters (such as line breaks, bidirectional overrides and zero-width spaces), line
  // and paragraph separators, unpaired surrogates, and private-use and unassigned characters.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return 'invisible';
  const compatible = name.normalize('NFKC');
  if (/\p{L}/u.test(compatible.replace(LATIN, ''))) return 'script';
  if (!/[\p{L}\p{N}]/u.test(compatible)) return 'blank';
  return passesForOurs(name) ? 'ours' : undefined;
}

/**
 * Latin letters with and without diacritics. Other letters are rejected, because some letters of other alphabets, and
 * some phonetic and small-capital letters of Unicode, look identical to these.
 */
const LATIN = /[A-Za-zªº\u00c0-\u024f\u1e00-\u1eff]/g;

/**
 * Characters that look like a letter of "feira". Before the lookup, accents are removed, and compatibility forms (such
 * as full-width letters) are replaced with plain characters.
 */
const LOOKALIKES: Record<string, string> = {
  '1': 'i',
  l: 'i',
  ł: 'i',
  ı: 'i',
  '|': 'i',
  '!': 'i',
  ǀ: 'i',
  ǃ: 'i',
  '3': 'e',
  ǝ: 'e',
  ɇ: 'e',
  '4': 'a',
  '@': 'a',
  ƒ: 'f',
  ɍ: 'r',
};

/** Words that are ignored when a name is compared with "feira": "Equipe da Feira" still claims to be Feira. */
const GENERIC = new Set(
  [
    ...[
      'oficial',
      'official',
      'suporte',
      'support',
      'ajuda',
      'help',
      'equipe',
      'time',
      'team',
      'staff',
      'admin',
    ],
    ...[
      'app',
      'apps',
      'aplicativo',
      'api',
      'erp',
      'console',
      'painel',
      'login',
      'conta',
      'account',
      'sistema',
    ],
    ...[
      'plataforma',
      'platform',
      'parceiros',
      'partners',
      'pagamentos',
      'payments',
      'pay',
      'seguranca',
      'security',
    ],
    ...[
      'integracao',
      'integration',
      'loja',
      'lojas',
      'store',
      'stores',
      'brasil',
      'brazil',
      'tm',
      'inc',
      'ltda',
    ],
    ...['da', 'do', 'de', 'das', 'dos', 'the', 'of', 'by', 'para', 'for', 'com', 'br'],
  ].map(plainLetters),
);

function passesForOurs(name: string): boolean {
  const words = plainLetters(name).split(/[^a-z]+/);
  return /^(feira)+$/.test(words.filter((word) => !GENERIC.has(word)).join(''));
}

function plainLetters(name: string): string {
  const plain = name
    .replace(/[™®©℠]/g, ' ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase();
  return [...plain].map((character) => LOOKALIKES[character] ?? character).join('');
}
