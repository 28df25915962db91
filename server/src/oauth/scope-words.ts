import type { Language } from '../platform/html/language.js';
import type { Scope } from './scopes.js';

/** What each scope means to the merchant who is asked for it. */
export const SCOPE_WORDS: Record<Language, Record<Scope, string>> = {
  en: {
    'products:read': 'See your products, with prices, stock and images',
    'products:write': 'Create, change and delete your products',
    'stock:write': 'Change how much of each product you have in stock',
    'categories:read': 'See the list of categories',
    'customers:read': 'See your customers: names, contacts and addresses',
    'orders:read': 'See your orders and who placed them',
    'orders:write': 'Change the shipping status of orders and refund them in full',
    'shipping:read': 'Track your shipments',
    'shipping:write': 'Create shipping labels for your orders',
    'media:write': 'Add and remove images of your products',
    'webhooks:manage': 'Be told at once when products, stock or orders change',
  },
  pt: {
    'products:read': 'Ver seus produtos, com preços, estoque e imagens',
    'products:write': 'Criar, alterar e excluir seus produtos',
    'stock:write': 'Alterar quanto você tem de cada produto em estoque',
    'categories:read': 'Ver a lista de categorias',
    'customers:read': 'Ver seus clientes: nomes, contatos e endereços',
    'orders:read': 'Ver seus pedidos e quem os fez',
    'orders:write': 'Alterar o status de envio dos pedidos e reembolsá-los por inteiro',
    'shipping:read': 'Rastrear seus envios',
    'shipping:write': 'Criar etiquetas de envio para seus pedidos',
    'media:write': 'Adicionar e remover imagens dos seus produtos',
    'webhooks:manage': 'Ser avisado na hora quando produtos, estoque ou pedidos mudarem',
  },
};
