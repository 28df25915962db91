import { hasValidCheckDigit } from '../../orders/access-key.js';
import type { Buyer } from '../../orders/records.js';
import { cpfDigits } from '../../orders/tax-id.js';

export interface DemoOrder {
  hoursAgo: number;
  buyer: number;
  products: string[];
  method: 'pix' | 'card' | 'boleto';
  installments: number;
  service: 'economy' | 'express';
  stage:
    | 'pending'
    | 'canceled'
    | 'paid'
    | 'label'
    | 'sent'
    | 'in_transit'
    | 'delivered'
    | 'refunded'
    | 'partly_refunded';
}

const PEOPLE: [
  name: string,
  street: string,
  district: string,
  city: string,
  state: string,
  area: string,
  zip: string,
][] = [
  ['Ana Beatriz Almeida', 'Rua Augusta', 'Consolação', 'São Paulo', 'SP', '11', '01305000'],
  ['Caio Ferreira', 'Rua Coronel Quirino', 'Cambuí', 'Campinas', 'SP', '19', '13025001'],
  ['Elisa Nunes', 'Rua Voluntários da Pátria', 'Botafogo', 'Rio de Janeiro', 'RJ', '21', '22270010'],
  ['Fábio Gomes', 'Rua Pernambuco', 'Savassi', 'Belo Horizonte', 'MG', '31', '30130151'],
  ['Gabriela Rocha', 'Avenida Oceânica', 'Barra', 'Salvador', 'BA', '71', '40140130'],
  ['Heitor Lima', 'Avenida Boa Viagem', 'Boa Viagem', 'Recife', 'PE', '81', '51020000'],
  ['Iara Barbosa', 'Rua Ramos Ferreira', 'Centro', 'Manaus', 'AM', '92', '69010120'],
  ['João Pedro Costa', 'SQS 308 Bloco C', 'Asa Sul', 'Brasília', 'DF', '61', '70355030'],
  ['Lívia Souza', 'Rua Bispo Dom José', 'Batel', 'Curitiba', 'PR', '41', '80440080'],
  ['Otávio Dias', 'Rua Padre Chagas', 'Moinhos de Vento', 'Porto Alegre', 'RS', '51', '90570080'],
  ['Renata Moreira', 'Avenida Beira Mar', 'Meireles', 'Fortaleza', 'CE', '85', '60165121'],
  ['Sérgio Tavares', 'Rua Bocaiúva', 'Centro', 'Florianópolis', 'SC', '48', '88015530'],
  ['Tereza Cardoso', 'Rua Aleixo Neto', 'Praia do Canto', 'Vitória', 'ES', '27', '29055260'],
  ['Vinícius Prado', 'Avenida T-4', 'Setor Bueno', 'Goiânia', 'GO', '62', '74230035'],
];

export const DEMO_BUYERS: Buyer[] = PEOPLE.map(([name, street, district, city, state, area, zipCode], at) => {
  const nine = String(318_204_570 + at * 7_919);
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll(' ', '.');
  return {
    name,
    email: `${plain}@cliente.example`,
    phone: `${area}9${String(81_450_000 + at * 13_337)}`,
    document: `${nine}${cpfDigits(nine)}`,
    address: {
      street,
      number: String(40 + at * 37),
      complement: at % 3 === 0 ? `Apto ${at + 12}` : null,
      district,
      city,
      state,
      zipCode,
      country: 'BR',
    },
  };
});

const BASKETS = [
  ['Café em Grãos 500 g', 'Caneca Esmaltada'],
  ['Moletom com Capuz'],
  ['Mel Silvestre 300 g', 'Chocolate 70% Cacau'],
  ['Camiseta Básica'],
  ['Fone de Ouvido Bluetooth'],
  ['Almofada Geométrica', 'Vaso de Cerâmica'],
  ['Caderno Pontilhado'],
  ['Bule Esmaltado 1 L', 'Café em Grãos 500 g'],
  ['Mochila Passeio 20 L'],
  ['Azeite Extra Virgem 500 ml', 'Tábua de Corte em Acácia'],
  ['Boné de Algodão'],
  ['Blocos de Madeira'],
  ['Creme para as Mãos', 'Sabonete Artesanal'],
  ['Relógio Clássico'],
  ['Tênis Urbano'],
];
const RECENT: DemoOrder['stage'][] = [
  'pending',
  'paid',
  'paid',
  'label',
  'paid',
  'canceled',
  'sent',
  'label',
];
const METHODS: DemoOrder['method'][] = ['pix', 'card', 'pix', 'card', 'boleto'];
const COUNT = 42;

/** Two weeks of orders, oldest first: three a day, the older ones mostly delivered, the latest mostly still open. */
export const DEMO_ORDERS: DemoOrder[] = Array.from({ length: COUNT }, (_, at) => {
  const left = COUNT - 1 - at;
  const hoursAgo = left * 8 + 2;
  return {
    hoursAgo,
    // Steps of 5 reach each of the 14 buyers before any is repeated, so every buyer orders three times.
    buyer: (at * 5) % PEOPLE.length,
    products: BASKETS[(at * 4) % BASKETS.length]!,
    method: METHODS[at % METHODS.length]!,
    installments: 1 + ((at * 3) % 6),
    service: at % 3 === 0 ? 'express' : 'economy',
    stage: stageOf(at, left),
  };
});

function stageOf(at: number, left: number): DemoOrder['stage'] {
  if (left < RECENT.length) return RECENT[left]!;
  if (left < 16) return 'in_transit';
  if (at % 13 === 5) return 'refunded';
  if (at % 13 === 8) return 'partly_refunded';
  return at % 13 === 11 ? 'canceled' : 'delivered';
}

/**
 * Returns a valid access key for an invoice of a fictitious issuer. The parts of a key are state, year, month, CNPJ,
 * model, series, number, emission type, code and check digit.
 */
export function accessKey(number: number): string {
  const body = `3526${'01'}11222333000181${'55'}001${String(number).padStart(9, '0')}1${String(number * 7919)
    .padStart(8, '0')
    .slice(-8)}`;
  return [...'0123456789'].map((digit) => body + digit).find(hasValidCheckDigit) as string;
}
