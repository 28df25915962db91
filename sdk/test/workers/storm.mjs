// A separate process that makes many calls and prints the status and time of each response. Used by
// processes.long.test.ts.
import { Feira } from '@feira/sdk';
import { FileBudget } from '@feira/sdk/node';

const { baseUrl, token, budget, count } = JSON.parse(process.argv[2]);
const store = new Feira({
  baseUrl,
  token,
  ...(budget && { budget: new FileBudget(budget) }),
  fetch: async (input, init) => {
    const response = await fetch(input, init);
    console.log(JSON.stringify({ status: response.status, at: Date.now() }));
    return response;
  },
});
await Promise.all(Array.from({ length: count }, () => store.me()));
console.log('done');
