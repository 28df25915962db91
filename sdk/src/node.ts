export { FileBudget } from './node/file-budget.js';
export { FileTokens } from './node/file-tokens.js';
