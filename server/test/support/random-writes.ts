import type { StoreClient } from './feira.js';
import type { Random } from './random.js';

/** A write that supports a dry run, so that it can be sent twice: first as a dry run, then for real. */
interface RandomWrite {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The path as in the route table, so that a test can check that every route was used. */
  route: string;
  path: string;
  body: unknown;
}

const SKUS = ['A', 'B', 'C', 'D', 'E'];
const OPTIONS = ['P', 'M', 'G'];
const COLORS = ['Azul', 'Verde'];
const STATUSES = ['pending', 'preparing', 'sent', 'in_transit', 'delivered', 'returned', 'canceled', 'lost'];
const UNKNOWN_ID = '01920000-0000-7000-8000-000000000000';

/** Generates writes to one store, and tracks its existing products and variations. Many of the writes are rejected. */
export class RandomWrites {
  private readonly products: string[] = [];
  private readonly variations = new Map<string, string[]>();

  constructor(
    private readonly random: Random,
    private readonly orders: string[],
  ) {}

  next(): RandomWrite {
    const { random } = this;
    if (this.products.length < 3) return this.create();
    const kinds = [
      () => this.create(),
      () => this.change(),
      () => this.change(),
      () => this.remove(),
      () => this.putVariations(),
      () => this.putVariations(),
      () => this.patchVariations(),
      () => this.patchVariations(),
      () => this.productStock(),
      () => this.variationStock(),
      () => this.batch(),
      () => this.shipping(),
    ];
    const write = random.pick(kinds)();
    return random.below(30) === 0 && write.body !== undefined ? { ...write, body: '{"name":' } : write;
  }

  /** Updates the tracked products and variations from the response of the real call. */
  async done(
    store: StoreClient,
    { route, method, path }: RandomWrite,
    answer: { status: number; body: never },
  ) {
    const { status, body } = answer as { status: number; body: { id: string; data: { id: string }[] } };
    if (method === 'POST' && status === 201) this.products.push(body.id);
    const [, , id = ''] = path.split('/');
    if (method === 'DELETE' && status === 200) this.products.splice(this.products.indexOf(id), 1);
    if (route === '/products/:id/variants' && status === 200) {
      this.variations.set(
        id,
        body.data.map((variation) => variation.id),
      );
    }
    // Deletes the oldest product, so that the store stays small.
    if (this.products.length > 12) {
      const [oldest = ''] = this.products.splice(0, 1);
      await store.delete(`/products/${oldest}`);
    }
  }

  private create(): RandomWrite {
    const body = {
      name: `Product ${this.random.below(40)}`,
      ...this.fields(),
      price: this.price(),
      ...(this.random.below(3) ? {} : { variants: this.structure() }),
    };
    return { method: 'POST', route: '/products', path: '/products', body };
  }

  private change(): RandomWrite {
    const name = this.maybe({ name: `Product ${this.random.below(40)}` });
    const body = { ...name, ...this.maybe({ price: this.price() }), ...this.fields() };
    return { method: 'PATCH', route: '/products/:id', path: `/products/${this.product()}`, body };
  }

  private remove(): RandomWrite {
    return { method: 'DELETE', route: '/products/:id', path: `/products/${this.product()}`, body: undefined };
  }

  private putVariations(): RandomWrite {
    const query = this.random.below(2) ? '?prune=true' : '';
    return {
      method: 'PUT',
      route: '/products/:id/variants',
      path: `/products/${this.product()}/variants${query}`,
      body: this.structure(),
    };
  }

  private structure(): object {
    const { random } = this;
    const types = [
      { name: 'Tamanho', options: OPTIONS.slice(random.below(2)) },
      ...(random.below(2) ? [{ name: 'Cor', options: COLORS }] : []),
    ];
    const combinations = Array.from({ length: random.below(5) }, () => ({
      options: types.map((_, at) => random.pick(at === 0 ? OPTIONS : COLORS)),
      ...this.maybe({ sku: random.pick(SKUS) }),
      ...this.maybe({ quantity: this.quantity() }),
      ...this.maybe({ price: this.price() }),
    }));
    return { types, combinations };
  }

  private patchVariations(): RandomWrite {
    const { random } = this;
    const product = this.product();
    const ids = [...(this.variations.get(product) ?? []), UNKNOWN_ID];
    const variants = Array.from({ length: 1 + random.below(3) }, () => ({
      ...(random.below(3) ? { sku: random.pick(SKUS) } : { id: random.pick(ids) }),
      ...this.maybe({ setSku: random.pick([...SKUS, null]) }),
      ...this.maybe({ price: this.price() }),
      quantity: this.quantity(),
    }));
    return {
      method: 'PATCH',
      route: '/products/:id/variants',
      path: `/products/${product}/variants`,
      body: random.below(2) ? variants : { variants },
    };
  }

  private productStock(): RandomWrite {
    const route = '/products/:id/stock';
    return {
      method: 'PATCH',
      route,
      path: `/products/${this.product()}/stock`,
      body: { quantity: this.quantity() },
    };
  }

  private variationStock(): RandomWrite {
    const path = `/products/${this.product()}/variants/${this.random.pick(SKUS)}/stock`;
    const route = '/products/:id/variants/:sku/stock';
    return { method: 'PATCH', route, path, body: { quantity: this.quantity() } };
  }

  private batch(): RandomWrite {
    const { random } = this;
    const entries = Array.from({ length: 1 + random.below(6) }, () => ({
      sku: random.pick([...SKUS, 'unknown']),
      ...(random.below(2) ? { quantity: this.quantity() } : { delta: random.below(9) - 4 }),
      ...(random.below(4) ? {} : { ifQuantity: random.below(5) }),
    }));
    return { method: 'PATCH', route: '/stock', path: '/stock', body: { entries } };
  }

  private shipping(): RandomWrite {
    const { random } = this;
    const body = {
      statusShipping: random.pick(STATUSES),
      ...this.maybe({ codeShipping: `BR${random.below(3)}` }),
      ...this.maybe({ carrier: random.pick(['Correios', 'Jadlog', null]) }),
    };
    const path = `/orders/${random.pick([...this.orders, UNKNOWN_ID])}/shipping-status`;
    return { method: 'PATCH', route: '/orders/:id/shipping-status', path, body };
  }

  private fields(): object {
    const { random } = this;
    return {
      ...this.maybe({ sku: random.pick(SKUS) }),
      ...this.maybe({ description: random.pick(['Short', null, 'á'.repeat(50)]) }),
      ...this.maybe({ weight: random.pick([0.5, 1, -1]) }),
      ...this.maybe({ categoryId: random.pick([23, 23, 99_999]) }),
      ...(random.below(5) ? {} : { quantity: this.quantity() }),
    };
  }

  private product(): string {
    return this.random.below(15) === 0 ? UNKNOWN_ID : this.random.pick(this.products);
  }

  private price(): number {
    return this.random.pick([10, 19.9, 7.25, 0, 100, 10, 10, -1]);
  }

  private quantity(): number {
    return this.random.pick([0, 1, 2, 3, 5, 8, 13, -1]);
  }

  private maybe<T extends object>(fields: T): Partial<T> {
    return this.random.below(2) ? fields : {};
  }
}
