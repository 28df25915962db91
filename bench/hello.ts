import Fastify from 'fastify';

/** What every ratio is measured against: Fastify with one route, no logging and no schema. */
const app = Fastify();
app.get('/', async () => ({ hello: 'world' }));
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
