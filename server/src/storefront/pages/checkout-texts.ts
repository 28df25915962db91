import type { DeliveryOption } from '../../checkout/delivery-options.js';
import type { StoreLimits } from '../../checkout/limits.js';
import { formatCount } from '../../platform/html/count.js';

const days = (one: string, many: string) => (count: number) =>
  count === 1 ? one : many.replace('%', String(count));

export const CHECKOUT_TEXTS = {
  en: {
    title: 'Checkout',
    where: 'Where should we deliver?',
    zipFirst: 'Enter the postal code to calculate shipping.',
    go: 'Continue',
    back: 'Back to the cart',
    who: 'Your details',
    address: 'Delivery address',
    delivery: 'Delivery',
    payment: 'Payment',
    summary: 'Your order',
    subtotal: 'Subtotal',
    freight: 'Delivery',
    free: 'Free',
    total: 'Total',
    place: 'Place order',
    next: 'You pay on the next page.',
    update: 'Update delivery',
    labels: {
      name: 'Full name',
      email: 'E-mail',
      phone: 'Phone',
      document: 'CPF or CNPJ',
      zip: 'CEP',
      street: 'Street',
      number: 'Number',
      complement: 'Apartment, suite, etc. (optional)',
      district: 'District',
      city: 'City',
      state: 'State',
      installments: 'Installments',
    },
    hints: { phone: 'With area code', email: 'Used by the shop to contact you' },
    choose: 'Choose',
    services: {
      economy: 'Economy',
      express: 'Express',
      digital: 'Digital delivery',
    } satisfies Record<DeliveryOption['service'], string>,
    days: days('1 business day', '% business days'),
    methods: { pix: 'Pix', card: 'Credit card', boleto: 'Boleto' },
    about: {
      pix: 'Confirmed in seconds',
      card: 'Up to 12 installments without interest',
      boleto: 'Confirmed within two business days of payment',
    },
    times: (count: number, part: string) => `${count}× ${part}`,
    faults: {
      missing: 'This field is required.',
      long: 'This is too long.',
      characters: 'This contains invalid characters.',
      email: 'Enter a valid e-mail address.',
      phone: 'Enter area code and number (10 or 11 digits).',
      document: 'Invalid CPF or CNPJ. Check what you typed.',
      zip: 'Enter a CEP with 8 digits.',
      zipUnknown: 'This CEP does not exist. Check the digits.',
      zipState: 'This CEP is not in the selected state.',
      choice: 'Choose one.',
    },
    check: (count: number) => (count === 1 ? 'Check 1 field.' : `Check ${count} fields.`),
    changed: 'The cart, a price or the shipping cost has changed. Review the order and confirm it again.',
    tooMuch: 'The total exceeds the maximum for an order. Reduce the quantity.',
    tooManyUnits: ({ maxUnitsPerLine, maxUnitsPerOrder }: StoreLimits) =>
      `This shop sells at most ${units(maxUnitsPerLine)} of one item and ${units(maxUnitsPerOrder)} in one order.`,
    tooManyOrders:
      'There are too many recent or unpaid orders from your connection. Pay an unpaid one, or try again in ten minutes.',
    shopBusy: 'This shop is receiving too many orders right now. Try again in ten minutes.',
    unavailable: 'Some items are no longer available.',
  },
  pt: {
    title: 'Finalizar compra',
    where: 'Onde você quer receber?',
    zipFirst: 'Informe o CEP para calcular o frete.',
    go: 'Continuar',
    back: 'Voltar ao carrinho',
    who: 'Seus dados',
    address: 'Endereço de entrega',
    delivery: 'Entrega',
    payment: 'Pagamento',
    summary: 'Seu pedido',
    subtotal: 'Subtotal',
    freight: 'Frete',
    free: 'Grátis',
    total: 'Total',
    place: 'Fazer pedido',
    next: 'Você paga na próxima página.',
    update: 'Atualizar frete',
    labels: {
      name: 'Nome completo',
      email: 'E-mail',
      phone: 'Telefone',
      document: 'CPF ou CNPJ',
      zip: 'CEP',
      street: 'Rua',
      number: 'Número',
      complement: 'Complemento (opcional)',
      district: 'Bairro',
      city: 'Cidade',
      state: 'Estado',
      installments: 'Parcelas',
    },
    hints: { phone: 'Com DDD', email: 'Usado pela loja para falar com você' },
    choose: 'Escolha',
    services: {
      economy: 'Econômica',
      express: 'Expressa',
      digital: 'Entrega digital',
    } satisfies Record<DeliveryOption['service'], string>,
    days: days('1 dia útil', '% dias úteis'),
    methods: { pix: 'Pix', card: 'Cartão de crédito', boleto: 'Boleto' },
    about: {
      pix: 'Aprovação em segundos',
      card: 'Em até 12 vezes sem juros',
      boleto: 'Aprovação em até dois dias úteis após o pagamento',
    },
    times: (count: number, part: string) => `${count}× de ${part}`,
    faults: {
      missing: 'Preencha este campo.',
      long: 'O texto é muito longo.',
      characters: 'O texto contém caracteres inválidos.',
      email: 'Informe um e-mail válido.',
      phone: 'Informe DDD e número (10 ou 11 dígitos).',
      document: 'CPF ou CNPJ inválido. Confira o que você digitou.',
      zip: 'Informe um CEP com 8 dígitos.',
      zipUnknown: 'CEP não encontrado. Confira os números.',
      zipState: 'Este CEP não pertence ao estado selecionado.',
      choice: 'Escolha uma opção.',
    },
    check: (count: number) => (count === 1 ? 'Confira 1 campo.' : `Confira ${count} campos.`),
    changed: 'O carrinho, o preço ou o frete mudou. Revise o pedido e confirme novamente.',
    tooMuch: 'O total excede o valor máximo de um pedido. Reduza a quantidade.',
    tooManyUnits: ({ maxUnitsPerLine, maxUnitsPerOrder }: StoreLimits) =>
      `Esta loja vende no máximo ${unidades(maxUnitsPerLine)} de cada item e ${unidades(maxUnitsPerOrder)} por pedido.`,
    tooManyOrders:
      'Há muitos pedidos recentes ou não pagos feitos a partir da sua conexão. Pague um pedido pendente ou tente novamente em dez minutos.',
    shopBusy: 'Esta loja está recebendo muitos pedidos agora. Tente novamente em dez minutos.',
    unavailable: 'Alguns itens não estão mais disponíveis.',
  },
};

function units(count: number): string {
  return count === 1 ? '1 unit' : `${formatCount(count, 'en')} units`;
}

function unidades(count: number): string {
  return count === 1 ? '1 unidade' : `${formatCount(count, 'pt')} unidades`;
}
