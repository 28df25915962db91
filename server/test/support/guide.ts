import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Marked, type Tokens } from 'marked';
import { attributesOf } from '../../src/docs/markdown.js';
import { ROOT } from './process.js';
import { ShellSession } from './shell-session.js';

/** A code block of a guide. */
export interface Block {
  language: string;
  attributes: Record<string, string>;
  text: string;
}

export function blocksIn(file: string): Block[] {
  const tokens = new Marked().lexer(readFileSync(join(ROOT, file), 'utf8'));
  return tokens
    .filter((token): token is Tokens.Code => token.type === 'code')
    .map((token) => ({
      language: (token.lang ?? '').split(/\s+/, 1)[0]!,
      attributes: attributesOf(token),
      text: token.text,
    }));
}

/**
 * Runs the shell blocks of a guide in order, exactly as printed except for the ports. A block with a title is saved as
 * a file, the text of an "output" block must appear in the output of the session, and `approve` is called while a
 * command waits for the merchant in the browser.
 */
export async function runBlocks(
  blocks: Block[],
  session: ShellSession,
  place: { folder: string; port: number; receiverPort: number },
  approve: (address: string) => Promise<void> = async () => {},
): Promise<void> {
  for (const { language, attributes, text } of blocks) {
    const block = text
      .replaceAll('localhost:3000', `localhost:${place.port}`)
      .replaceAll('localhost:8080', `localhost:${place.receiverPort}`)
      .replaceAll('listen(8080)', `listen(${place.receiverPort})`);
    if (attributes.title !== undefined) writeFileSync(join(place.folder, attributes.title), `${block}\n`);
    else if (language === 'output') await session.expect(block);
    else if (language !== 'sh') continue;
    else if ('background' in attributes) session.runInBackground(block);
    else if ('browser' in attributes) {
      const running = session.run(block);
      await session.expect('Open http…');
      await approve(/Open (\S+)/.exec(session.output())![1]!);
      await running;
    } else await session.run('fails' in attributes ? `export CURL_ANY=1\n${block}\nunset CURL_ANY` : block);
  }
}

/** Fills a folder with links to the top-level entries of the repository, except .git, .ci and the data folder. */
export function repositoryIn(folder: string): void {
  for (const name of readdirSync(ROOT))
    if (!['.feira', '.git', '.ci'].includes(name)) symlinkSync(join(ROOT, name), join(folder, name));
}

export function openSession(shell: 'bash' | 'zsh', folder: string, port: number): ShellSession {
  const { PATH = '', HOME = '' } = process.env;
  const programs = join(folder, '.programs');
  mkdirSync(programs);
  // A block fails if a response has a status of 400 or higher, unless the block has the attribute `fails`.
  writeFileSync(
    join(programs, 'curl'),
    `#!/bin/sh\nPATH="${PATH}"\nif [ -n "$CURL_ANY" ]; then exec curl "$@"; fi\nexec curl --fail-with-body "$@"\n`,
  );
  chmodSync(join(programs, 'curl'), 0o755);
  const stripTypes = pathToFileURL(join(ROOT, 'server/test/support/strip-types.mjs')).href;
  return new ShellSession(shell, folder, {
    PATH: `${programs}:${PATH}`,
    HOME,
    PORT: String(port),
    ...(!('typescript' in process.features) && { NODE_OPTIONS: `--import ${stripTypes}` }),
  });
}
