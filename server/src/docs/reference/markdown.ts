import { curlOf } from './curl.js';
import type { Field } from './fields.js';
import type { Group, Operation } from './operations.js';

/** Returns a group of the reference as Markdown. */
export function groupMarkdown(group: Group): string {
  return [
    `# ${group.name}`,
    group.description,
    ...group.operations.map(operationMarkdown),
    ...group.events.map(
      ({ name, summary, fields, example }) =>
        `## Event ${name}\n\n${summary}.\n\n${table(fields)}\n\n${json(example)}`,
    ),
  ].join('\n\n');
}

/** Returns a list of all groups and their calls as Markdown. */
export function overviewMarkdown(groups: Group[]): string {
  const lists = groups.map(
    ({ name, slug, operations }) =>
      `## [${name}](/docs/reference/${slug}.md)\n\n${operations
        .map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`)
        .join('\n')}`,
  );
  return `# API reference\n\nAs OpenAPI: [/openapi.json](/openapi.json)\n\n${lists.join('\n\n')}\n`;
}

function operationMarkdown(operation: Operation): string {
  const { method, path, summary, description, parameters, body, answer, errors } = operation;
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    description,
    parameters.length > 0 ? `### Parameters\n\n${table(parameters)}` : '',
    body && body.fields.length > 0 ? `### Body (${body.contentType})\n\n${table(body.fields)}` : '',
    `### Example\n\n\`\`\`sh\n${curlOf(operation)}\n\`\`\``,
    answer?.example !== undefined ? `### Response ${answer.status}\n\n${json(answer.example)}` : '',
    `### Errors\n\n${errors.map(({ status, description: text }) => `- ${status}: ${text}`).join('\n')}`,
  ]
    .filter((part) => part !== '' && part !== undefined)
    .join('\n\n');
}

function table(fields: Field[]): string {
  const rows = fields.map(
    ({ name, type, required, description }) =>
      `| \`${name}\` | ${type}${required ? ', required' : ''} | ${description.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`,
  );
  return ['| Field | Type | Description |', '|---|---|---|', ...rows].join('\n');
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
