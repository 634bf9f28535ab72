/** A browser without a screen that signs in to the console with an account of an identity provider. */
import assert from 'node:assert/strict';
import type { Answer, TestApp } from './app.ts';
import { PAGE_HEADERS } from './console.ts';

/** The public address of services in these tests; the visitor knows where they really are. */
export const PUBLIC_URL = 'https://licenses.example.com';

export class ProviderVisitor {
  /** The service that answers at the public address; a test may put another node there. */
  app: Pick<TestApp, 'send'>;
  readonly #cookies = new Map<string, Map<string, string>>();

  readonly #publicUrl: string;

  /** @param publicUrl the address at which this browser sees the service */
  constructor(app: Pick<TestApp, 'send'>, publicUrl = PUBLIC_URL) {
    this.app = app;
    this.#publicUrl = publicUrl;
  }

  get #origin(): string {
    return new URL(this.#publicUrl).origin;
  }

  /** Gets an address of the service or of the provider, without following a redirect. */
  async get(address: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { origin, pathname, search } = new URL(address);
    const cookies = this.#cookiesOf(origin);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { ...(cookie === '' ? {} : { cookie }), ...headers };
    const answer =
      origin === this.#origin
        ? await this.app.send(`${pathname}${search}`, undefined, { method: 'GET', headers: sent })
        : await getForeign(address, sent);
    for (const each of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (/; *max-age=0|expires=thu, 01 jan 1970/i.test(each)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }

  /** Begins an attempt; returns the address of the provider's page. */
  async begin(): Promise<string> {
    const begun = await this.get(`${this.#publicUrl}/sign-in/provider`);
    assert.equal(begun.status, 303);
    return String(begun.headers.location);
  }

  /** Signs in at the real provider; returns the address with which it leads back. */
  async answerAs(account: string): Promise<string> {
    let address = await this.begin();
    for (let steps = 0; !address.startsWith(this.#publicUrl); steps += 1) {
      assert.ok(steps < 10, `the provider leads nowhere: ${address}`);
      if (new URL(address).pathname.startsWith('/interaction/')) address += `?account=${account}`;
      const { status, headers, body } = await this.get(address);
      assert.ok(headers.location !== undefined, `${address} answered ${status} ${JSON.stringify(body)}`);
      address = new URL(String(headers.location), address).href;
    }
    return address;
  }

  /** The whole way; returns the last answer, which leads to the console. */
  async enterAs(account: string): Promise<Answer> {
    return this.get(await this.answerAs(account));
  }

  /** Calls an endpoint as the console does. */
  call(path: string, body: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.app.send(path, body, { headers: { ...PAGE_HEADERS, cookie: this.cookie } });
  }

  /** The cookies of the service, as the browser sends them. */
  get cookie(): string {
    return [...this.#cookiesOf(this.#origin)].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Whether the browser has a cookie of the service. */
  has(name: string): boolean {
    return this.#cookiesOf(this.#origin).has(name);
  }

  #cookiesOf(origin: string): Map<string, string> {
    const known = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, known);
    return known;
  }
}

async function getForeign(address: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const response = await fetch(address, { headers, redirect: 'manual' });
  const others = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: { ...others, 'set-cookie': response.headers.getSetCookie() },
    body: await response.text(),
  };
}

/** Fails unless the answer leads to the entrance with this reason, and begins no session. */
export function assertTurnedAway({ status, headers }: Answer, reason: string): void {
  assert.deepEqual([status, headers.location], [303, `/console/#/sign-in?refused=${reason}`]);
  const cookies = [headers['set-cookie'] ?? []].flat();
  assert.ok(!cookies.some((each) => each.startsWith('__Host-latchkey=')), 'a session began');
}
