import * as fashion from './drawings/fashion.js';
import * as goods from './drawings/goods.js';
import * as home from './drawings/home.js';
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
  /** The colour of a simple product, which has one SKU and one quantity. */
  colour?: string;
  sku: string;
  quantity: number;
  /**
   * The options that have their own pictures, with their colours. Each variation has `quantity` in stock, unless
   * `stock` contains another number for it.
   */
  colours?: { name: string; options: Record<string, string> };
  sizes?: string[];
  stock?: Record<string, number>;
}

const { shirt, hoodie, cap, sneaker, backpack, watch } = fashion;
const { mug, teapot, board, vase, lamp, cushion, blocks, notebook } = home;
const { coffee, jar, bottle, chocolate, soap, candle, tube, headphones, speaker } = goods;

const LETTERS = ['P', 'M', 'G'];
const COLOUR = 'Cor';

/**
 * The first three products are created at the first start of the server (demo.ts); only their pictures are added here.
 */
export const DEMO_PRODUCTS: DemoProduct[] = [
  {
    name: 'Caneca Esmaltada',
    sku: 'CAN-ESM',
    quantity: 40,
    price: 34.9,
    categoryId: 15,
    weight: 0.3,
    draw: mug,
    colour: '#2f6f8f',
    description: 'Caneca de aço esmaltado, 350 ml. Pode ir ao fogo e à lava-louças.',
  },
  {
    name: 'Café em Grãos 500 g',
    sku: 'CAFE-500',
    quantity: 120,
    price: 42,
    categoryId: 20,
    weight: 0.5,
    draw: coffee,
    colour: '#8c5a3c',
    description: 'Torra média, notas de chocolate e castanha. Colhido no Sul de Minas.',
  },
  {
    name: 'Camiseta Básica',
    sku: 'CAM',
    quantity: 10,
    price: 79.9,
    priceDiscount: 59.9,
    categoryId: 2,
    weight: 0.25,
    draw: shirt,
    portrait: true,
    description: 'Malha de algodão, gola redonda.',
    sizes: LETTERS,
    colours: { name: COLOUR, options: { Azul: '#3e6fa8', Branca: '#eeece6' } },
  },
  {
    name: 'Blocos de Madeira',
    sku: 'BLO-MAD',
    quantity: 26,
    price: 89.9,
    categoryId: 22,
    weight: 1.1,
    draw: blocks,
    colour: '#c98f5a',
    description:
      'Trinta peças de madeira de reflorestamento, pintadas com tinta atóxica. A partir de 2 anos.',
  },
  {
    name: 'Caderno Pontilhado',
    sku: 'CAD',
    quantity: 35,
    price: 39.9,
    categoryId: 21,
    weight: 0.35,
    draw: notebook,
    portrait: true,
    description: 'Capa dura, 192 páginas pontilhadas em papel de 90 g, com fita e elástico.',
    colours: { name: 'Capa', options: { Grafite: '#4a4e57', Marinho: '#2f4a73', Coral: '#d4685a' } },
  },
  {
    name: 'Creme para as Mãos',
    sku: 'CRE-MAO',
    quantity: 48,
    price: 29.9,
    priceDiscount: 22.9,
    categoryId: 19,
    weight: 0.09,
    draw: tube,
    portrait: true,
    colour: '#e2a6a0',
    description: 'Manteiga de karité e óleo de amêndoas, 75 g. Absorção rápida.',
  },
  {
    name: 'Vela Aromática',
    sku: 'VEL-ARO',
    quantity: 2,
    price: 64.9,
    categoryId: 16,
    weight: 0.4,
    draw: candle,
    colour: '#b9a3c9',
    description: 'Cera vegetal e pavio de algodão. Cerca de 40 horas de queima.',
  },
  {
    name: 'Sabonete Artesanal',
    sku: 'SAB',
    quantity: 30,
    price: 16.9,
    categoryId: 19,
    weight: 0.1,
    draw: soap,
    description: 'Feito a frio, com óleos vegetais. Barra de 90 g.',
    colours: { name: 'Aroma', options: { Lavanda: '#a99bc9', 'Capim-limão': '#b9c377', Argila: '#cf9a7b' } },
    stock: { Argila: 0 },
  },
  {
    name: 'Chocolate 70% Cacau',
    sku: 'CHO-70',
    quantity: 80,
    price: 18.5,
    categoryId: 20,
    weight: 0.1,
    draw: chocolate,
    portrait: true,
    colour: '#b5473c',
    description: 'Barra de 80 g com cacau da Bahia. Sem leite.',
  },
  {
    name: 'Azeite Extra Virgem 500 ml',
    sku: 'AZE-500',
    quantity: 44,
    price: 58.9,
    categoryId: 20,
    weight: 0.95,
    draw: bottle,
    portrait: true,
    colour: '#6f8440',
    description: 'Primeira prensagem a frio, acidez máxima de 0,2%. Produzido na Serra da Mantiqueira.',
  },
  {
    name: 'Geleia de Morango',
    sku: 'GEL-MOR',
    quantity: 5,
    price: 24.9,
    categoryId: 20,
    weight: 0.45,
    draw: jar,
    colour: '#c8404f',
    description: 'Fruta e açúcar de cana, sem conservantes. Pote de 280 g.',
  },
  {
    name: 'Mel Silvestre 300 g',
    sku: 'MEL-300',
    quantity: 60,
    price: 36,
    categoryId: 20,
    weight: 0.5,
    draw: jar,
    colour: '#e0a12f',
    description: 'Mel puro de florada silvestre, de pequenos produtores.',
  },
  {
    name: 'Caixa de Som Portátil',
    sku: 'SOM-POR',
    quantity: 0,
    price: 249,
    categoryId: 11,
    weight: 0.8,
    draw: speaker,
    colour: '#4f7d76',
    description: 'Bluetooth 5.3, à prova d’água, doze horas de bateria.',
  },
  {
    name: 'Fone de Ouvido Bluetooth',
    sku: 'FON',
    quantity: 14,
    price: 329,
    priceDiscount: 259.9,
    categoryId: 11,
    weight: 0.4,
    draw: headphones,
    description: 'Cancelamento de ruído, trinta horas de bateria, dobrável.',
    colours: { name: COLOUR, options: { Preto: '#3a3d44', Creme: '#d8c9ad' } },
  },
  {
    name: 'Relógio Clássico',
    sku: 'REL',
    quantity: 9,
    price: 389,
    categoryId: 7,
    weight: 0.15,
    draw: watch,
    portrait: true,
    description: 'Caixa de aço de 40 mm, vidro mineral, resistente à água até 5 atm.',
    colours: { name: 'Pulseira', options: { Caramelo: '#a9683c', Preta: '#34363c', Verde: '#4d6b53' } },
  },
  {
    name: 'Almofada Geométrica',
    sku: 'ALM',
    quantity: 20,
    price: 69.9,
    categoryId: 16,
    weight: 0.5,
    draw: cushion,
    description: 'Capa de algodão com zíper e enchimento de fibra. 45 × 45 cm.',
    colours: { name: COLOUR, options: { Mostarda: '#cf9b36', Terracota: '#b7654a', Azul: '#4b6f94' } },
  },
  {
    name: 'Luminária de Mesa',
    sku: 'LUM-MES',
    quantity: 3,
    price: 179.9,
    priceDiscount: 149.9,
    categoryId: 16,
    weight: 1.4,
    draw: lamp,
    portrait: true,
    colour: '#d08b5b',
    description: 'Cúpula de linho e base de madeira. Soquete E27, bivolt.',
  },
  {
    name: 'Vaso de Cerâmica',
    sku: 'VAS',
    quantity: 12,
    price: 94.9,
    categoryId: 16,
    weight: 1.2,
    draw: vase,
    portrait: true,
    description: 'Torneado à mão, 28 cm de altura. Cada peça é única.',
    colours: { name: COLOUR, options: { Terracota: '#b8694a', Areia: '#cdb894', Verde: '#6d8a76' } },
    stock: { Areia: 1 },
  },
  {
    name: 'Tábua de Corte em Acácia',
    sku: 'TAB-ACA',
    quantity: 22,
    price: 84.9,
    categoryId: 15,
    weight: 1.3,
    draw: board,
    colour: '#b27a48',
    description: 'Madeira maciça com acabamento em óleo mineral. 40 × 24 cm.',
  },
  {
    name: 'Bule Esmaltado 1 L',
    sku: 'BUL-ESM',
    quantity: 17,
    price: 119.9,
    priceDiscount: 95.9,
    categoryId: 15,
    weight: 0.9,
    draw: teapot,
    colour: '#b4483f',
    description: 'Aço esmaltado, alça dobrável. Compatível com todos os tipos de fogão, inclusive indução.',
  },
  {
    name: 'Mochila Passeio 20 L',
    sku: 'MOC',
    quantity: 15,
    price: 219.9,
    categoryId: 6,
    weight: 0.8,
    draw: backpack,
    portrait: true,
    description: 'Lona encerada, compartimento acolchoado para notebook de 15 polegadas.',
    colours: { name: COLOUR, options: { Mostarda: '#c79433', Marinho: '#32486b' } },
  },
  {
    name: 'Tênis Urbano',
    sku: 'TEN',
    quantity: 6,
    price: 289.9,
    priceDiscount: 199.9,
    categoryId: 5,
    weight: 0.9,
    draw: sneaker,
    description: 'Cabedal de lona e solado de borracha natural.',
    sizes: ['37', '38', '39', '40', '41'],
    colours: { name: COLOUR, options: { Verde: '#5b8065', Areia: '#cbb48d' } },
    stock: { '37 Areia': 0, '41 Areia': 0 },
  },
  {
    name: 'Boné de Algodão',
    sku: 'BON',
    quantity: 18,
    price: 54.9,
    categoryId: 6,
    weight: 0.12,
    draw: cap,
    description: 'Seis gomos, regulagem de metal. Tamanho único.',
    colours: { name: COLOUR, options: { Preto: '#3b3d43', Bege: '#cdb48a', Azul: '#43658f' } },
  },
  {
    name: 'Moletom com Capuz',
    sku: 'MOL',
    quantity: 8,
    price: 189.9,
    categoryId: 3,
    weight: 0.7,
    draw: hoodie,
    portrait: true,
    description: 'Moletom flanelado, capuz forrado e bolso canguru.',
    sizes: [...LETTERS, 'GG'],
    colours: { name: COLOUR, options: { Cinza: '#8d9299', Verde: '#4f7358', Vinho: '#7d3a48' } },
    stock: { 'GG Vinho': 0, 'P Cinza': 2 },
  },
];
