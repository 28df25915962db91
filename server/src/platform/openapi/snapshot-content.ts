import { NDJSON } from '../http/ndjson.js';

const START = object({
  snapshot: object({
    at: { type: 'string', format: 'date-time' },
    cursor: { type: 'string', description: 'The position in GET /events that belongs to the snapshot.' },
  }),
});
const END = object({
  end: object({ count: { type: 'integer', description: 'How many records were sent.' } }),
});

/** The content of a list as a snapshot. OpenAPI 3.1 cannot describe a sequence of JSON values: the schema is that of a line. */
export function snapshotContent(record: object): object {
  return {
    [NDJSON]: {
      schema: {
        description:
          'The schema of each line. With Accept: application/x-ndjson and no query parameter: every record of one consistent snapshot. The first line has the position in GET /events that belongs to it: apply the events after it, in their order, to keep up. The last line has the count: a stream without it is incomplete. A snapshot counts as one call. One at a time per store and app. It has to be read without pauses, within 30 minutes.',
        anyOf: [START, record, END],
      },
    },
  };
}

function object(properties: Record<string, object>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}
