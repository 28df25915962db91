import type { Catalogue } from './catalogue.js';

/** Returns an overview for programs that read the documentation (llmstxt.org). */
export function llmsText(catalogue: Catalogue, publicUrl: string): string {
  const link = (path: string, title: string, text: string) => `- [${title}](${publicUrl}${path}): ${text}`;
  const guides = catalogue.library
    .guides()
    .map(({ path, title, description }) => link(`${path}.md`, title, description));
  const reference = catalogue.groups.map(({ name, slug, description }) =>
    link(`/docs/reference/${slug}.md`, name, description),
  );
  return `# Feira Partner API

> Act for a merchant's online store: products, stock, images, orders, invoices, shipments and webhooks. One access token acts for one store.

- [SKILL.md](${publicUrl}/docs/SKILL.md): how to write an integration, in one page
- [openapi.json](${publicUrl}/openapi.json): OpenAPI 3.1

## Guides

${guides.join('\n')}

## Reference

${reference.join('\n')}
${link('/docs/errors.md', 'Error codes', 'every code, its meaning and what to do')}
${link('/docs/changelog.md', 'Changelog', 'what changed')}
`;
}

/** Returns the start page of the documentation as Markdown. */
export function docsMarkdown(catalogue: Catalogue): string {
  const sections = catalogue
    .sections()
    .map(
      ({ title, articles }) =>
        `## ${title}\n\n${articles.map((each) => `- [${each.title}](${each.path}.md): ${each.description}`).join('\n')}`,
    );
  const groups = catalogue.groups.map(({ name, slug }) => `- [${name}](/docs/reference/${slug}.md)`);
  return `# Feira Partner API\n\n${sections.join('\n\n')}\n\n## Reference\n\n${groups.join('\n')}\n`;
}
