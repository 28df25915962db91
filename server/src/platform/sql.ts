export * from './db/sql.js';
