import type { Language } from '../platform/html/language.js';
import type { Scope } from './scopes.js';

/** The description of each scope on the consent screen. */
export const SCOPE_TEXTS: Record<Language, Record<Scope, string>> = {
  en: {
    'products:read': 'See your products, with prices, stock and images',
    'products:write': 'Create, change and delete your products',
    'stock:write': 'Change the stock of your products',
    'categories:read': 'See the list of categories',
    'customers:read': 'See your customers: names, CPF or CNPJ numbers, contact details and addresses',
    'orders:read': 'See your orders and who placed them',
    'orders:write': 'Change the shipping status of orders, add and remove invoices, and issue full refunds',
    'shipping:read': 'Track your shipments and download their labels',
    'shipping:write': 'Create shipping labels for your orders',
    'media:write': 'Add, arrange and remove images of your products',
    'webhooks:manage': 'Receive notifications when products, stock or orders change',
  },
  pt: {
    'products:read': 'Ver seus produtos, com preços, estoque e imagens',
    'products:write': 'Criar, alterar e excluir seus produtos',
    'stock:write': 'Alterar o estoque dos seus produtos',
    'categories:read': 'Ver a lista de categorias',
    'customers:read': 'Ver seus clientes: nomes, CPF ou CNPJ, contatos e endereços',
    'orders:read': 'Ver seus pedidos e quem os fez',
    'orders:write':
      'Alterar o status de envio dos pedidos, adicionar e remover notas fiscais e fazer reembolsos totais',
    'shipping:read': 'Rastrear seus envios e baixar as etiquetas',
    'shipping:write': 'Criar etiquetas de envio para seus pedidos',
    'media:write': 'Adicionar, organizar e remover imagens dos seus produtos',
    'webhooks:manage': 'Receber notificações quando produtos, estoque ou pedidos mudarem',
  },
};
