import type { Api } from '../api.js';
import type { Call } from '../call.js';
import type { CallOptions, WriteOptions } from '../options.js';
import { path } from '../query.js';
import type { Deleted, Image } from '../types.js';
import { type UploadOptions, uploadImage } from '../upload.js';

export class Images {
  constructor(private readonly api: Api) {}

  list(productId: string, options?: CallOptions): Call<Image[]> {
    return this.api.all(path`/products/${productId}/images`, options);
  }

  /** Uploads a JPEG, PNG, WebP or GIF of up to 10 MB and attaches it. Without `order`, it becomes the last image. */
  upload(productId: string, bytes: Uint8Array | ArrayBuffer | Blob, options?: UploadOptions): Promise<Image> {
    return uploadImage(this.api, productId, bytes, options);
  }

  /** Attaches an image that is published elsewhere, by its URL. Nothing is copied. */
  attach(productId: string, image: { url: string; order?: number }, options?: WriteOptions): Call<Image> {
    return this.api.write(
      { method: 'POST', path: path`/products/${productId}/images`, body: image },
      options,
    );
  }

  /** Moves an image to another position; 0 is the cover. */
  move(productId: string, imageId: string, order: number, options?: WriteOptions): Call<Image> {
    const address = path`/products/${productId}/images/${imageId}`;
    return this.api.write({ method: 'PATCH', path: address, body: { order } }, options);
  }

  delete(productId: string, imageId: string, options?: WriteOptions): Call<Deleted> {
    return this.api.write(
      { method: 'DELETE', path: path`/products/${productId}/images/${imageId}` },
      options,
    );
  }
}
