import { money } from '../../platform/html/money.js';
import type { ProductList } from '../product-list.js';
import {
  isFiltered,
  type ProductListRequest,
  productListAddress,
  SHOP_SORTS,
  type ShopSort,
} from '../product-list-request.js';
import { productCount } from './product-count.js';
import type { Visit } from './shell.js';

const TEXTS = {
  en: {
    open: 'Filter and sort',
    sort: 'Sort by',
    sorts: {
      newest: 'Newest',
      price: 'Price: low to high',
      '-price': 'Price: high to low',
      name: 'Name',
    } satisfies Record<ShopSort, string>,
    min: 'Price from (R$)',
    max: 'Price to (R$)',
    stock: 'In stock only',
    inStock: 'In stock',
    from: (amount: string) => `From ${amount}`,
    upTo: (amount: string) => `Up to ${amount}`,
    apply: 'Show products',
    active: 'Active filters',
    remove: 'remove filter',
    clear: 'Clear all',
  },
  pt: {
    open: 'Filtrar e ordenar',
    sort: 'Ordenar por',
    sorts: {
      newest: 'Mais recentes',
      price: 'Menor preço',
      '-price': 'Maior preço',
      name: 'Nome (A a Z)',
    } satisfies Record<ShopSort, string>,
    min: 'Preço mínimo (R$)',
    max: 'Preço máximo (R$)',
    stock: 'Somente em estoque',
    inStock: 'Em estoque',
    from: (amount: string) => `A partir de ${amount}`,
    upTo: (amount: string) => `Até ${amount}`,
    apply: 'Ver produtos',
    active: 'Filtros ativos',
    remove: 'remover filtro',
    clear: 'Limpar tudo',
  },
};

interface Props {
  visit: Visit;
  request: ProductListRequest;
  list: ProductList;
}

/** A form that changes the address of the list, so that a filtered list can be shared and opened again. */
export function Filters({ visit, request, list }: Props) {
  const texts = TEXTS[visit.language];
  const { search, category, sort, inStock, min, max } = request;
  return (
    <div class="filters">
      <details>
        <summary>{texts.open}</summary>
        <form action={`/s/${visit.shop.slug}`}>
          {search !== '' && <input type="hidden" name="q" value={search} />}
          {category !== undefined && <input type="hidden" name="category" value={category} />}
          <p class="field">
            <label for="sort">{texts.sort}</label>
            <select id="sort" name="sort">
              {SHOP_SORTS.map((each) => (
                <option key={each} value={each} selected={each === sort}>
                  {texts.sorts[each]}
                </option>
              ))}
            </select>
          </p>
          <p class="field">
            <label for="min">{texts.min}</label>
            <input id="min" name="min" inputmode="decimal" value={amountText(min, visit)} maxLength={18} />
          </p>
          <p class="field">
            <label for="max">{texts.max}</label>
            <input id="max" name="max" inputmode="decimal" value={amountText(max, visit)} maxLength={18} />
          </p>
          <label class="check">
            <input type="checkbox" name="stock" value="in" checked={inStock} />
            {texts.stock}
          </label>
          <button type="submit">{texts.apply}</button>
        </form>
      </details>
      <p class="hint">
        {productCount(list, visit.language)} · {texts.sorts[sort]}
      </p>
      {isFiltered(request) && <ActiveFilters visit={visit} request={request} />}
    </div>
  );
}

/** Each active filter is shown as a link to the list without this filter. */
function ActiveFilters({ visit, request }: Omit<Props, 'list'>) {
  const { language, shop } = visit;
  const texts = TEXTS[language];
  const { inStock, min, max } = request;
  const without = (change: Partial<ProductListRequest>) =>
    productListAddress(shop.slug, { ...request, page: 1, ...change });
  const active: [label: string, address: string][] = [];
  if (inStock) active.push([texts.inStock, without({ inStock: false })]);
  if (min !== undefined) active.push([texts.from(money(min, language)), without({ min: undefined })]);
  if (max !== undefined) active.push([texts.upTo(money(max, language)), without({ max: undefined })]);
  return (
    <ul class="active" aria-label={texts.active}>
      {active.map(([label, address]) => (
        <li key={label}>
          <a href={address}>
            {label} <span aria-hidden="true">×</span>
            <span class="visually-hidden"> ({texts.remove})</span>
          </a>
        </li>
      ))}
      {active.length > 1 && (
        <li>
          <a class="plain" href={without({ inStock: false, min: undefined, max: undefined })}>
            {texts.clear}
          </a>
        </li>
      )}
    </ul>
  );
}

function amountText(amount: number | undefined, { language }: Visit): string {
  if (amount === undefined) return '';
  const text = Number.isInteger(amount) ? String(amount) : amount.toFixed(2);
  return language === 'pt' ? text.replace('.', ',') : text;
}
