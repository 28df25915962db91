import type { Language } from '../platform/html/language.js';

/** The display names of the categories that migration 0002 creates, by id. All stores share them. */
const NAMES: Record<number, [en: string, pt: string]> = {
  1: ['Fashion', 'Moda'],
  2: ["Women's Clothing", 'Moda feminina'],
  3: ["Men's Clothing", 'Moda masculina'],
  4: ["Children's Clothing", 'Moda infantil'],
  5: ['Shoes', 'Calçados'],
  6: ['Bags and Accessories', 'Bolsas e acessórios'],
  7: ['Jewellery and Watches', 'Joias e relógios'],
  8: ['Electronics', 'Eletrônicos'],
  9: ['Phones and Tablets', 'Celulares e tablets'],
  10: ['Computers', 'Computadores'],
  11: ['Audio and Video', 'Áudio e vídeo'],
  12: ['Games', 'Games'],
  13: ['Home', 'Casa'],
  14: ['Furniture', 'Móveis'],
  15: ['Kitchen', 'Cozinha'],
  16: ['Decoration', 'Decoração'],
  17: ['Garden and Tools', 'Jardim e ferramentas'],
  18: ['Beauty and Health', 'Beleza e saúde'],
  19: ['Cosmetics', 'Cosméticos'],
  20: ['Food and Drinks', 'Alimentos e bebidas'],
  21: ['Books and Stationery', 'Livros e papelaria'],
  22: ['Toys and Baby', 'Brinquedos e bebês'],
  23: ['Others', 'Outros'],
  24: ['Sports and Leisure', 'Esporte e lazer'],
  25: ['Pets', 'Pets'],
  26: ['Art and Crafts', 'Arte e artesanato'],
  27: ['Digital Goods', 'Produtos digitais'],
};

export function categoryName(id: number, language: Language): string {
  return NAMES[id]?.[language === 'pt' ? 1 : 0] ?? `#${id}`;
}
