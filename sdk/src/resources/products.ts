import type { Api } from '../api.js';
import type { Call } from '../call.js';
import type { List } from '../list.js';
import type { CallOptions, ConditionalOptions, DryRunOptions } from '../options.js';
import { path } from '../query.js';
import { Snapshot, type SnapshotOptions } from '../snapshot.js';
import type {
  Deleted,
  ListedProduct,
  ListProductsQuery,
  NewProduct,
  Product,
  ProductChange,
  ProductDetail,
} from '../types.js';

export class Products {
  constructor(private readonly api: Api) {}

  list(query?: ListProductsQuery, options?: CallOptions): List<ListedProduct> {
    return this.api.list('/products', query, options);
  }

  /** Returns a product with its images and variations. */
  get(id: string, options?: CallOptions): Call<ProductDetail> {
    return this.api.get(path`/products/${id}`, options);
  }

  create(product: NewProduct, options?: DryRunOptions): Call<ProductDetail> {
    return this.api.write({ method: 'POST', path: '/products', body: product }, options);
  }

  update(id: string, change: ProductChange, options?: ConditionalOptions): Call<ProductDetail> {
    return this.api.write({ method: 'PATCH', path: path`/products/${id}`, body: change }, options);
  }

  delete(id: string, options?: ConditionalOptions): Call<Deleted> {
    return this.api.write({ method: 'DELETE', path: path`/products/${id}` }, options);
  }

  /** Sets the stock of a product without variations. To set the stock of many products, use stock.set(). */
  setStock(id: string, quantity: number, options?: DryRunOptions): Call<Product> {
    const body = { quantity };
    return this.api.write({ method: 'PATCH', path: path`/products/${id}/stock`, body }, options);
  }

  /** Returns all products as of one point in time, with variations and images. */
  snapshot(options?: SnapshotOptions): Snapshot<ProductDetail> {
    return new Snapshot(this.api, '/products', options);
  }
}
