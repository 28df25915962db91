import { COLOR, type DemoProduct, LETTERS } from './demo-product.js';
import { shirt } from './drawings/fashion.js';
import { coffee } from './drawings/goods.js';
import { mug } from './drawings/home.js';
import { FOOD_AND_GIFTS } from './food-and-gifts.js';
import { HOME_AND_FASHION } from './home-and-fashion.js';

/**
 * The products of the demo store, oldest first. The first three are created by demo.ts; for these, fillCatalog adds
 * only the pictures.
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
    color: '#2f6f8f',
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
    color: '#8c5a3c',
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
    colors: { name: COLOR, options: { Azul: '#3e6fa8', Branca: '#eeece6' } },
  },
  ...FOOD_AND_GIFTS,
  ...HOME_AND_FASHION,
];
