/** Sends the examples of the reference to a service, in the order in which they depend on each other. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { endpointsByPath } from '../../../src/app.ts';
import type { Endpoint, Method } from '../../../src/platform/endpoint/endpoint.ts';
import { EXAMPLE_NOW, MADE_BY_SERVICE } from '../../../src/platform/endpoint/example-values.ts';
import { ADMIN_SECRET, type Answer, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { PAGE_HEADERS } from '../../support/console.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';

/** Where sellers deliver events. */
const CONNECT = '/connect/';
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** The values of examples that the service generates. */
export const MADE = new Set<unknown>(Object.values(MADE_BY_SERVICE));

/** The service that examples are sent to. */
export type ExampleTarget = Pick<TestApp, 'send' | 'admin'> & { readonly clock: { now(): number } };

/** Sends examples to one service in order. Remembers values of the service that replace values of the examples. */
export class ExampleRun {
  readonly #app: ExampleTarget;
  readonly #made = new Map<unknown, unknown>();
  /** Difference between the time in the examples and the time of the app. */
  readonly #shiftMs: number;
  readonly #sent = new Set<string>();
  /** Cookie of the session that an example began. */
  #cookie = '';

  constructor(app: ExampleTarget) {
    this.#app = app;
    this.#shiftMs = app.clock.now() - Date.parse(EXAMPLE_NOW);
  }

  /** Sends the example of an endpoint after the examples that it needs, and compares the reply. */
  async check(endpoint: Endpoint, method: Method): Promise<void> {
    const body = await this.send(endpoint, method);
    const expected = this.#real(endpoint.example.reply);
    // Their fit to the schema was checked when the reply came.
    for (const place of endpoint.example.differing ?? []) {
      const [holder, name] = findPlace(expected, place);
      const [answered] = findPlace(body, place);
      holder[name] = answered[name];
    }
    assert.deepEqual(body, expected, endpoint.path);
  }

  /** Sends the example of an endpoint after the examples that it needs. Fails unless it succeeds; returns the reply. */
  async send(endpoint: Endpoint, method: Method): Promise<Answer['body']> {
    await this.prepare(endpoint);
    const { status, body, headers } = await this.call(endpoint, method);
    assert.equal(status, endpoint.successStatus, `${endpoint.path}: ${JSON.stringify(body)}`);
    this.#cookie = String(headers['set-cookie'] ?? this.#cookie).replace(/;.*/, '');
    this.#learn(endpoint.example.reply, body);
    return body;
  }

  /** Sends the requests that the example of an endpoint follows, once for all of its methods. */
  async prepare(endpoint: Endpoint): Promise<void> {
    if (this.#sent.has(endpoint.path)) return;
    for (const path of endpoint.example.after ?? []) {
      if (this.#sent.has(path)) continue;
      const earlier = endpointsByPath.get(path);
      assert.ok(earlier !== undefined, `${endpoint.path} follows ${path}, which is no endpoint`);
      await this.send(earlier, 'POST');
    }
    this.#sent.add(endpoint.path);
    for (const { to, request, refused } of endpoint.example.beforehand ?? []) {
      if (to.startsWith(CONNECT)) {
        await this.#deliver(to, request);
        continue;
      }
      const earlier = endpointsByPath.get(to);
      assert.ok(earlier !== undefined, `${endpoint.path} follows ${to}, which is no endpoint`);
      const { status, body, headers } = await this.#request(earlier, request, 'POST');
      assert.equal(headers['latchkey-code'], refused, `${to}: ${JSON.stringify(body)}`);
      if (refused === undefined) assert.equal(status, earlier.successStatus, `${to}: ${JSON.stringify(body)}`);
      // Read by the example that follows.
      else await historyWithRefusals(this.#app, (this.#real(request) as { licenseKey: string }).licenseKey, 1);
    }
  }

  /** Sends the request of an example alone. */
  call(endpoint: Endpoint, method: Method): Promise<Answer> {
    return this.#request(endpoint, endpoint.example.request, method);
  }

  /** Delivers an event to the connector of the examples, signed as Stripe does. */
  async #deliver(to: string, event: Endpoint['example']['request']): Promise<void> {
    const { secret } = endpointsByPath.get('/createConnector')!.example.request;
    const time = Math.floor(this.#app.clock.now() / 1000);
    const body = JSON.stringify({ ...event, created: time });
    const signature = createHmac('sha256', secret as string)
      .update(`${time}.${body}`)
      .digest('hex');
    const path = `${CONNECT}${this.#real(to.slice(CONNECT.length))}`;
    const answer = await this.#app.send(path, body, {
      headers: { 'stripe-signature': `t=${time},v1=${signature}` },
    });
    assert.deepEqual([answer.status, answer.body], [200, { received: true }]);
  }

  #request({ path, access }: Endpoint, request: Endpoint['example']['request'], method: Method): Promise<Answer> {
    const fields = this.#real(request) as Record<string, unknown>;
    const headers = this.#headersFor(access);
    if (method === 'POST') return this.#app.send(path, fields, { headers });
    const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]));
    return this.#app.send(`${path}?${query}`, undefined, { method, headers });
  }

  #headersFor(access: Endpoint['access']): Readonly<Record<string, string>> {
    if (access === 'client' || access === 'signIn') return {};
    if (access === 'admin' || access === 'superAdmin') return { 'X-Admin-Secret': ADMIN_SECRET };
    if (access === 'console') return { ...PAGE_HEADERS, Cookie: this.#cookie };
    return { 'X-Webhook-Secret': WEBHOOK_SECRET };
  }

  /** An example's value as this service has it. */
  #real(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#real(each));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#real(each)]));
    if (this.#made.has(value)) return this.#made.get(value);
    if (typeof value === 'string' && TIMESTAMP.test(value))
      return new Date(Date.parse(value) + this.#shiftMs).toISOString();
    return value;
  }

  /** Takes the values that the service generated from a reply, each in place of the example's value. */
  #learn(shown: unknown, answered: unknown): void {
    if (MADE.has(shown)) {
      assert.equal(typeof answered, 'string');
      this.#made.set(shown, answered);
    } else if (typeof shown === 'object' && shown !== null && typeof answered === 'object' && answered !== null)
      for (const [name, each] of Object.entries(shown)) this.#learn(each, (answered as Record<string, unknown>)[name]);
  }
}

/**
 * The holder of the value at a place such as `database.bytes`, and the value's name there; fails when the place does
 * not exist.
 */
function findPlace(value: unknown, place: string): readonly [holder: Record<string, unknown>, name: string] {
  const names = place.split('.');
  const last = names.pop() ?? '';
  let holder = value;
  for (const name of names) holder = (holder as Readonly<Record<string, unknown>> | undefined)?.[name];
  assert.ok(typeof holder === 'object' && holder !== null && Object.hasOwn(holder, last), `there is no ${place}`);
  return [holder as Record<string, unknown>, last];
}
