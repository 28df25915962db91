import type { BrowserContext, BrowserContextOptions } from 'playwright-core';
import { newProduct } from './catalog.js';
import type { StoreClient } from './feira.js';

const PICTURES = 'https://pictures.example';

/** Adds products with different prices, stock and images, and one with variations. */
export async function addProducts(store: StoreClient): Promise<void> {
  await newProduct(store, {
    name: 'Caneca Esmaltada',
    price: 34.9,
    quantity: 3,
    categoryId: 15,
    urlImage: `${PICTURES}/mug.png`,
  });
  await newProduct(store, { name: 'Café em Grãos 500 g', price: 42, quantity: 120, categoryId: 20 });
  await newProduct(store, {
    name: 'Vaso de Cerâmica Feito à Mão com Esmalte Azul',
    price: 129,
    quantity: 0,
    categoryId: 16,
  });
  await newProduct(store, {
    name: 'Bolsa de Palha',
    price: 189.9,
    priceDiscount: 149.9,
    quantity: 8,
    categoryId: 6,
  });
  const shirt = await newProduct(store, {
    name: 'Camiseta Básica',
    price: 79.9,
    priceDiscount: 59.9,
    description: 'Malha de algodão, gola redonda.\nLavar à mão, secar à sombra.',
    weight: 0.25,
    categoryId: 2,
  });
  await store.put(`/products/${shirt}/variants`, {
    types: [
      { name: 'Tamanho', options: ['P', 'M', 'G'] },
      { name: 'Cor', options: ['Azul', 'Branca'] },
    ],
    combinations: ['P', 'M', 'G'].flatMap((size) =>
      ['Azul', 'Branca'].map((color) => ({
        options: [size, color],
        sku: `CAM-${size}-${color}`,
        quantity: size === 'G' && color === 'Azul' ? 0 : 4,
      })),
    ),
  });
  for (let at = 0; at < 3; at++)
    await store.post(`/products/${shirt}/images`, { url: `${PICTURES}/shirt-${at}.png` });
}

/** Opens a new browser session. Requests for product images on another host are answered with generated images. */
export async function openSession(
  browser: BrowserContext,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.browser()!.newContext(options);
  await context.route(`${PICTURES}/**`, (route) => {
    const hue = [...route.request().url()].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 360;
    const body = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 8"><rect width="10" height="8" fill="hsl(${hue} 40% 85%)"/><circle cx="5" cy="4" r="2.4" fill="hsl(${hue} 45% 45%)"/></svg>`;
    return route.fulfill({ contentType: 'image/svg+xml', body });
  });
  return context;
}
