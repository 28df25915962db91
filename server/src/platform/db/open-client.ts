import pg from 'pg';

/** Opens a separate connection for a few statements, such as those of a migration. The caller closes it with `end`. */
export async function openClient(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection);
  // Without a listener, a connection that breaks would end the process. The pending or next statement rejects anyway.
  client.on('error', () => {});
  await client.connect();
  return client;
}
