import Fastify from 'fastify';

/** The baseline of every ratio in requests.ts: Fastify with one route, without logging or schemas. */
const app = Fastify();
app.get('/', async () => ({ hello: 'world' }));
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
