import type { Api } from '../api.js';
import { callSite } from '../errors.js';
import { Feed, type FollowOptions } from '../feed.js';
import type { Event } from '../types.js';

export class Events {
  constructor(private readonly api: Api) {}

  /**
   * Returns the events of the store after `cursor`, oldest first. Without a cursor, the feed starts with the oldest
   * stored event. Events are stored for at least 30 days.
   */
  after(cursor?: string, options?: FollowOptions): Feed<Event> {
    return new Feed(this.api, '/events', cursor, (after) => ({ after }), options, callSite(this.after));
  }
}
