import type { Drawing } from './drawings/tone.js';

export interface DemoProduct {
  name: string;
  description: string;
  price: number;
  priceDiscount?: number;
  categoryId: number;
  /** The weight in kilograms. */
  weight: number;
  draw: Drawing;
  portrait?: boolean;
  /** The color of the pictures of a product without `colors`. */
  color?: string;
  sku: string;
  quantity: number;
  /** A type of variation: its name, and for each option the color of the option's picture. */
  colors?: { name: string; options: Record<string, string> };
  sizes?: string[];
  /** The stock of each variation whose stock differs from `quantity`, by its options, such as '37 Areia'. */
  stock?: Record<string, number>;
}

// Texts that products in several lists use.
export const LETTERS = ['P', 'M', 'G'];
export const COLOR = 'Cor';
