import type { FastifyInstance, InjectOptions } from 'fastify';
import { createStore } from '../../src/stores/stores.js';
import type { Feira } from './feira.js';
import { addOwner } from './owners.js';

export const PASSWORD = 'correct horse battery staple';
export const ANA = 'ana@loja.example';

/** Creates a store whose owner can sign in with PASSWORD. */
export async function openStore(
  feira: Feira,
  { name = 'Loja da Ana', email = ANA }: { name?: string; email?: string } = {},
): Promise<string> {
  await addOwner(feira, email, PASSWORD);
  const store = { name, ownerEmail: email, existingOwner: true as const };
  return (await feira.context.db.store('test').transaction((tx) => createStore(tx, store))).workspaceId;
}

export interface Form {
  action: string;
  /**
   * The values of all text areas and inputs (checked or not), and the first option of each select. Of inputs with the
   * same name, the last one counts.
   */
  fields: Record<string, string>;
  /** The fields that each button adds, by label. */
  buttons: Record<string, Record<string, string>>;
  options: { value: string; label: string }[];
}

export interface Page {
  status: number;
  location: string | undefined;
  html: string;
  /** The HTML without tags and with its entities decoded. */
  text: string;
  forms: Form[];
  headers: Record<string, string | string[] | number | undefined>;
}

/** A minimal browser. It keeps cookies and reads forms, but follows redirects only in `getMoved`. */
export class Merchant {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly app: FastifyInstance,
    private readonly headers: Record<string, string> = {},
    private readonly remoteAddress = '127.0.0.1',
  ) {}

  get(url: string): Promise<Page> {
    return this.send({ method: 'GET', url });
  }

  /** Opens an address and follows a 301 redirect, for example from a product address without the product's name. */
  async getMoved(url: string): Promise<Page> {
    const page = await this.get(url);
    return page.status === 301 ? this.get(page.location as string) : page;
  }

  post(url: string, fields: Record<string, string> | string): Promise<Page> {
    return this.send({
      method: 'POST',
      url,
      headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
      payload: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    });
  }

  /** Submits a form with one of its buttons, after changing some of the fields. */
  press(page: Page, label: string, typed: Record<string, string> = {}): Promise<Page> {
    const form = formOf(page, label);
    return this.post(form.action, { ...form.fields, ...typed, ...form.buttons[label] });
  }

  async signIn(email = ANA, password = PASSWORD): Promise<Page> {
    return this.press(await this.get('/sign-in'), 'Sign in', { email, password });
  }

  async approve(query: Record<string, string>, choice: { store?: string } = {}): Promise<Page> {
    return this.press(await this.consent(query), 'Approve', choice);
  }

  async deny(query: Record<string, string>): Promise<Page> {
    return this.press(await this.consent(query), 'Deny');
  }

  consent(query: Record<string, string>): Promise<Page> {
    return this.get(`/oauth/authorize?${new URLSearchParams(query)}`);
  }

  private async send(request: InjectOptions): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.app.inject({
      ...request,
      remoteAddress: this.remoteAddress,
      headers: { ...this.headers, ...(cookie && { cookie }), ...request.headers },
    });
    for (const { name, value, maxAge, expires } of response.cookies) {
      if (maxAge === 0 || (expires && expires.getTime() <= 0)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const { body, headers } = response;
    return {
      status: response.statusCode,
      location: headers.location,
      html: body,
      text: unescaped(body.replace(/<(?:"[^"]*"|[^">])*>/g, ' ').replace(/\s+/g, ' ')),
      forms: formsOf(body),
      headers,
    };
  }
}

/** Returns the parameters that the integrator's callback receives. */
export function answerOf(page: Page): Record<string, string> {
  if (page.status !== 303 || !page.location)
    throw new Error(`expected a 303 redirect, got ${page.status}: ${page.text}`);
  return Object.fromEntries(new URL(page.location).searchParams);
}

export function formOf(page: Page, label: string): Form {
  const form = page.forms.find(({ buttons }) => label in buttons);
  if (!form) throw new Error(`there is no button "${label}" on this page (${page.status}): ${page.text}`);
  return form;
}

function formsOf(html: string): Form[] {
  return elements(html, 'form').map(({ attributes, inside }) => {
    const fields: Form['fields'] = {};
    for (const [, text] of inside.matchAll(/<input\b((?:"[^"]*"|[^">])*)>/g)) {
      const { name, value = '' } = attributesOf(text!);
      if (name) fields[name] = value;
    }
    for (const area of elements(inside, 'textarea')) {
      fields[area.attributes.name!] = unescaped(area.inside);
    }
    const options = elements(inside, 'option').map((option) => ({
      value: option.attributes.value!,
      label: unescaped(option.inside),
    }));
    for (const choice of elements(inside, 'select')) {
      fields[choice.attributes.name!] = elements(choice.inside, 'option')[0]!.attributes.value!;
    }
    const buttons = Object.fromEntries(
      elements(inside, 'button').map(({ attributes: { name, value }, inside: label }) => [
        unescaped(label),
        name ? { [name]: value! } : {},
      ]),
    );
    return { action: attributes.action!, fields, buttons, options };
  });
}

function elements(html: string, tag: string): { attributes: Record<string, string>; inside: string }[] {
  return [...html.matchAll(new RegExp(`<${tag}\\b((?:"[^"]*"|[^">])*)>(.*?)</${tag}>`, 'gs'))].map(
    ([, attributes, inside]) => ({ attributes: attributesOf(attributes!), inside: inside! }),
  );
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, unescaped(value!)]),
  );
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => ENTITIES[name]!);
}
