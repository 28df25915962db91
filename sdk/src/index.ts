export type { Call, WithResponse } from './call.js';
export { Feira } from './client.js';
export type { Clock } from './clock.js';
export { type ErrorCode, type ErrorDetail, FeiraError, ReconnectNeeded } from './errors.js';
export type { Feed, FeedPage, FollowOptions } from './feed.js';
export type { List, Page } from './list.js';
export type {
  CallOptions,
  ConditionalOptions,
  DryRunOptions,
  FeiraOptions,
  Priority,
  TokenSource,
  WriteOptions,
} from './options.js';
export {
  type Budget,
  type BudgetReport,
  type BudgetState,
  MemoryBudget,
  reserve,
  settle,
} from './pacing/budget.js';
export type { StockEntry, StockLine, StockResult } from './resources/stock.js';
export type { Snapshot, SnapshotOptions } from './snapshot.js';
export type * from './types.js';
export type { UploadOptions } from './upload.js';
