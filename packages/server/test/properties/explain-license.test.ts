/**
 * Random histories with a call of /explainLicense before each call of a client: the endpoint must then reply as
 * explained, and applying a remedy must have the announced effect. LATCHKEY_TEST_MODEL_RUNS sets the number of
 * histories per engine; 15 by default.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CLIENT_PATHS, type ClientPath } from '../../src/licensing/observed-calls/metrics.ts';
import type { Answer, TestApp } from '../support/app.ts';
import { mustSucceed } from '../support/creator.ts';
import { engines } from '../support/databases.ts';
import { Machine } from '../support/machine.ts';
import { startedApp } from '../support/started-app.ts';

const RUNS = Number(process.env.LATCHKEY_TEST_MODEL_RUNS ?? 15);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NAMES = ['a', 'b', 'c', 'd'] as const;

const license = fc.constantFrom(0, 1, 2);
const limit = fc.constantFrom(1, 1, 2, 3, -1);
const licenseType = fc.constantFrom('per-machine', 'floating', 'floating', 'site');
const changes = fc.record(
  {
    licenseType,
    maxMachines: limit,
    maxConcurrent: fc.constantFrom(1, 2),
    /** Days from now. */
    expires: fc.constantFrom(-1, 1, 20, 200, null),
    status: fc.constantFrom('active', 'active', 'revoked'),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const call = fc.record({
  kind: fc.constant('call'),
  path: fc.constantFrom<ClientPath>('/activate', '/activate', '/validate', '/heartbeat', ...CLIENT_PATHS),
  license,
  name: fc.constantFrom(...NAMES),
  productId: fc.constantFrom('app', 'app', 'app', 'app', 'app', 'pack', 'other'),
});
const move = fc.oneof(
  { weight: 40, arbitrary: call },
  { weight: 14, arbitrary: fc.record({ kind: fc.constant('remedy'), call, which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hammer'), call, times: fc.integer({ min: 12, max: 17 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('update'), license, changes }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('revoke'),
      license,
      reason: fc.constantFrom('refund', 'chargeback', 'fraud', undefined),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('reinstate', 'reset'), license }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      milliseconds: fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: 1, max: 10 * MINUTE_MS }) },
        { weight: 3, arbitrary: fc.constantFrom(15 * MINUTE_MS - 1, 15 * MINUTE_MS, 60 * MINUTE_MS, DAY_MS) },
        { weight: 1, arbitrary: fc.constantFrom(12 * DAY_MS, 23 * DAY_MS, 30 * DAY_MS, 30 * DAY_MS - 1) },
      ),
    }),
  },
);
type ValueOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type CallMove = ValueOf<typeof call>;

for (const engine of engines)
  describe(`explanations on ${engine}`, () => {
    const app = startedApp(engine);

    it('match the answers of the endpoints, and remedies lead to their outcome, in any history', async () => {
      const orders = fc.array(fc.record({ licenseType, maxMachines: limit }, { noNullPrototype: true }), {
        minLength: 3,
        maxLength: 3,
      });
      await fc.assert(
        fc.asyncProperty(orders, fc.array(move, { minLength: 30, maxLength: 80, size: 'max' }), async (each, moves) => {
          const history = await History.begin(app, each);
          for (const one of moves) await history.take(one);
        }),
        { numRuns: RUNS, interruptAfterTimeLimit: 60_000 + RUNS * 4000 },
      );
    });
  });

/** A machine of the history, and the expiry of its latest token. */
interface Client {
  readonly machine: Machine;
  tokenExpiresAt: number | null;
}

class History {
  readonly #app: TestApp;
  readonly #keys: readonly string[];
  readonly #clients: readonly ReadonlyMap<string, Client>[];

  static async begin(app: TestApp, orders: readonly object[]): Promise<History> {
    const keys: string[] = [];
    for (const order of orders) keys.push(await app.license({ ...order, unlockedProducts: ['pack'] }));
    return new History(app, keys);
  }

  private constructor(app: TestApp, keys: readonly string[]) {
    this.#app = app;
    this.#keys = keys;
    this.#clients = keys.map(
      (key) => new Map(NAMES.map((name) => [name, { machine: new Machine(app, key, name), tokenExpiresAt: null }])),
    );
  }

  async take(taken: ValueOf<typeof move>): Promise<void> {
    switch (taken.kind) {
      case 'call':
        return this.#explainAndCall(taken);
      case 'remedy':
        return this.#applyRemedy(taken.call, taken.which);
      case 'hammer':
        for (let time = 0; time < taken.times; time++) await this.#explainAndCall({ ...taken.call, path: '/activate' });
        return;
      case 'wait':
        return this.#app.clock.move(taken.milliseconds);
      case 'update': {
        const { expires, ...rest } = taken.changes;
        const expiresAt = typeof expires === 'number' ? this.#app.clock.at(expires * DAY_MS) : expires;
        await this.#app.admin('/updateLicense', { licenseKey: this.#keys[taken.license], ...rest, expiresAt });
        return;
      }
      case 'revoke':
        await this.#app.admin('/revokeLicense', { licenseKey: this.#keys[taken.license], reason: taken.reason });
        return;
      case 'reinstate':
        await this.#app.admin('/reinstateLicense', { licenseKey: this.#keys[taken.license] });
        return;
      case 'reset':
        await this.#app.admin('/resetActivations', { licenseKey: this.#keys[taken.license] });
        return;
    }
  }

  async #explainAndCall(asked: CallMove): Promise<void> {
    const explanation = await this.#explain(asked);
    if (!this.#canCall(asked, explanation)) return;
    const check = checkOf(explanation, asked.path);
    const { status, headers, body } = await this.#call(asked);
    const retryAfterSeconds = check.because?.retryAfterSeconds;
    assert.deepEqual(
      { status: check.status, outcome: check.outcome, error: check.error, retryAfter: retryAfterSeconds?.toString() },
      {
        status,
        outcome: headers['latchkey-code'] ?? 'ok',
        error: body.error ?? null,
        retryAfter: headers['retry-after'],
      },
      `${JSON.stringify(asked)}: ${JSON.stringify(explanation)}`,
    );
  }

  /** Applies one of the remedies offered for a call, then makes the call. */
  async #applyRemedy(asked: CallMove, which: number): Promise<void> {
    const explanation = await this.#explain(asked);
    const { outcome, remedies } = checkOf(explanation, asked.path);
    if (outcome === 'ok') assert.deepEqual(remedies, []);
    const remedy = remedies[which % Math.max(remedies.length, 1)];
    if (remedy === undefined) return;
    assert.notEqual(remedy.outcome, outcome);
    if (remedy.action === 'wait') {
      this.#app.clock.move(Date.parse(checkOf(explanation, asked.path).because.until) - this.#app.clock.now());
      // Meanwhile sessions of other machines may have lapsed, too.
      if (explanation.license.licenseType === 'floating') return;
    } else if (remedy.action === 'activate_machine') {
      await this.#call({ ...asked, path: '/activate' });
    } else {
      await mustSucceed(this.#app.admin(remedy.endpoint, remedy.fields));
    }
    if (!this.#canCall(asked, await this.#explain(asked))) return;
    const { headers } = await this.#call(asked);
    assert.equal(headers['latchkey-code'] ?? 'ok', remedy.outcome, JSON.stringify([asked, remedy, explanation]));
  }

  #explain({ license: index, name, productId }: CallMove): Promise<Answer['body']> {
    const fields = { licenseKey: this.#keys[index], machineFingerprint: name, productId };
    return mustSucceed(this.#app.admin('/explainLicense', fields));
  }

  /** Whether the machine has the token that its call is explained with; any call without one is another call. */
  #canCall(asked: CallMove, { machine }: Answer['body']): boolean {
    const { tokenExpiresAt } = this.#clientOf(asked);
    const needsToken = asked.path !== '/verify' && asked.path !== '/activate';
    if (!needsToken) return true;
    return machine.bound || (tokenExpiresAt !== null && tokenExpiresAt > this.#app.clock.now());
  }

  #clientOf(asked: CallMove): Client {
    return this.#clients[asked.license]!.get(asked.name)!;
  }

  async #call(asked: CallMove): Promise<Answer> {
    const client = this.#clientOf(asked);
    const { machine } = client;
    machine.productId = asked.productId;
    const endpoint = asked.path.slice(1) as 'verify' | 'activate' | 'validate' | 'heartbeat' | 'deactivate';
    const answer = await machine[endpoint]();
    machine.token = answer.body.newToken ?? machine.token;
    const isNew = answer.body.token !== undefined || answer.body.newToken !== undefined;
    if (isNew) client.tokenExpiresAt = Date.parse(answer.body.expiresAt);
    return answer;
  }
}

function checkOf({ checks }: Answer['body'], path: ClientPath): Answer['body'] {
  return checks.find(({ endpoint }: { endpoint: string }) => endpoint === path);
}
