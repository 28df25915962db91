// A separate process that makes 20 concurrent calls when it receives input. Used by processes.long.test.ts.
import { once } from 'node:events';
import { FileTokens } from '@feira/sdk/node';
import { FeiraApp } from '@feira/sdk/oauth';

const { workspaceId, folder, ...options } = JSON.parse(process.argv[2]);
const store = new FeiraApp({ ...options, tokens: new FileTokens(folder) }).store(workspaceId);
console.log('ready');
await once(process.stdin, 'data');
const answers = await Promise.all(Array.from({ length: 20 }, () => store.me()));
console.log(`done ${answers.length}`);
process.exit();
