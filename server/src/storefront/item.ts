export interface ItemVariation {
  id: string;
  combination: string;
  options: string[];
  price: number;
  quantity: number;
}

export interface ItemPicture {
  url: string;
  /** The option that the picture shows, for example a color. */
  option: string | null;
}

/** A product as its page shows it. */
export interface Item {
  id: string;
  name: string;
  description: string | null;
  price: number;
  priceDiscount: number | null;
  stock: number;
  categoryId: number;
  pictures: ItemPicture[];
  types: { name: string; options: string[] }[];
  variations: ItemVariation[];
  /** Changes whenever the product changes. */
  version: string;
}

/**
 * Returns the list price and the price to pay, which is the promotional price if that is lower. The checkout uses the
 * same rule.
 */
export function priceOf(
  item: Item,
  variation: ItemVariation | undefined,
): { price: number; listPrice: number } {
  const listPrice = variation?.price ?? item.price;
  return { listPrice, price: Math.min(listPrice, item.priceDiscount ?? listPrice) };
}

/** Returns the URLs of all pictures, beginning with the pictures of the chosen variation. */
export function picturesFor({ pictures }: Item, chosen: ItemVariation | undefined): string[] {
  const isOfChoice = ({ option }: ItemPicture) =>
    option !== null && chosen?.options.includes(option) === true;
  const rest = pictures.filter((picture) => !isOfChoice(picture));
  return [...pictures.filter(isOfChoice), ...rest].map(({ url }) => url);
}

/** Returns the requested variation, otherwise the first one in stock, otherwise the first one. */
export function chosenVariation(item: Item, variantId: string | undefined): ItemVariation | undefined {
  return (
    item.variations.find(({ id }) => id === variantId) ??
    item.variations.find(({ quantity }) => quantity > 0) ??
    item.variations[0]
  );
}

export interface Choice {
  label: string;
  /** The variation that this choice leads to. Undefined if no combination contains this option. */
  variation: ItemVariation | undefined;
  chosen: boolean;
}

/**
 * Returns one row of choices per variation type. Choosing an option changes as little of the current selection as
 * possible. If there are no types, or not every variation has one option per type, returns a single row with all
 * variations.
 */
export function choicesOf(item: Item, chosen: ItemVariation): { name: string; choices: Choice[] }[] {
  const typed =
    item.types.length > 0 && item.variations.every(({ options }) => options.length === item.types.length);
  if (!typed) {
    const choices = item.variations.map((variation) => ({
      label: variation.combination,
      variation,
      chosen: variation === chosen,
    }));
    return [{ name: '', choices }];
  }
  return item.types.map(({ name, options }, at) => ({
    name,
    choices: options.map((label) => ({
      label,
      variation: nearest(item.variations, chosen, at, label),
      chosen: chosen.options[at] === label,
    })),
  }));
}

function nearest(
  variations: ItemVariation[],
  chosen: ItemVariation,
  at: number,
  label: string,
): ItemVariation | undefined {
  const kept = ({ options }: ItemVariation) =>
    options.filter((option, index) => index !== at && option === chosen.options[index]).length;
  return variations
    .filter(({ options }) => options[at] === label)
    .reduce<ItemVariation | undefined>(
      (best, each) => (best === undefined || kept(each) > kept(best) ? each : best),
      undefined,
    );
}
