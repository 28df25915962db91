import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export const FOLDER = process.env.ERP_FOLDER ?? '.feira/erp';
const FILE = `${FOLDER}/state.json`;

/**
 * The state of the ERP, in one JSON file. Saving replaces the file, so a crash leaves either the old or the new state.
 * A position in a feed is saved together with the data that was read up to it.
 */
export function openState() {
  mkdirSync(FOLDER, { recursive: true });
  const data = {
    /** Products by id, with their variations. */
    products: {},
    /** Orders by id. */
    orders: {},
    /** The ids of the orders for which the ERP has nothing left to do. */
    done: {},
    /** Stock changes that may not have reached the store yet. */
    stockToSend: [],
    ...read(),
  };
  const save = () => {
    writeFileSync(`${FILE}.new`, JSON.stringify(data));
    renameSync(`${FILE}.new`, FILE);
  };
  return { data, save };
}

function read() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}
