/** Sends every example of the reference to the real service, and compares the reply with the example. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endpoints, endpointsByPath } from '../../src/app.ts';
import { DAY_MS } from '../../src/clock.ts';
import type { Endpoint, Method } from '../../src/endpoint/endpoint.ts';
import { EXAMPLE_NOW, MADE_BY_SERVICE } from '../../src/endpoint/example-values.ts';
import { ADMIN_SECRET, type Answer, startApp, type TestApp, WEBHOOK_SECRET } from '../support/app.ts';
import { PAGE_HEADERS } from '../support/console.ts';
import { engines } from '../support/databases.ts';
import { emptyTables } from '../support/empty-tables.ts';
import { historyWithRefusals } from '../support/kept-refusals.ts';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** Tables that the service reads when it starts. */
const IN_MEMORY = ['token_key', 'signing_key', 'installation'];
const MADE = new Set<unknown>(Object.values(MADE_BY_SERVICE));

/**
 * Examples sent to one service one after the other; remembers the values of the service that replace those of the
 * examples.
 */
class ExampleRun {
  readonly #app: TestApp;
  readonly #made = new Map<unknown, unknown>();
  /** Difference between the time of the examples and that of the app. */
  readonly #shiftMs: number;
  readonly #sent = new Set<string>();
  /** Cookie of the session that an example began. */
  #cookie = '';

  constructor(app: TestApp) {
    this.#app = app;
    this.#shiftMs = app.clock.now() - Date.parse(EXAMPLE_NOW);
  }

  /** Sends the example of an endpoint, after those that it follows, and compares the reply. */
  async send(endpoint: Endpoint, method: Method): Promise<void> {
    for (const path of endpoint.example.after ?? []) {
      if (this.#sent.has(path)) continue;
      const earlier = endpointsByPath.get(path);
      assert.ok(earlier !== undefined, `${endpoint.path} follows ${path}, which is no endpoint`);
      await this.send(earlier, 'POST');
    }
    this.#sent.add(endpoint.path);
    for (const { to, request, refused } of endpoint.example.beforehand ?? []) {
      const earlier = endpointsByPath.get(to);
      assert.ok(earlier !== undefined, `${endpoint.path} follows ${to}, which is no endpoint`);
      const { status, body, headers } = await this.#request(earlier, request, 'POST');
      assert.equal(headers['latchkey-code'], refused, `${to}: ${JSON.stringify(body)}`);
      if (refused === undefined) assert.equal(status, earlier.successStatus, `${to}: ${JSON.stringify(body)}`);
      // Read by the example that follows.
      else await historyWithRefusals(this.#app, (this.#real(request) as { licenseKey: string }).licenseKey, 1);
    }
    const { status, body, headers } = await this.#request(endpoint, endpoint.example.request, method);
    assert.equal(status, endpoint.successStatus, `${endpoint.path}: ${JSON.stringify(body)}`);
    this.#cookie = String(headers['set-cookie'] ?? this.#cookie).replace(/;.*/, '');
    this.#learn(endpoint.example.reply, body);
    const expected = this.#real(endpoint.example.reply);
    // Their fit to the schema was checked when the reply came.
    for (const place of endpoint.example.differing ?? []) {
      const [holder, name] = findPlace(expected, place);
      const [answered] = findPlace(body, place);
      holder[name] = answered[name];
    }
    assert.deepEqual(body, expected, endpoint.path);
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

for (const engine of engines)
  describe(`examples, ${engine}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      // Tokens expire on whole seconds, and so do those of the examples.
      app.clock.move(1000 - (app.clock.now() % 1000));
    });
    after(() => app.stop());

    for (const endpoint of endpoints)
      it(`of ${endpoint.path} are answered as they say`, async () => {
        const isRead = endpoint.work.kind === 'read';
        // Reads can be repeated on the same rows; writes need an empty database.
        for (const methods of isRead ? [endpoint.methods] : endpoint.methods.map((method) => [method])) {
          await emptyTables(app.database, IN_MEMORY);
          // The time of day of the examples: tokens expire on whole seconds, and figures are of whole hours and days.
          app.clock.move(DAY_MS - ((app.clock.now() - Date.parse(EXAMPLE_NOW)) % DAY_MS));
          const run = new ExampleRun(app);
          for (const method of methods) await run.send(endpoint, method);
        }
      });

    it('show every value that the service is said to make', () => {
      const shown = new Set(JSON.stringify(endpoints.map(({ example }) => example)).match(/"[^"]*"/g));
      for (const value of MADE) assert.ok(shown.has(`"${value}"`), String(value));
    });
  });
