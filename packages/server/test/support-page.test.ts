/** Each question of docs/shops/support.md is answered by one call an hour later, and its remedy lets the client in. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../src/ground/base/clock.ts';
import { CLIENT_PATHS } from '../src/licensing/observed-calls/metrics.ts';
import { apply, checkIn, explain } from './insight/explanations/explaining.ts';
import type { Answer, TestApp } from './support/app.ts';
import { mustSucceed } from './support/creator.ts';
import { engines } from './support/databases.ts';
import { historyWithRefusals } from './support/kept-refusals.ts';
import { Machine } from './support/machine.ts';
import { startedApp } from './support/started-app.ts';

const page = readFileSync(new URL('../../../docs/shops/support.md', import.meta.url), 'utf8');
/** The explanation that the page shows, by question. */
const sections = new Map(
  page
    .split('\n## ')
    .slice(1)
    .flatMap((section) => {
      const [, shown] = /```json\n([\s\S]*?)```/.exec(section) ?? [];
      return shown === undefined ? [] : [[section.split('\n')[0] as string, JSON.parse(shown)] as const];
    }),
);

/** Fails unless everything shown is in the reply; of lists the first entries. */
function assertShown(answered: Answer['body'], shown: Answer['body'], place: string): void {
  if (typeof shown !== 'object' || shown === null) {
    assert.equal(answered, shown, place);
    return;
  }
  for (const [name, value] of Object.entries(shown)) assertShown(answered?.[name], value, `${place}.${name}`);
}

/** A refusal: the refused call, and the call that must succeed after the remedy. */
interface Refused {
  readonly licenseKey: string;
  readonly machine: Machine;
  readonly refused: Answer;
  /** The calls of the app, which support asks the customer to repeat. */
  readonly again: () => Promise<Answer>;
  /** The product that the app named, if it is not the license's. */
  readonly productId?: string;
  /** Whether it resolves itself within an hour. */
  readonly isOverInAnHour?: true;
}

const activating = (machine: Machine) => () => machine.activate();

const QUESTIONS: Readonly<Record<string, (app: TestApp) => Promise<Refused>>> = {
  async '"The limit is reached, but I have only one computer"'(app) {
    const licenseKey = await app.license({ maxMachines: 1 });
    await new Machine(app, licenseKey, 'old').activated();
    app.clock.move(40 * DAY_MS);
    const machine = new Machine(app, licenseKey, 'new');
    return { licenseKey, machine, refused: await machine.activate(), again: activating(machine) };
  },
  async '"It worked yesterday"'(app) {
    const licenseKey = await app.license({ expiresAt: app.clock.at(DAY_MS) });
    const machine = await new Machine(app, licenseKey).activated();
    app.clock.move(DAY_MS);
    return { licenseKey, machine, refused: await machine.validate(), again: () => machine.validate() };
  },
  async '"My license was revoked, and I did nothing"'(app) {
    const licenseKey = await app.license();
    const machine = await new Machine(app, licenseKey).activated();
    await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'refund' }));
    return { licenseKey, machine, refused: await machine.validate(), again: () => machine.validate() };
  },
  async '"I have bought it, and the app says that it has expired"'(app) {
    const licenseKey = await app.license({ expiresAt: app.clock.at(DAY_MS), email: 'buyer@example.com' });
    const bought = await app.license({ email: 'buyer@example.com' });
    app.clock.move(2 * DAY_MS);
    const machine = new Machine(app, licenseKey);
    const { hits } = await mustSucceed(app.admin('/searchEverything', { query: 'buyer@example.com' }));
    assert.ok(hits.some((hit: Answer['body']) => hit.licenseKey === bought));
    return { licenseKey, machine, refused: await machine.verify(), again: () => new Machine(app, bought).activate() };
  },
  async '"Too many attempts"'(app) {
    const licenseKey = await app.license({ maxMachines: 20 });
    for (let n = 0; n < 15; n++) await new Machine(app, licenseKey, `m${n}`).activated();
    const machine = new Machine(app, licenseKey, 'late');
    const refused = await machine.activate();
    return { licenseKey, machine, refused, again: activating(machine), isOverInAnHour: true };
  },
  async '"My seat is taken"'(app) {
    const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
    const holder = await new Machine(app, licenseKey, 'render-1').activated();
    const machine = new Machine(app, licenseKey, 'desk');
    const refused = await machine.activate();
    for (let time = 0; time < 6; time++) {
      app.clock.move(HOUR_MS / 6);
      await mustSucceed(holder.heartbeat());
    }
    app.clock.move(-HOUR_MS);
    return { licenseKey, machine, refused, again: activating(machine) };
  },
  async '"It says: for a different product"'(app) {
    const licenseKey = await app.license();
    const machine = new Machine(app, licenseKey);
    machine.productId = 'another';
    const refused = await machine.activate();
    const again = () => {
      machine.productId = 'app';
      return machine.activate();
    };
    return { licenseKey, machine, refused, again, productId: 'another' };
  },
  async '"This machine is not activated"'(app) {
    const licenseKey = await app.license();
    const machine = await new Machine(app, licenseKey).activated();
    await mustSucceed(app.admin('/resetActivations', { licenseKey }));
    return { licenseKey, machine, refused: await machine.validate(), again: activating(machine) };
  },
  async '"The token is invalid"'(app) {
    const licenseKey = await app.license();
    const machine = await new Machine(app, licenseKey).activated();
    app.clock.move(31 * DAY_MS);
    return { licenseKey, machine, refused: await machine.validate(), again: activating(machine) };
  },
};

describe('docs/shops/support.md', () => {
  it('has an answer that is tried for every question', () => {
    assert.deepEqual([...sections.keys()], Object.keys(QUESTIONS));
  });
});

for (const engine of engines)
  describe(`an hour later, on ${engine}, one call answers`, () => {
    const app = startedApp(engine, {}, undefined, { memory: { refusalIntervalMs: 10 } });

    for (const [question, happen] of Object.entries(QUESTIONS))
      it(question, async () => {
        const { licenseKey, machine, refused, again, productId, isOverInAnHour } = await happen(app);
        const code = refused.headers['latchkey-code'];
        const refusedAt = app.clock.at();
        await historyWithRefusals(app, licenseKey, 1);
        const shown = sections.get(question);
        const compare = async () => {
          const explanation = await explain(app, { licenseKey, ...(productId === undefined ? {} : { productId }) });
          assertShown(checkIn(explanation, shown.endpoint), shown, question);
          return explanation;
        };
        if (isOverInAnHour) {
          const [wait, lift] = checkIn(await compare(), shown.endpoint).remedies;
          assert.equal(wait.action, 'wait');
          await apply(app, lift);
          await mustSucceed(again());
        }
        app.clock.move(HOUR_MS);
        const explanation = isOverInAnHour ? await explain(app, { licenseKey }) : await compare();
        const [last] = explanation.lastRefusals;
        assert.deepEqual([last.code, last.count, last.lastAt], [code, 1, refusedAt]);
        assert.ok(CLIENT_PATHS.includes(last.endpoint));
        if (last.machineFingerprint !== null) {
          assert.equal(explanation.machine.fingerprint, machine.fingerprint);
          assert.equal(last.machineFingerprint, machine.fingerprint);
        }
        if (isOverInAnHour) return;
        const [remedy] = checkIn(explanation, shown.endpoint).remedies;
        if (remedy?.endpoint && remedy.action !== 'activate_machine') await apply(app, remedy);
        await mustSucceed(again());
      });
  });
