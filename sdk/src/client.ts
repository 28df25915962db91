import { Api } from './api.js';
import type { Call } from './call.js';
import type { CallOptions, FeiraOptions } from './options.js';
import { Customers } from './resources/customers.js';
import { Events } from './resources/events.js';
import { Images } from './resources/images.js';
import { Orders } from './resources/orders.js';
import { Products } from './resources/products.js';
import { Shipments } from './resources/shipments.js';
import { Stock } from './resources/stock.js';
import { Subscriptions } from './resources/subscriptions.js';
import { Variants } from './resources/variants.js';
import { Transport } from './transport.js';
import type { Category, Me } from './types.js';

/**
 * The API client of one store. Create only one per store, because by default a client counts only its own calls towards
 * the rate limit.
 */
export class Feira {
  readonly products: Products;
  readonly variants: Variants;
  readonly stock: Stock;
  readonly images: Images;
  readonly orders: Orders;
  readonly shipments: Shipments;
  readonly customers: Customers;
  readonly events: Events;
  readonly webhooks: Subscriptions;
  private readonly api: Api;

  constructor(options: FeiraOptions) {
    this.api = new Api(new Transport(options));
    this.products = new Products(this.api);
    this.variants = new Variants(this.api);
    this.stock = new Stock(this.api);
    this.images = new Images(this.api);
    this.orders = new Orders(this.api);
    this.shipments = new Shipments(this.api);
    this.customers = new Customers(this.api);
    this.events = new Events(this.api);
    this.webhooks = new Subscriptions(this.api);
  }

  /** Returns the store that the token acts for, the scopes of the token, and when it expires. */
  me(options?: CallOptions): Call<Me> {
    return this.api.get('/me', options);
  }

  /** Returns all categories. */
  categories(options?: CallOptions): Call<Category[]> {
    return this.api.all('/categories', options);
  }
}
