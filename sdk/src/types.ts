// Generated from openapi.json by scripts/generate-types.mjs. Do not edit: run npm run sdk:types.

export interface ErrorBody {
  /** What is wrong, as a sentence for people. */
  error: string;
  /** Stable, for programs. New codes may be added. */
  code:
    | 'bad_request'
    | 'body_too_large'
    | 'busy'
    | 'cursor_expired'
    | 'dry_run_unsupported'
    | 'duplicate_invoice'
    | 'duplicate_name'
    | 'duplicate_sku'
    | 'expectation_failed'
    | 'form_refused'
    | 'head_too_large'
    | 'idempotency_key_in_use'
    | 'idempotency_key_reused'
    | 'illegal_transition'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_json'
    | 'invalid_parameter'
    | 'invalid_signature'
    | 'invalid_token'
    | 'invoice_limit'
    | 'key_attached'
    | 'key_in_use'
    | 'link_refused'
    | 'method_not_allowed'
    | 'no_payment_gateway'
    | 'no_such_payment'
    | 'not_found'
    | 'not_paid'
    | 'not_refundable'
    | 'not_your_store'
    | 'nothing_to_refund'
    | 'nothing_to_ship'
    | 'orders_unavailable'
    | 'over_balance'
    | 'page_too_large'
    | 'payment_final'
    | 'precondition_failed'
    | 'rate_limited'
    | 'refund_under_way'
    | 'request_timeout'
    | 'shipment_exists'
    | 'snapshot_running'
    | 'stale_notification'
    | 'storage_unavailable'
    | 'subscription_limit'
    | 'too_many_lists'
    | 'unsupported_content_encoding'
    | 'unsupported_content_type'
    | 'validation_failed'
    | (string & {});
  /** Also in X-Request-Id. Send it to support. */
  requestId: string;
  /** URL of a page that explains the code and what to do. */
  docUrl: string;
  /** On 422: the errors and where they are. */
  details?:
    | {
        /** The path of the field, "body" for the whole body, or the name of a header. */
        field?: string | undefined;
        message?: string | undefined;
      }[]
    | undefined;
}

export interface Me {
  workspaceId: string;
  name: string;
  /** Contact address of the store. It may differ from the e-mail its owner signs in with. */
  email: string;
  /** Tax number of the store (CPF or CNPJ). */
  document: string | null;
  domain: string | null;
  currency: 'BRL' | (string & {});
  timezone: string;
  /** What this token may do. */
  scopes: (
    | 'products:read'
    | 'products:write'
    | 'stock:write'
    | 'categories:read'
    | 'customers:read'
    | 'orders:read'
    | 'orders:write'
    | 'shipping:read'
    | 'shipping:write'
    | 'media:write'
    | 'webhooks:manage'
    | (string & {})
  )[];
  app: {
    clientId: string;
    name: string;
  };
  tokenExpiresAt: string;
}

export interface Image {
  id: string;
  productId: string;
  /** The URL of the image. */
  url: string;
  key: string | null;
  /** Position; 0 is the cover. */
  order: number;
  contentType: string | null;
  /** Size in bytes. */
  size: number | null;
  width: number | null;
  height: number | null;
  createdAt: string;
  /** The option that the image shows. Absent if it shows none in particular. */
  option?: string | undefined;
}

export interface Variation {
  id: string;
  /** Options joined by ' - ', in the order of the types. */
  combination: string;
  sku: string | null;
  ean: string | null;
  price: number;
  quantity: number;
  updatedAt: string;
}

export interface ListedProduct {
  id: string;
  name: string;
  price: number;
  /** Promotional price, used while it is lower than the price of the product or variation; null ends the promotion. */
  priceDiscount: number | null;
  description: string | null;
  quantity: number;
  /** Kilograms, used for freight. */
  weight: number | null;
  /** Centimetres, used for freight. */
  width: number | null;
  /** Centimetres, used for freight. */
  height: number | null;
  /** Centimetres, used for freight. */
  length: number | null;
  /** 1 = Digital, 2 = Physical, 3 = Digital/Physical. */
  typeId: number;
  categoryId: number;
  /** URL of a published image, stored as given. Nothing is downloaded. */
  urlImage: string | null;
  /** Your own code for a simple product, for stock sync. */
  sku: string | null;
  /** Barcode (GTIN). */
  ean: string | null;
  /** Mercosul classification of the goods (NCM). */
  ncm: string | null;
  /** Tax substitution code (CEST). */
  cest: string | null;
  /** Origin code of the goods for fiscal documents; 0 is domestic. */
  fiscalOrigin: number | null;
  /** Whether stock is kept per variation. */
  hasVariants: boolean;
  createdAt: string;
  updatedAt: string;
  images?: Image[] | undefined;
  variants?: Variation[] | undefined;
}

export interface Meta {
  limit: number;
  /** Absent when a cursor was used. */
  page?: number | undefined;
  /** Exact up to 10,000. Absent when a cursor was used. */
  total?: number | undefined;
  totalPages?: number | undefined;
  /** True when total is 10,000 but there are more entries. Otherwise absent. */
  totalCapped?: boolean | undefined;
  hasMore: boolean;
  nextCursor: string | null;
}

export interface ProductList {
  data: ListedProduct[];
  meta: Meta;
}

export interface ProductDetail {
  id: string;
  name: string;
  price: number;
  /** Promotional price, used while it is lower than the price of the product or variation; null ends the promotion. */
  priceDiscount: number | null;
  description: string | null;
  quantity: number;
  /** Kilograms, used for freight. */
  weight: number | null;
  /** Centimetres, used for freight. */
  width: number | null;
  /** Centimetres, used for freight. */
  height: number | null;
  /** Centimetres, used for freight. */
  length: number | null;
  /** 1 = Digital, 2 = Physical, 3 = Digital/Physical. */
  typeId: number;
  categoryId: number;
  /** URL of a published image, stored as given. Nothing is downloaded. */
  urlImage: string | null;
  /** Your own code for a simple product, for stock sync. */
  sku: string | null;
  /** Barcode (GTIN). */
  ean: string | null;
  /** Mercosul classification of the goods (NCM). */
  ncm: string | null;
  /** Tax substitution code (CEST). */
  cest: string | null;
  /** Origin code of the goods for fiscal documents; 0 is domestic. */
  fiscalOrigin: number | null;
  /** Whether stock is kept per variation. */
  hasVariants: boolean;
  createdAt: string;
  updatedAt: string;
  images: Image[];
  variants: Variation[];
}

export interface VariationsPut {
  /** The types of variation, such as size, in the order in which combination labels list their options. */
  types: {
    /** Stored trimmed and normalized to Unicode NFC, 1 to 100 characters. */
    name: string;
    options: string[];
  }[];
  combinations: {
    /** Options joined by ' - '. Send either combination or options. */
    combination?: string | undefined;
    /** The options one by one, in the order of the types. */
    options?: string[] | undefined;
    sku?: string | null | undefined;
    ean?: string | null | undefined;
    /** Default for a new combination: the price of the product. */
    price?: number | undefined;
    /** Default 0 for a new combination. */
    quantity?: number | undefined;
  }[];
}

/** variants has the same structure as the body of PUT /products/{id}/variants. With combinations, quantity is their sum and must be left out. */
export interface NewProduct {
  /** Stored trimmed and normalized to Unicode NFC, 1 to 255 characters. Must be unique in the store (otherwise 409); case-sensitive. */
  name: string;
  /** In reais, at most 2 decimals. */
  price: number;
  /** Stock balance of a simple product. For a product with variations it is their sum and cannot be set. */
  quantity?: number | undefined;
  /** 1 = Digital, 2 = Physical, 3 = Digital/Physical. */
  typeId?: number | undefined;
  /** The id of a category from GET /categories; 23 is Others. */
  categoryId?: number | undefined;
  description?: string | null | undefined;
  /** Kilograms, used for freight. */
  weight?: number | null | undefined;
  /** Centimetres, used for freight. */
  width?: number | null | undefined;
  /** Centimetres, used for freight. */
  height?: number | null | undefined;
  /** Centimetres, used for freight. */
  length?: number | null | undefined;
  /** Promotional price, used while it is lower than the price of the product or variation; null ends the promotion. */
  priceDiscount?: number | null | undefined;
  /** URL of a published image, stored as given. Nothing is downloaded. */
  urlImage?: string | null | undefined;
  /** Your own code for a simple product, for stock sync. */
  sku?: string | null | undefined;
  /** Barcode (GTIN). */
  ean?: string | null | undefined;
  /** Mercosul classification of the goods (NCM). */
  ncm?: string | null | undefined;
  /** Tax substitution code (CEST). */
  cest?: string | null | undefined;
  /** Origin code of the goods for fiscal documents; 0 is domestic. */
  fiscalOrigin?: number | null | undefined;
  variants?: VariationsPut | undefined;
}

export interface StoreVariation {
  productId: string;
  id: string;
  /** Options joined by ' - ', in the order of the types. */
  combination: string;
  sku: string | null;
  ean: string | null;
  price: number;
  quantity: number;
  updatedAt: string;
}

export interface StoreVariationList {
  data: StoreVariation[];
  meta: Meta;
}

/** Only the fields sent are changed. null clears description, weight, width, height, length, urlImage, sku, ean, ncm, cest, fiscalOrigin and priceDiscount. */
export interface ProductChange {
  /** Stored trimmed and normalized to Unicode NFC, 1 to 255 characters. Must be unique in the store (otherwise 409); case-sensitive. */
  name?: string | undefined;
  /** In reais, at most 2 decimals. */
  price?: number | undefined;
  /** Stock balance of a simple product. For a product with variations it is their sum and cannot be set. */
  quantity?: number | undefined;
  /** 1 = Digital, 2 = Physical, 3 = Digital/Physical. */
  typeId?: number | undefined;
  /** The id of a category from GET /categories; 23 is Others. */
  categoryId?: number | undefined;
  description?: string | null | undefined;
  /** Kilograms, used for freight. */
  weight?: number | null | undefined;
  /** Centimetres, used for freight. */
  width?: number | null | undefined;
  /** Centimetres, used for freight. */
  height?: number | null | undefined;
  /** Centimetres, used for freight. */
  length?: number | null | undefined;
  /** Promotional price, used while it is lower than the price of the product or variation; null ends the promotion. */
  priceDiscount?: number | null | undefined;
  /** URL of a published image, stored as given. Nothing is downloaded. */
  urlImage?: string | null | undefined;
  /** Your own code for a simple product, for stock sync. */
  sku?: string | null | undefined;
  /** Barcode (GTIN). */
  ean?: string | null | undefined;
  /** Mercosul classification of the goods (NCM). */
  ncm?: string | null | undefined;
  /** Tax substitution code (CEST). */
  cest?: string | null | undefined;
  /** Origin code of the goods for fiscal documents; 0 is domestic. */
  fiscalOrigin?: number | null | undefined;
}

export interface Deleted {
  id: string;
  deleted: boolean;
}

export interface VariationList {
  data: Variation[];
}

export interface VariationChange {
  /** The id of the variation to change. Send id, sku or both. */
  id?: string | undefined;
  /** The sku of the variation to change. If id is sent too, both must refer to the same variation. */
  sku?: string | undefined;
  /** The new sku. */
  setSku?: string | null | undefined;
  /** The new ean. */
  setEan?: string | null | undefined;
  price?: number | undefined;
  quantity?: number | undefined;
}

export interface VariationsPatch {
  variants: VariationChange[];
}

export interface StockChange {
  /** The new balance. */
  quantity: number;
}

export interface Product {
  id: string;
  name: string;
  price: number;
  /** Promotional price, used while it is lower than the price of the product or variation; null ends the promotion. */
  priceDiscount: number | null;
  description: string | null;
  quantity: number;
  /** Kilograms, used for freight. */
  weight: number | null;
  /** Centimetres, used for freight. */
  width: number | null;
  /** Centimetres, used for freight. */
  height: number | null;
  /** Centimetres, used for freight. */
  length: number | null;
  /** 1 = Digital, 2 = Physical, 3 = Digital/Physical. */
  typeId: number;
  categoryId: number;
  /** URL of a published image, stored as given. Nothing is downloaded. */
  urlImage: string | null;
  /** Your own code for a simple product, for stock sync. */
  sku: string | null;
  /** Barcode (GTIN). */
  ean: string | null;
  /** Mercosul classification of the goods (NCM). */
  ncm: string | null;
  /** Tax substitution code (CEST). */
  cest: string | null;
  /** Origin code of the goods for fiscal documents; 0 is domestic. */
  fiscalOrigin: number | null;
  /** Whether stock is kept per variation. */
  hasVariants: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface StockBatch {
  entries: {
    sku: string;
    /** The new balance. Send either quantity or delta. */
    quantity?: number | undefined;
    /** The amount to add; negative to subtract. */
    delta?: number | undefined;
    /** Applies the entry only if the current balance is this value. */
    ifQuantity?: number | undefined;
  }[];
}

export interface StockBatchAnswer {
  data: {
    sku: string;
    ok: boolean;
    /** The balance after the change. */
    quantity?: number | undefined;
    error?: string | undefined;
    code?:
      | 'unknown_sku'
      | 'ambiguous_sku'
      | 'quantity_mismatch'
      | 'below_zero'
      | 'above_maximum'
      | (string & {})
      | undefined;
  }[];
}

export interface Category {
  id: number;
  name: string;
  parentId: number | null;
}

export interface CategoryList {
  data: Category[];
}

export interface NewUpload {
  /** The product to which the file will be attached. */
  productId: string;
  contentType: 'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif' | (string & {});
  /** Exact size of the file in bytes, 10 MB at most. */
  contentLength: number;
}

export interface SignedUpload {
  /** PUT the file here within five minutes, with exactly the headers that the response lists. */
  uploadUrl: string;
  key: string;
  expiresIn: number;
  headers: {
    'Content-Type': string;
    'Content-Length': string;
  };
}

export interface ImageList {
  data: Image[];
}

export interface NewImage {
  /** The key of an uploaded file; exactly one of key and url is required. */
  key?: string | undefined;
  /** The URL of a published image. It is stored as given; nothing is downloaded. */
  url?: string | undefined;
  /** Position; 0 is the cover. Images at or after this position move down by one. If absent or higher than the number of images, the image is added last. */
  order?: number | undefined;
  /** The option of a variation that the image shows, for example "Azul". The shop shows the image first when a buyer chooses that option. */
  option?: string | undefined;
}

export interface ImageMove {
  /** Position; 0 is the cover. The images between the old and the new position shift by one. A position beyond the end moves the image to the end. */
  order?: number | undefined;
  /** The option of a variation that the image shows, for example "Azul". The shop shows the image first when a buyer chooses that option. */
  option?: string | null | undefined;
}

export type OrderStatus = 'pending' | 'paid' | 'partial_refunded' | 'refunded' | 'canceled' | (string & {});

export type ShippingStatus =
  | 'pending'
  | 'preparing'
  | 'sent'
  | 'in_transit'
  | 'delivered'
  | 'returned'
  | 'canceled'
  | (string & {});

export interface Invoice {
  /** nfe: Nota Fiscal eletrônica. dce: Declaração de Conteúdo eletrônica. */
  type: 'nfe' | 'dce' | (string & {});
  /** Access key (chave de acesso), unique in the store. It contains letters only if the CNPJ in it does. */
  key: string;
  /** Number of the document. */
  number: string | null;
  /** Series of the document. */
  series: string | null;
  /** When the document was issued (RFC 3339). */
  issuedAt: string | null;
  /** Total of the document, in reais. */
  amount: number | null;
  xmlUrl: string | null;
  pdfUrl: string | null;
  createdAt: string;
}

export interface Order {
  id: string;
  number: number;
  status: OrderStatus;
  statusShipping: ShippingStatus;
  /** Shipment code */
  codeShipping: string | null;
  carrier: string | null;
  trackingUrl: string | null;
  /** The delivery service that the buyer chose. null if nothing is shipped, or if the order was placed before this field existed. */
  shippingService: 'economy' | 'express' | (string & {}) | null;
  /** The day on which the parcel should arrive, in the store's time zone. Estimated at checkout, and again when the order is paid and when the label is created. null if nothing is shipped; may be null if the order was placed before this field existed. */
  estimatedDelivery: string | null;
  currency: 'BRL' | (string & {});
  subtotal: number;
  discount: number;
  shippingCost: number;
  total: number;
  refundedAmount: number;
  payment: {
    method: 'pix' | 'card' | 'boleto' | (string & {});
    installments: number;
    gateway: string;
    transactionId: string | null;
  };
  customer: {
    id: string;
    name: string;
    email: string;
    phone: string | null;
    /** Tax number (CPF or CNPJ) without punctuation. A CNPJ may contain letters. */
    document: string | null;
  };
  shippingAddress: {
    street: string;
    number: string;
    complement: string | null;
    district: string;
    city: string;
    state: string;
    zipCode: string;
    country: string;
  };
  items: {
    productId: string;
    variantId: string | null;
    sku: string | null;
    ean: string | null;
    name: string;
    combination: string | null;
    quantity: number;
    unitPrice: number;
    total: number;
  }[];
  /** Oldest first. */
  invoices: Invoice[];
  /** When an unpaid order is canceled and its stock is released: two hours after checkout or, for a boleto, two business days after its due date. If the buyer changes from boleto to another method, at most two hours after the change. null if the order is no longer pending. */
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
  paidAt: string | null;
  shippedAt: string | null;
  deliveredAt: string | null;
  refundedAt: string | null;
  canceledAt: string | null;
}

export interface OrderList {
  data: Order[];
  meta: Meta;
}

/** Refunds everything that is not refunded yet. A body with amount is rejected. */
export interface RefundRequest {
  reason?: string | null | undefined;
  /** Return the items to stock. Default: false. */
  restock?: boolean | undefined;
}

export interface RefundedOrder {
  id: string;
  number: number;
  status: OrderStatus;
  statusShipping: ShippingStatus;
  /** Shipment code */
  codeShipping: string | null;
  carrier: string | null;
  trackingUrl: string | null;
  /** The delivery service that the buyer chose. null if nothing is shipped, or if the order was placed before this field existed. */
  shippingService: 'economy' | 'express' | (string & {}) | null;
  /** The day on which the parcel should arrive, in the store's time zone. Estimated at checkout, and again when the order is paid and when the label is created. null if nothing is shipped; may be null if the order was placed before this field existed. */
  estimatedDelivery: string | null;
  currency: 'BRL' | (string & {});
  subtotal: number;
  discount: number;
  shippingCost: number;
  total: number;
  refundedAmount: number;
  payment: {
    method: 'pix' | 'card' | 'boleto' | (string & {});
    installments: number;
    gateway: string;
    transactionId: string | null;
  };
  customer: {
    id: string;
    name: string;
    email: string;
    phone: string | null;
    /** Tax number (CPF or CNPJ) without punctuation. A CNPJ may contain letters. */
    document: string | null;
  };
  shippingAddress: {
    street: string;
    number: string;
    complement: string | null;
    district: string;
    city: string;
    state: string;
    zipCode: string;
    country: string;
  };
  items: {
    productId: string;
    variantId: string | null;
    sku: string | null;
    ean: string | null;
    name: string;
    combination: string | null;
    quantity: number;
    unitPrice: number;
    total: number;
  }[];
  /** Oldest first. */
  invoices: Invoice[];
  /** When an unpaid order is canceled and its stock is released: two hours after checkout or, for a boleto, two business days after its due date. If the buyer changes from boleto to another method, at most two hours after the change. null if the order is no longer pending. */
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
  paidAt: string | null;
  shippedAt: string | null;
  deliveredAt: string | null;
  refundedAt: string | null;
  canceledAt: string | null;
  refund: {
    id: string;
    amount: number;
    reason: string | null;
    createdAt: string;
  };
}

export interface InvoiceList {
  data: Invoice[];
}

export interface NewInvoice {
  /** nfe: Nota Fiscal eletrônica. dce: Declaração de Conteúdo eletrônica. */
  type: 'nfe' | 'dce' | (string & {});
  /** Access key (chave de acesso), unique in the store. It contains letters only if the CNPJ in it does. */
  key: string;
  /** Number of the document. */
  number?: string | number | null | undefined;
  /** Series of the document. */
  series?: string | number | null | undefined;
  /** When the document was issued (RFC 3339). */
  issuedAt?: string | null | undefined;
  /** Total of the document, in reais. */
  amount?: number | null | undefined;
  /** Where the XML can be downloaded. */
  xmlUrl?: string | null | undefined;
  /** Where the PDF (DANFE or DACE) can be downloaded. */
  pdfUrl?: string | null | undefined;
}

export interface DeletedInvoice {
  /** The access key of the invoice. */
  id: string;
  deleted: boolean;
}

export interface Customer {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  document: string | null;
  address: {
    street: string;
    number: string;
    complement: string | null;
    district: string;
    city: string;
    state: string;
    zipCode: string;
    country: string;
  } | null;
  /** Number of paid orders, including refunded ones. */
  ordersCount: number;
  /** Net of refunds. */
  totalSpent: number;
  firstOrderAt: string;
  lastOrderAt: string;
}

export interface CustomerList {
  data: Customer[];
  meta: Meta;
}

export interface ShippingChange {
  statusShipping: ShippingStatus;
  codeShipping?: string | null | undefined;
  carrier?: string | null | undefined;
  trackingUrl?: string | null | undefined;
}

export interface NewShipment {
  /** The id of an order that is paid or partial_refunded and has no tracking code. */
  orderId: string;
  carrier?: string | undefined;
}

export interface Shipment {
  code: string;
  orderId: string;
  carrier: string;
  /** A signed URL of the PDF, valid for seven days. Read the shipment to get a new one. */
  labelUrl: string;
  cost: number;
  createdAt: string;
}

export interface Tracking {
  code: string;
  orderId: string;
  carrier: string | null;
  statusShipping: ShippingStatus;
  trackingUrl: string | null;
  estimatedDelivery: string | null;
  /** Newest first. */
  events: {
    status: ShippingStatus;
    description: string;
    location: string | null;
    occurredAt: string;
  }[];
}

export type EventName =
  | 'product.created'
  | 'product.updated'
  | 'product.deleted'
  | 'stock.updated'
  | 'order.created'
  | 'order.paid'
  | 'order.shipped'
  | 'order.refunded'
  | 'order.canceled'
  | 'order.partially_refunded'
  | 'order.invoiced'
  | (string & {});

export interface Webhook {
  id: string;
  url: string;
  events: EventName[];
  /** Limits product.updated to changes to at least one of these fields. Changes to variations match "variants", and changes to images match "images". Other events are not filtered. null: no filter. */
  filter: {
    fields: (
      | 'name'
      | 'price'
      | 'priceDiscount'
      | 'description'
      | 'quantity'
      | 'weight'
      | 'width'
      | 'height'
      | 'length'
      | 'typeId'
      | 'categoryId'
      | 'urlImage'
      | 'sku'
      | 'ean'
      | 'ncm'
      | 'cest'
      | 'fiscalOrigin'
      | 'variants'
      | 'images'
      | (string & {})
    )[];
  } | null;
  /** Skips the events that this app caused itself (origin app:<clientId>). */
  excludeOwn: boolean;
  /** failing: five deliveries in a row have failed or been dropped. A subscription is never disabled or deleted for failing. */
  status: 'active' | 'failing' | (string & {});
  createdAt: string;
  lastDeliveryAt: string | null;
}

export interface WebhookList {
  data: Webhook[];
}

export interface NewWebhook {
  /** The public http(s) URL to which deliveries are sent. It must not contain a user name or password. */
  url: string;
  events: EventName[];
  /** Limits product.updated to changes to at least one of these fields. Changes to variations match "variants", and changes to images match "images". Other events are not filtered. null: no filter. */
  filter?:
    | {
        fields: (
          | 'name'
          | 'price'
          | 'priceDiscount'
          | 'description'
          | 'quantity'
          | 'weight'
          | 'width'
          | 'height'
          | 'length'
          | 'typeId'
          | 'categoryId'
          | 'urlImage'
          | 'sku'
          | 'ean'
          | 'ncm'
          | 'cest'
          | 'fiscalOrigin'
          | 'variants'
          | 'images'
          | (string & {})
        )[];
      }
    | null
    | undefined;
  /** Skips the events that this app caused itself (origin app:<clientId>). */
  excludeOwn?: boolean | undefined;
}

export interface CreatedWebhook {
  id: string;
  url: string;
  events: EventName[];
  /** Limits product.updated to changes to at least one of these fields. Changes to variations match "variants", and changes to images match "images". Other events are not filtered. null: no filter. */
  filter: {
    fields: (
      | 'name'
      | 'price'
      | 'priceDiscount'
      | 'description'
      | 'quantity'
      | 'weight'
      | 'width'
      | 'height'
      | 'length'
      | 'typeId'
      | 'categoryId'
      | 'urlImage'
      | 'sku'
      | 'ean'
      | 'ncm'
      | 'cest'
      | 'fiscalOrigin'
      | 'variants'
      | 'images'
      | (string & {})
    )[];
  } | null;
  /** Skips the events that this app caused itself (origin app:<clientId>). */
  excludeOwn: boolean;
  /** failing: five deliveries in a row have failed or been dropped. A subscription is never disabled or deleted for failing. */
  status: 'active' | 'failing' | (string & {});
  createdAt: string;
  lastDeliveryAt: string | null;
  /** Signs deliveries. Shown only once. */
  secret: string;
}

/** Only the fields sent are changed. null removes the filter. */
export interface WebhookChange {
  /** The public http(s) URL to which deliveries are sent. It must not contain a user name or password. */
  url?: string | undefined;
  events?: EventName[] | undefined;
  /** Limits product.updated to changes to at least one of these fields. Changes to variations match "variants", and changes to images match "images". Other events are not filtered. null: no filter. */
  filter?:
    | {
        fields: (
          | 'name'
          | 'price'
          | 'priceDiscount'
          | 'description'
          | 'quantity'
          | 'weight'
          | 'width'
          | 'height'
          | 'length'
          | 'typeId'
          | 'categoryId'
          | 'urlImage'
          | 'sku'
          | 'ean'
          | 'ncm'
          | 'cest'
          | 'fiscalOrigin'
          | 'variants'
          | 'images'
          | (string & {})
        )[];
      }
    | null
    | undefined;
  /** Skips the events that this app caused itself (origin app:<clientId>). */
  excludeOwn?: boolean | undefined;
}

export interface PingAnswer {
  delivered: boolean;
  statusCode: number | null;
  error:
    | 'bad_status'
    | 'redirect'
    | 'timeout'
    | 'connect_timeout'
    | 'connection_refused'
    | 'connection_reset'
    | 'tls_failed'
    | 'name_not_found'
    | 'blocked_address'
    | 'response_too_large'
    | 'invalid_response'
    | 'secret_unreadable'
    | (string & {})
    | null;
  durationMs: number;
}

export interface DeliveryAttempt {
  number: number;
  at: string;
  statusCode: number | null;
  /** secret_unreadable: the stored secret cannot be decrypted. Rotate it. */
  error:
    | 'bad_status'
    | 'redirect'
    | 'timeout'
    | 'connect_timeout'
    | 'connection_refused'
    | 'connection_reset'
    | 'tls_failed'
    | 'name_not_found'
    | 'blocked_address'
    | 'response_too_large'
    | 'invalid_response'
    | 'secret_unreadable'
    | (string & {})
    | null;
  durationMs: number;
  /** The first kilobyte of the response body. */
  response: string | null;
}

export interface Delivery {
  id: string;
  /** The value of X-Service-Delivery in every attempt. */
  eventId: string;
  event: EventName;
  /** failed: five attempts failed, or the app was disconnected. dropped: too many deliveries were pending, or this one was overdue for more than three days. Its event is still in the feed. */
  status: 'pending' | 'delivered' | 'failed' | 'dropped' | (string & {});
  createdAt: string;
  /** When the next attempt is due, while the delivery is pending. */
  nextAttemptAt: string | null;
  attempts: DeliveryAttempt[];
}

export interface DeliveryList {
  data: Delivery[];
  meta: Meta;
}

export interface ReplayRequest {
  /** A time (RFC 3339), or a day (YYYY-MM-DD) in the time zone of the store. Deliveries created before it are left out. */
  from: string;
  /** A time or a day, in the same format as "from". Deliveries created after it are left out. Default: now. */
  to?: string | undefined;
  /** failed: deliveries that failed or were dropped. all: also those that were delivered. */
  status: 'failed' | 'all' | (string & {});
}

export interface Replayed {
  /** Number of deliveries that were queued. */
  count: number;
  /** Present if more deliveries match than could be queued. To continue, send it as "from". */
  continueFrom?: string | undefined;
}

export type Event =
  | ProductCreatedEvent
  | ProductUpdatedEvent
  | ProductDeletedEvent
  | StockUpdatedEvent
  | OrderCreatedEvent
  | OrderPaidEvent
  | OrderShippedEvent
  | OrderRefundedEvent
  | OrderCanceledEvent
  | OrderPartiallyRefundedEvent
  | OrderInvoicedEvent;

export interface EventList {
  data: Event[];
  meta: {
    limit: number;
    hasMore: boolean;
    /** Always present. Store it and continue from it later. */
    nextCursor: string;
  };
}

export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  /** Lifetime in seconds. */
  expires_in: number;
  /** Valid for 30 days and for one use. */
  refresh_token: string;
  /** The scopes of the access token, separated by spaces. */
  scope: string;
}

/** A product was created */
export interface ProductCreatedEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'product.created';
  /** Id of the store. */
  workspaceId: string;
  data: ProductCreatedData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** Fields, images or variations of a product changed */
export interface ProductUpdatedEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'product.updated';
  /** Id of the store. */
  workspaceId: string;
  data: ProductUpdatedData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** A product was deleted */
export interface ProductDeletedEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'product.deleted';
  /** Id of the store. */
  workspaceId: string;
  data: ProductDeletedData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** A stock balance changed */
export interface StockUpdatedEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'stock.updated';
  /** Id of the store. */
  workspaceId: string;
  data: StockUpdatedData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** A buyer placed an order */
export interface OrderCreatedEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'order.created';
  /** Id of the store. */
  workspaceId: string;
  data: OrderCreatedData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** An order was paid */
export interface OrderPaidEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'order.paid';
  /** Id of the store. */
  workspaceId: string;
  data: OrderPaidData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** The shipping status, shipment code, carrier or tracking URL of an order changed */
export interface OrderShippedEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'order.shipped';
  /** Id of the store. */
  workspaceId: string;
  data: OrderShippedData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** An order was refunded in full */
export interface OrderRefundedEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'order.refunded';
  /** Id of the store. */
  workspaceId: string;
  data: OrderRefundedData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** An unpaid order was canceled */
export interface OrderCanceledEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'order.canceled';
  /** Id of the store. */
  workspaceId: string;
  data: OrderCanceledData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** Part of an order was refunded at the gateway */
export interface OrderPartiallyRefundedEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'order.partially_refunded';
  /** Id of the store. */
  workspaceId: string;
  data: OrderPartiallyRefundedData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

/** An invoice was added to an order */
export interface OrderInvoicedEvent {
  /** Id of the event, sent as X-Service-Delivery in its deliveries. */
  id: string;
  /** Increases within the store. For the same product, variation or order, a later change has a higher sequence. */
  sequence: number;
  event: 'order.invoiced';
  /** Id of the store. */
  workspaceId: string;
  data: OrderInvoicedData;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  createdAt: string;
}

export interface ProductCreatedData {
  /** Id of the product. */
  id: string;
  name: string;
}

export type ProductUpdatedData =
  | {
      /** Id of the product. */
      id: string;
      /** The fields whose value changed. */
      fields: (
        | 'name'
        | 'price'
        | 'priceDiscount'
        | 'description'
        | 'quantity'
        | 'weight'
        | 'width'
        | 'height'
        | 'length'
        | 'typeId'
        | 'categoryId'
        | 'urlImage'
        | 'sku'
        | 'ean'
        | 'ncm'
        | 'cest'
        | 'fiscalOrigin'
        | 'variants'
        | 'images'
        | (string & {})
      )[];
    }
  | {
      /** Id of the product. */
      id: string;
      /** Number of variations added, changed or removed. 0 if only their types changed. */
      variants: number;
    };

export interface ProductDeletedData {
  /** Id of the product. */
  id: string;
}

export type StockUpdatedData =
  | {
      /** Id of the product. */
      id: string;
      /** The new balance. */
      quantity: number;
    }
  | {
      /** Id of the product. */
      id: string;
      /** Empty if the variation has none. */
      sku: string;
      /** The new balance. */
      quantity: number;
    };

export interface OrderCreatedData {
  /** Id of the order. */
  orderId: string;
}

export interface OrderPaidData {
  /** Id of the order. */
  orderId: string;
}

export interface OrderShippedData {
  /** Id of the order. */
  orderId: string;
  /** As in GET /orders/{id}. */
  statusShipping: string;
  /** Empty if there is none. */
  codeShipping: string;
}

export interface OrderRefundedData {
  /** Id of the order. */
  orderId: string;
}

export interface OrderCanceledData {
  /** Id of the order. */
  orderId: string;
  reason: 'expired' | 'merchant' | 'gateway' | (string & {});
}

export interface OrderPartiallyRefundedData {
  /** Id of the order. */
  orderId: string;
  /** The amount of this refund. */
  amount: number;
  /** The sum of all refunds of the order so far. */
  refundedAmount: number;
}

export interface OrderInvoicedData {
  /** Id of the order. */
  orderId: string;
  /** Key of the NF-e or DC-e. */
  key: string;
}

export interface PingData {
  /** Id of the subscription. */
  id: string;
}

export interface ListProductsQuery {
  /** The page number, from 1. page × limit must not exceed 10,000; use cursor beyond that. */
  page?: number | undefined;
  /** Entries per page: default 50, maximum 100 (higher values are treated as 100). */
  limit?: number | undefined;
  /** nextCursor of the previous page. It contains the sort order and the filters. */
  cursor?: string | undefined;
  /** name, price, quantity, createdAt or updatedAt; a leading - sorts in descending order. Default -createdAt. */
  sort?: string | undefined;
  /** images, variants or both, separated by a comma. Records then contain them as in GET /products/{id}. If a page would exceed 16 MB, the response is a 400 (page_too_large); send a smaller limit. */
  include?: string | ('images' | 'variants' | (string & {}))[] | undefined;
  /** Part of the name, sku or ean of a product, or of the sku or ean of a variation; case and accents do not matter. */
  search?: string | undefined;
  categoryId?: number | undefined;
  /** The exact sku of the product or of one of its variations. */
  sku?: string | undefined;
  /** The exact ean of the product or of one of its variations. */
  ean?: string | undefined;
  /** Changed at this time or later (RFC 3339). */
  updatedFrom?: string | Date | undefined;
  /** Changed at this time or earlier (RFC 3339). */
  updatedTo?: string | Date | undefined;
}

export interface ListStoreVariationsQuery {
  /** The page number, from 1. page × limit must not exceed 10,000; use cursor beyond that. */
  page?: number | undefined;
  /** Entries per page: default 50, maximum 100 (higher values are treated as 100). */
  limit?: number | undefined;
  /** nextCursor of the previous page. It contains the sort order and the filters. */
  cursor?: string | undefined;
  /** updatedAt; a leading - sorts in descending order. Default -updatedAt. */
  sort?: string | undefined;
  /** The exact sku. */
  sku?: string | undefined;
  /** The exact ean. */
  ean?: string | undefined;
  /** Changed at this time or later (RFC 3339). */
  updatedFrom?: string | Date | undefined;
  /** Changed at this time or earlier (RFC 3339). */
  updatedTo?: string | Date | undefined;
}

export interface PutVariationsQuery {
  /** Remove the combinations that are not listed. */
  prune?: boolean | undefined;
}

export interface ListOrdersQuery {
  /** The page number, from 1. page × limit must not exceed 10,000; use cursor beyond that. */
  page?: number | undefined;
  /** Entries per page: default 50, maximum 100 (higher values are treated as 100). */
  limit?: number | undefined;
  /** nextCursor of the previous page. It contains the sort order and the filters. */
  cursor?: string | undefined;
  /** createdAt or updatedAt; a leading - sorts in descending order. Default: -createdAt, or -updatedAt if dateType is updated. */
  sort?: string | undefined;
  dateType?: 'created' | 'updated' | (string & {}) | undefined;
  /** First day, in the store's time zone. */
  from?: string | undefined;
  /** Last day, inclusive. */
  to?: string | undefined;
  /** Part of the order number, customer name, e-mail, document (CPF or CNPJ), SKU or shipment code. A document is found with or without its punctuation. */
  search?: string | undefined;
  /** One or several of pending, paid, partial_refunded, refunded, canceled, separated by commas. */
  status?:
    | string
    | ('pending' | 'paid' | 'partial_refunded' | 'refunded' | 'canceled' | (string & {}))[]
    | undefined;
  /** One or several of pending, preparing, sent, in_transit, delivered, returned, canceled, separated by commas. */
  statusShipping?:
    | string
    | (
        | 'pending'
        | 'preparing'
        | 'sent'
        | 'in_transit'
        | 'delivered'
        | 'returned'
        | 'canceled'
        | (string & {})
      )[]
    | undefined;
  /** Changed at this time or later (RFC 3339). */
  updatedFrom?: string | Date | undefined;
  /** Changed at this time or earlier (RFC 3339). */
  updatedTo?: string | Date | undefined;
}

export interface ListCustomersQuery {
  /** The page number, from 1. page × limit must not exceed 10,000; use cursor beyond that. */
  page?: number | undefined;
  /** Entries per page: default 50, maximum 100 (higher values are treated as 100). */
  limit?: number | undefined;
  /** nextCursor of the previous page. It contains the sort order and the filters. */
  cursor?: string | undefined;
  /** lastOrderAt; a leading - sorts in descending order. Default: -lastOrderAt. */
  sort?: string | undefined;
  /** Part of the name, e-mail, document (CPF or CNPJ) or phone number. A document is found with or without its punctuation. */
  search?: string | undefined;
}

export interface ListDeliveriesQuery {
  /** The page number, from 1. page × limit must not exceed 10,000; use cursor beyond that. */
  page?: number | undefined;
  /** Entries per page: default 50, maximum 100 (higher values are treated as 100). */
  limit?: number | undefined;
  /** nextCursor of the previous page. It contains the sort order and the filters. */
  cursor?: string | undefined;
  /** createdAt; a leading - sorts in descending order. Default: -createdAt. */
  sort?: string | undefined;
  status?: 'pending' | 'delivered' | 'failed' | 'dropped' | (string & {}) | undefined;
}

export interface ReadEventsQuery {
  /** nextCursor of the previous page. Without it, the feed begins with the oldest stored event. */
  after?: string | undefined;
  /** An alias of "after". Send only one of the two. */
  cursor?: string | undefined;
  /** Entries per page: default 50, maximum 100 (higher values are treated as 100). */
  limit?: number | undefined;
}

/** The payload of each event, by event name. */
export interface EventPayloads {
  'product.created': ProductCreatedData;
  'product.updated': ProductUpdatedData;
  'product.deleted': ProductDeletedData;
  'stock.updated': StockUpdatedData;
  'order.created': OrderCreatedData;
  'order.paid': OrderPaidData;
  'order.shipped': OrderShippedData;
  'order.refunded': OrderRefundedData;
  'order.canceled': OrderCanceledData;
  'order.partially_refunded': OrderPartiallyRefundedData;
  'order.invoiced': OrderInvoicedData;
  ping: PingData;
}
