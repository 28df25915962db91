import pg from 'pg';
import type { Statement } from './sql.js';

export type QueryDone = (error: Error | null, result: { rows: unknown[] }) => void;

/** What pg knows about the columns of a statement after PostgreSQL described them. */
interface Shape {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** What pg has and its types leave out. The exact version of pg is pinned, and the tests run through all of it. */
interface Wire {
  bind(message: object): void;
  execute(): void;
  sync(): void;
}
interface Internals {
  text: string;
  callback: QueryDone;
  name: string | undefined;
  values: unknown[];
  _result: Shape;
  _accumulateRows: boolean;
  prepare(connection: Wire): void;
  handleRowDescription(message: object): void;
  handleError(error: unknown, connection: Wire): void;
}
const Query = pg.Query as unknown as new (config: object) => Internals;
const NOTHING = {};
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/**
 * A statement that is described once per connection. pg has every execution described anew: PostgreSQL writes the
 * columns out and pg looks up a parser for each, which for a product costs as much as reading its row.
 */
export class PreparedQuery extends Query {
  private shapes: Map<string, Shape> | undefined;

  constructor(statement: Statement, done: QueryDone) {
    // Not through the config, which pg copies property by property.
    super(NOTHING);
    this.text = statement.text;
    this.values = statement.values as unknown[];
    this.name = statement.name;
    this.callback = done;
  }

  override prepare(connection: Wire): void {
    this.shapes = shapesOf(connection);
    const shape = this.name === undefined ? undefined : this.shapes.get(this.name);
    if (!shape) {
      super.prepare(connection);
      return;
    }
    Object.assign(this._result, shape);
    this._accumulateRows = true;
    try {
      connection.bind({ statement: this.name, values: this.values, valueMapper: prepareValue });
      connection.execute();
    } catch (error) {
      this.handleError(error, connection);
    }
    connection.sync();
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    if (this.name === undefined) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.shapes?.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

const shapesByConnection = new WeakMap<Wire, Map<string, Shape>>();

function shapesOf(connection: Wire): Map<string, Shape> {
  let shapes = shapesByConnection.get(connection);
  if (!shapes) {
    shapes = new Map();
    shapesByConnection.set(connection, shapes);
  }
  return shapes;
}
