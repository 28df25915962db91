import type { Static, TSchemaOptions } from 'typebox';
import type { FaultDetail } from '../platform/http/errors.js';
import { Money, Name, Nullable, Quantity, Shape, Text } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { checkerOf } from '../platform/schema/validation.js';
import { storedName } from './records.js';
import type { VariationType } from './variations.js';

const MAX_TYPES = 3;
const MAX_OPTIONS = 100;
export const MAX_COMBINATIONS = 1_000;
const SEPARATOR = ' - ';

const NAME_MAX = 100;

/** Room for three names with separators, and for spaces around the separators. */
const LABEL_MAX = 400;

const name = (options: TSchemaOptions = {}) => Name(NAME_MAX, options);
const storedAs = `Stored trimmed and normalized to Unicode NFC, 1 to ${NAME_MAX} characters.`;

const types = Type.Array(
  Type.Object({
    name: name({ description: storedAs }),
    options: Type.Array(name({ description: storedAs }), {
      minItems: 1,
      maxItems: MAX_OPTIONS,
      examples: [['P', 'M']],
    }),
  }),
  {
    maxItems: MAX_TYPES,
    description:
      'The types of variation, such as size, in the order in which combination labels list their options.',
  },
);

const naming = {
  combination: Type.Optional(
    Name(LABEL_MAX, {
      description: "Options joined by ' - '. Send either combination or options.",
      examples: ['P - Azul'],
    }),
  ),
  options: Type.Optional(
    Type.Array(name(), {
      maxItems: MAX_TYPES,
      description: 'The options one by one, in the order of the types.',
      examples: [['P', 'Azul']],
    }),
  ),
};
const eitherName = { 'x-one-of': ['combination', 'options'] };

const structure = {
  types,
  combinations: Type.Array(
    Type.Object(
      {
        ...naming,
        sku: Type.Optional(Nullable(Text(100))),
        ean: Type.Optional(Nullable(Text(100))),
        price: Type.Optional(
          Money({ description: 'Default for a new combination: the price of the product.' }),
        ),
        quantity: Type.Optional(Quantity({ description: 'Default 0 for a new combination.' })),
      },
      eitherName,
    ),
    { maxItems: MAX_COMBINATIONS },
  ),
};
const example = {
  examples: [
    {
      types: [
        { name: 'Tamanho', options: ['P', 'M', 'G', 'GG'] },
        { name: 'Cor', options: ['Azul', 'Branca'] },
      ],
      combinations: [
        { combination: 'P - Azul', sku: 'CAM-P-AZ', price: 79.9, quantity: 5 },
        { options: ['GG', 'Azul'], sku: 'CAM-GG-AZ', quantity: 5 },
      ],
    },
  ],
};

/** The body of PUT /products/{id}/variants. */
export const VariationsPut = Shape('VariationsPut', structure, { 'x-rule': structureFaults, ...example });
/** The same structure inside the body of a new product. variantsFaults(), a rule of the product schema, checks it. */
export const VariationsOfNewProduct = Shape('VariationsPut', structure, example);
export type VariationsPut = Static<typeof VariationsPut>;

type Entry = VariationsPut['combinations'][number];
export type Listed = Entry & { options: string[]; label: string };

/** Reads a validated body and resolves the options and labels of its combinations. */
export function readStructure(body: VariationsPut): { types: VariationType[]; listed: Listed[] } {
  const types = stored(body.types);
  const listed = body.combinations.map((entry) => {
    const options = optionsOf(entry, types) as string[];
    return { ...entry, options, label: options.join(SEPARATOR) };
  });
  return { types, listed };
}

function stored(types: VariationType[]): VariationType[] {
  return types.map(({ name, options }) => ({ name: storedName(name), options: options.map(storedName) }));
}

const isTypes = checkerOf(types);
const isNamed = checkerOf(Type.Object(naming, eitherName));

/**
 * Checks what does not depend on the stored product: no name and no combination is repeated, and every listed
 * combination has one declared option of each type. A body with schema errors is checked as far as it can be read, so
 * that all errors are reported together.
 */
function structureFaults(body: Record<string, unknown>): FaultDetail[] {
  if (!isTypes(body.types)) return [];
  const types = stored(body.types as VariationType[]);
  const { combinations } = body;
  const isListable = Array.isArray(combinations) && combinations.length <= MAX_COMBINATIONS;
  return [...doubledNames(types), ...(isListable ? combinationFaults(combinations, types) : [])];
}

/**
 * Returns the errors of the structure in the field `variants` of a new product, and an error if the product has both
 * combinations and a quantity.
 */
export function variantsFaults(body: Record<string, unknown>): FaultDetail[] {
  const { variants, quantity } = body;
  if (typeof variants !== 'object' || variants === null) return [];
  const faults = structureFaults(variants as Record<string, unknown>);
  const { combinations } = variants as { combinations?: unknown };
  const isVaried = Array.isArray(combinations) && combinations.length > 0;
  return [
    ...faults.map(({ field, message }) => ({ field: `variants.${field}`, message })),
    ...(isVaried && quantity !== undefined ? [quantityIsASum()] : []),
  ];
}

export function quantityIsASum(): FaultDetail {
  return {
    field: 'quantity',
    message: 'is the sum of the quantities of the variations; set those instead',
  };
}

function combinationFaults(combinations: unknown[], types: VariationType[]): FaultDetail[] {
  const seen = new Set<string>();
  return combinations.flatMap((entry, index) => {
    if (!isNamed(entry)) return [];
    const field = `combinations[${index}]`;
    const options = optionsOf(entry as Entry, types);
    if (typeof options === 'string') return [{ field, message: options }];
    const label = options.join(SEPARATOR);
    if (seen.has(label)) return [{ field, message: `"${label}" is repeated` }];
    seen.add(label);
    return [];
  });
}

function optionsOf(entry: Entry, types: VariationType[]): string[] | string {
  if (types.length === 0) return 'cannot exist without types';
  if (entry.options) {
    const options = entry.options.map(storedName);
    const fits =
      options.length === types.length && options.every((option, i) => types[i]!.options.includes(option));
    return fits
      ? options
      : `options must name one declared option of each type: ${types.map((type) => type.name).join(', ')}`;
  }
  return (
    split(storedName(entry.combination as string), types) ??
    `"${entry.combination}" does not consist of one declared option of each type: ${types.map((type) => type.name).join(', ')}`
  );
}

/**
 * Also matches extra spaces. Options are stored trimmed, but a client may build a label from the options as it declared
 * them, with surrounding spaces.
 */
const WRITTEN_SEPARATOR = /\s+-\s+/y;

/**
 * Splits a label into options, from left to right, one type after the other. An option may itself contain the
 * separator, so there may be several positions to continue from. Each position is visited only once per type; otherwise
 * a thousand crafted labels could block the process for a second.
 */
function split(label: string, types: VariationType[]): string[] | undefined {
  let read = new Map<number, string[]>([[0, []]]);
  for (const { options } of types.slice(0, -1)) {
    const further = new Map<number, string[]>();
    for (const [place, chosen] of read) {
      for (const option of options) {
        if (!label.startsWith(option, place)) continue;
        WRITTEN_SEPARATOR.lastIndex = place + option.length;
        if (!WRITTEN_SEPARATOR.test(label)) continue;
        const next = WRITTEN_SEPARATOR.lastIndex;
        if (!further.has(next)) further.set(next, [...chosen, option]);
      }
    }
    read = further;
  }
  for (const [place, chosen] of read) {
    const rest = label.slice(place);
    if (types.at(-1)?.options.includes(rest)) return [...chosen, rest];
  }
  return undefined;
}

function doubledNames(types: VariationType[]): FaultDetail[] {
  const faults: FaultDetail[] = [];
  const names = types.map((type) => type.name);
  types.forEach(({ name, options }, index) => {
    if (names.indexOf(name) !== index)
      faults.push({ field: `types[${index}].name`, message: `"${name}" is repeated` });
    options.forEach((option, i) => {
      if (options.indexOf(option) !== i)
        faults.push({ field: `types[${index}].options[${i}]`, message: `"${option}" is repeated` });
    });
  });
  return faults;
}
