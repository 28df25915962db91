import type { Category } from '../categories.js';
import { categoryName } from '../category-names.js';
import { productAddress } from '../product-address.js';
import type { ListedProduct, ProductList } from '../product-list.js';
import { isFiltered, type ProductListRequest, productListAddress } from '../product-list-request.js';
import { Filters } from './filters.js';
import { Picture, Price, SaleBadge, Stock } from './product-cards.js';
import { productCount } from './product-count.js';
import { ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    all: 'All',
    categories: 'Categories',
    found: (count: string, search: string) => `${count} for “${search}”`,
    nothing: (search: string) => `No products for “${search}”`,
    none: 'Check the spelling or try a shorter word.',
    noneWith: 'No products match these filters.',
    noneHere: 'There are no products in this category.',
    about: (count: string, subject: string, shop: string) =>
      `${subject === shop ? shop : `${subject} – ${shop}`}: ${count}. Pay by Pix, card or boleto.`,
    empty: 'There are no products yet.',
    everything: 'View all products',
    pages: 'Pages',
    before: 'Previous',
    after: 'Next',
    of: (page: number, pages: number) => `Page ${page} of ${pages}`,
  },
  pt: {
    all: 'Todos',
    categories: 'Categorias',
    found: (count: string, search: string) => `${count} para “${search}”`,
    nothing: (search: string) => `Nenhum produto encontrado para “${search}”`,
    none: 'Confira a grafia ou tente uma palavra mais curta.',
    noneWith: 'Nenhum produto corresponde a esses filtros.',
    noneHere: 'Não há produtos nesta categoria.',
    about: (count: string, subject: string, shop: string) =>
      `${subject === shop ? shop : `${subject} – ${shop}`}: ${count}, com pagamento por Pix, cartão ou boleto.`,
    empty: 'Ainda não há produtos nesta loja.',
    everything: 'Ver todos os produtos',
    pages: 'Páginas',
    before: 'Anterior',
    after: 'Próxima',
    of: (page: number, pages: number) => `Página ${page} de ${pages}`,
  },
};

export function ProductListPage(props: {
  visit: Visit;
  request: ProductListRequest;
  list: ProductList;
  /** The categories that have products. */
  categories: Category[];
  category: Category | undefined;
  /** The public address of this server. */
  origin: string;
}) {
  const { visit, request, list, categories, category } = props;
  const { shop, language } = visit;
  const texts = TEXTS[language];
  const { search } = request;
  const isNarrowed = search !== '' || category !== undefined || isFiltered(request);
  const title = category ? categoryName(category.id, language) : shop.name;
  const found = list.total === 0 ? texts.nothing(search) : texts.found(productCount(list, language), search);
  const heading = search ? found : title;
  return (
    <ShopPage visit={visit} title={heading} search={search} about={describe(props)}>
      {categories.length > 1 && <Categories {...props} />}
      <h1>{heading}</h1>
      {(list.total > 1 || isFiltered(request)) && <Filters visit={visit} request={request} list={list} />}
      {list.items.length === 0 ? (
        <div class="lost">
          <p>
            {isFiltered(request)
              ? texts.noneWith
              : search
                ? texts.none
                : category
                  ? texts.noneHere
                  : texts.empty}
          </p>
          {isNarrowed && (
            <p>
              <a href={`/s/${shop.slug}`}>{texts.everything}</a>
            </p>
          )}
        </div>
      ) : (
        <ul class="products">
          {list.items.map((item, at) => (
            <li key={item.id}>
              <ProductCard visit={visit} item={item} eager={at < 4} />
            </li>
          ))}
        </ul>
      )}
      {list.pages > 1 && <Pages {...props} />}
    </ShopPage>
  );
}

function describe({ visit, request, list, category, origin }: Parameters<typeof ProductListPage>[0]) {
  const { page } = request;
  const { shop, language } = visit;
  const subject = category ? categoryName(category.id, language) : shop.name;
  return {
    description: TEXTS[language].about(productCount(list, language), subject, shop.name),
    canonical: `${origin}${productListAddress(shop.slug, { category: category?.id, page })}`,
    image: list.items.find(({ cover }) => cover)?.cover ?? undefined,
    // Search engines should index only the plain lists, not every sort order, filter or search result.
    hidden: request.search !== '' || request.sort !== 'newest' || isFiltered(request),
  };
}

function ProductCard({ visit, item, eager }: { visit: Visit; item: ListedProduct; eager: boolean }) {
  const { shop, language } = visit;
  return (
    <a class="product-card" href={productAddress(shop.slug, item)}>
      <Picture
        url={item.cover}
        name={item.name}
        eager={eager}
        sizes="(max-width: 46rem) 45vw, 16rem"
        resizedFrom={visit.resizedFrom}
      />
      <SaleBadge price={item.price} listPrice={item.listPrice} language={language} />
      <h2>{item.name}</h2>
      <Price
        price={item.price}
        listPrice={item.listPrice}
        from={item.highest > item.price}
        language={language}
      />
      {item.stock <= 5 && <Stock left={item.stock} language={language} />}
    </a>
  );
}

function Categories({
  visit,
  request,
  list,
  categories,
  category: chosen,
}: Parameters<typeof ProductListPage>[0]) {
  const { shop, language } = visit;
  const texts = TEXTS[language];
  const top = chosen?.parentId ?? chosen?.id;
  const row = (parentId: number | null) => categories.filter((category) => category.parentId === parentId);
  const below = top === undefined ? [] : row(top);
  const link = (id: number | undefined, label: string, current: boolean) => (
    <a
      key={id}
      // If the list is empty, the links drop search and filters, which may match nothing in other categories either.
      href={productListAddress(
        shop.slug,
        list.total === 0 ? { category: id } : { ...request, category: id, page: 1 },
      )}
      aria-current={current ? 'true' : undefined}
    >
      {label}
    </a>
  );
  return (
    <nav class="categories" aria-label={texts.categories}>
      <div>
        {link(undefined, texts.all, top === undefined)}
        {row(null).map(({ id }) => link(id, categoryName(id, language), id === top))}
      </div>
      {below.length > 0 && (
        <div class="below">
          {below.map(({ id }) => link(id, categoryName(id, language), id === chosen?.id))}
        </div>
      )}
    </nav>
  );
}

function Pages({ visit, request, list }: Parameters<typeof ProductListPage>[0]) {
  const texts = TEXTS[visit.language];
  const to = (page: number) => productListAddress(visit.shop.slug, { ...request, page });
  return (
    <nav class="pages" aria-label={texts.pages}>
      {request.page > 1 && (
        <a rel="prev" href={to(request.page - 1)}>
          {texts.before}
        </a>
      )}
      <span>{texts.of(request.page, list.pages)}</span>
      {request.page < list.pages && (
        <a rel="next" href={to(request.page + 1)}>
          {texts.after}
        </a>
      )}
    </nav>
  );
}
