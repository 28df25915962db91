import { expect, test } from 'vitest';
import { GUIDES } from '../../src/docs/contents.js';
import { blocksIn } from '../support/guide.js';

const FILES = ['README.md', ...GUIDES.map((name) => `docs/guides/${name}.md`)];

test.each(FILES)('the commands of %s can be pasted into bash and zsh', (file) => {
  const commands = blocksIn(file).filter(
    ({ language, attributes }) => language === 'sh' && !attributes.title,
  );
  for (const { text } of commands) {
    const bare = text.replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, "''");
    // In an interactive zsh, an unquoted ? or * that matches no file is an error, and # does not start a comment. In
    // both shells, <name> would be a redirection.
    expect(bare).not.toMatch(/\?|\*|(^|\s)#|<[a-zA-Z]+>/);
  }
});
