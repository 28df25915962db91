import type { Operation } from './operations.js';

/**
 * Returns the call as a command for bash and zsh. Values that differ from caller to caller, such as ids and secrets,
 * are variables.
 */
export function curlOf({ method, path, parameters, body }: Operation): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(path, name)}`);
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, example }) => `${name}=${FORM_VARIABLES[name] ?? encodeURIComponent(String(example))}`);
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$FEIRA${address}${query.length > 0 ? '?' : ''}${query.join('&')}"`,
  ];
  if (path.startsWith('/api/v1/')) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (body?.contentType === 'application/x-www-form-urlencoded')
    for (const [name, value] of Object.entries(body.example as Record<string, string>))
      lines.push(`--data-urlencode "${name}=${FORM_VARIABLES[name] ?? value}"`);
  else if (body) {
    lines.push('-H "Content-Type: application/json"');
    lines.push(`-d ${quoted(JSON.stringify(withVariables(body.example), null, 2))}`);
  }
  return lines.join(' \\\n  ');
}

/** Returns the name of the variable for a path parameter, such as PRODUCT_ID for {id} under /products. */
function variableOf(path: string, name: string): string {
  if (name !== 'id') return name.replace(/([A-Z])/g, '_$1').toUpperCase();
  const [, resource = ''] = /\/api\/v1\/([a-z]+)s\//.exec(path) ?? [];
  return `${resource.toUpperCase()}_ID`;
}

const FORM_VARIABLES: Record<string, string> = {
  client_id: '$CLIENT_ID',
  client_secret: '$CLIENT_SECRET',
  code: '$CODE',
  redirect_uri: '$REDIRECT_URI',
  code_verifier: '$CODE_VERIFIER',
  code_challenge: '$CODE_CHALLENGE',
  state: '$STATE',
  token: '$REFRESH_TOKEN',
};

/** Replaces productId and orderId in a body with variables, because their values differ between stores. */
function withVariables(example: unknown): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      name === 'productId' || name === 'orderId' ? `'"$${name.replace('Id', '_ID').toUpperCase()}"'` : value,
    ]),
  );
}

/**
 * Quotes the body with single quotes, so that the shell does not change it. The quotes are closed before each variable
 * and opened again after it.
 */
function quoted(json: string): string {
  return `'${json.replace(/'\\"(\$\w+)\\"'/g, `'"$1"'`)}'`;
}
