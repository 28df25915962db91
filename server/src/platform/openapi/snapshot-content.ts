import { NDJSON } from '../http/ndjson.js';

const START = object({
  snapshot: object({
    at: { type: 'string', format: 'date-time' },
    cursor: { type: 'string', description: 'The position in GET /events that belongs to the snapshot.' },
  }),
});
const END = object({
  end: object({ count: { type: 'integer', description: 'Number of records in the stream.' } }),
});

/**
 * Returns the OpenAPI description of a list that is read as a snapshot. OpenAPI 3.1 cannot describe a sequence of JSON
 * values, so the schema describes a single line.
 */
export function snapshotContent(record: object): object {
  return {
    [NDJSON]: {
      schema: {
        description:
          'The schema of each line. With Accept: application/x-ndjson and no query parameter, the response contains every record of one consistent snapshot. The first line has the position in GET /events that belongs to the snapshot: apply the events after that position, in order, to stay up to date. The last line has the count: a stream without that line is incomplete. A snapshot counts as one call, and an app can read only one snapshot of a store at a time. Read it without pauses, within 30 minutes.',
        anyOf: [START, record, END],
      },
    },
  };
}

function object(properties: Record<string, object>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}
