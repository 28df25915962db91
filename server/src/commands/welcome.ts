import { join } from 'node:path';
import type { Config } from '../platform/config.js';
import { DEMO_REDIRECT_URI, type OpenedDemo } from './demo.js';

/**
 * Returns the text that a server with a demo store prints when it starts. It contains secrets only if the output is a
 * terminal, because other outputs end up in logs.
 */
export function welcome(
  { publicUrl, dataFolder }: Pick<Config, 'publicUrl' | 'dataFolder'>,
  demo: OpenedDemo,
  toTerminal: boolean,
): string {
  const file = join(dataFolder, 'demo.json');
  const rows = [
    ['Documentation', `${publicUrl}/docs`],
    ['Demo shop', `${publicUrl}/s/${demo.slug}`],
    ['Sign-in', `${publicUrl}/sign-in`],
    ...(toTerminal
      ? [
          ['', `${demo.email}  password ${demo.password}`],
          ['Demo store', demo.workspaceId],
          ['Client id', demo.clientId],
          ['Client secret', demo.clientSecret],
        ]
      : [
          ['Demo store', demo.workspaceId],
          ['Client id', demo.clientId],
          ['Credentials', `${file} (sign-in, client secret and token)`],
        ]),
    ['Redirect URI', DEMO_REDIRECT_URI],
  ];
  const token = toTerminal ? demo.token : `$(node -p 'require("${file}").token')`;
  return `
  Feira is up.  ${publicUrl}

${rows.map(([name, value]) => `  ${name!.padEnd(15)}${value}`).join('\n')}

  Next, in a second terminal (the token is valid for two hours; each start issues a new one):

    curl "${publicUrl}/api/v1/products?limit=3" -H "Authorization: Bearer ${token}"
    npx feira buy --store ${demo.slug}

  To receive and verify a webhook in five minutes, see ${publicUrl}/docs/guides/quickstart
`;
}
