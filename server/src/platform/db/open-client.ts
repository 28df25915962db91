import pg from 'pg';

/** A connection of its own for a few statements, such as those of a migration. Close it with `end`. */
export async function openClient(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection);
  // Without a listener, a connection that breaks would end the process. The next statement fails with the reason.
  client.on('error', () => {});
  await client.connect();
  return client;
}
