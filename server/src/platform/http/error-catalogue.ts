import { RECORD_ERRORS } from './record-errors.js';
import { REQUEST_ERRORS } from './request-errors.js';

export type { ErrorEntry } from './error-entry.js';

/** Every `code` that the server sends in an error body. A code is never renamed and never changes its meaning. */
export const ERROR_CATALOGUE = { ...REQUEST_ERRORS, ...RECORD_ERRORS };

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export const ERROR_CODES = Object.keys(ERROR_CATALOGUE).sort() as ErrorCode[];
