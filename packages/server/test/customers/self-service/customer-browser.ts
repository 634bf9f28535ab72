/** A browser without a window: cookies, forms and redirects of the pages at /my, over real sockets. */
import assert from 'node:assert/strict';
import type { Answer, TestApp } from '../../support/app.ts';

/** The reply to a request for a page; `body` is its text. */
export type PageAnswer = Answer & { readonly path: string };

/** Headers that a browser sends with a form of a page of the same origin. */
export const OWN_FORM: Readonly<Record<string, string>> = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
};

export class CustomerBrowser {
  readonly #app: Pick<TestApp, 'send'>;
  readonly cookies = new Map<string, string>();

  constructor(app: Pick<TestApp, 'send'>) {
    this.#app = app;
  }

  /** Asks for a page and follows redirects. `address` may be a whole URL: only its path and query count. */
  async open(address: string, headers: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    const answer = await this.request('GET', address, undefined, headers);
    return this.#followed(answer);
  }

  /** Sends one request with the stored cookies, and stores new ones. */
  async request(
    method: string,
    address: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PageAnswer> {
    const { pathname, search } = new URL(address, 'https://service.invalid');
    const path = `${pathname}${search}`;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { ...(cookie === '' ? {} : { cookie }), ...headers };
    const answer = await this.#app.send(path, body, { method, headers: sent });
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/Max-Age=0/.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { ...answer, path };
  }

  /**
   * Sends a form of a page with its hidden fields, and follows redirects.
   *
   * @param action the path of the form, without its query
   * @param fields what the customer types
   */
  async submit(page: PageAnswer, action: string, fields: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    return this.#followed(await this.submitOnly(page, action, fields));
  }

  /** The same without following a redirect; `headers` replace those of a browser. */
  submitOnly(
    page: PageAnswer,
    action: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = OWN_FORM,
  ): Promise<PageAnswer> {
    const { address, hidden } = formOf(page, action);
    return this.request('POST', address, String(new URLSearchParams({ ...hidden, ...fields })), headers);
  }

  /** Opens the first link of a page to a path. */
  follow(page: PageAnswer, path: string): Promise<PageAnswer> {
    const address = linksOf(page).find((each) => each.split('?')[0] === path);
    assert.ok(address !== undefined, `${page.path} has no link to ${path}:\n${page.body}`);
    return this.open(address);
  }

  async #followed(answer: PageAnswer): Promise<PageAnswer> {
    if (answer.status !== 303) return answer;
    const { location } = answer.headers;
    assert.ok(typeof location === 'string' && location.startsWith('/my'), `redirected to ${location}`);
    return this.open(location);
  }
}

/** A form on a page: its address, and the fields that the customer does not see. */
export function formOf({ body, path }: PageAnswer, action: string) {
  for (const [form] of String(body).matchAll(/<form[^>]*>.*?<\/form>/gs)) {
    const address = unescaped(/ action="([^"]*)"/.exec(form)?.[1] ?? '');
    if (address.split('?')[0] !== action) continue;
    const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
    return { address, hidden: Object.fromEntries([...inputs].map(([, name, value = '']) => [name, unescaped(value)])) };
  }
  throw new Error(`${path} has no form for ${action}:\n${body}`);
}

/** The addresses of the links on a page. */
export function linksOf({ body }: PageAnswer): string[] {
  return [...String(body).matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, address = '']) => unescaped(address));
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
