/** Limits that must be exact under many concurrent requests: on one node, on two, and on four processes. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { inspect } from '../../support/answers.ts';
import { type Answer, startApp, type TestApp } from '../../support/app.ts';
import { type Engine, freshDatabase } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startServerProcess } from '../../support/server-process.ts';
import type { TestDatabase } from '../../support/test-database.ts';

/** Each node writes repeats a minute later (violation-counts.test.ts counts them). */
function assertCounted({ occurrences }: { readonly occurrences: number }, refused: number): void {
  assert.ok(occurrences >= 1 && occurrences <= refused, `${occurrences} of ${refused}`);
}

/** Nodes that share a database. */
interface Nodes {
  /** The one that operators call. */
  readonly app: TestApp;
  readonly all: readonly Pick<TestApp, 'send'>[];
  /** Moves the clock of every node; null where a node uses the machine's clock. */
  readonly move: ((milliseconds: number) => void) | null;
  stop(): Promise<void>;
}

async function oneNode(engine: Engine): Promise<Nodes> {
  const app = await startApp(engine);
  return { app, all: [app], move: (milliseconds) => app.clock.move(milliseconds), stop: () => app.stop() };
}

async function shared(start: (database: TestDatabase, app: TestApp) => Promise<Omit<Nodes, 'app'>>): Promise<Nodes> {
  const database = await freshDatabase('postgres');
  const app = await startApp('postgres', {}, database);
  const others = await start(database, app);
  return {
    ...others,
    app,
    async stop() {
      await others.stop();
      await app.stop();
      await database.remove();
    },
  };
}

const twoNodes = () =>
  shared(async (database, app) => {
    const other = await startApp('postgres', {}, database);
    const move = (milliseconds: number) => {
      app.clock.move(milliseconds);
      other.clock.move(milliseconds);
    };
    return { all: [app, other], move, stop: () => other.stop() };
  });

const fourProcesses = () =>
  shared(async ({ database }, app) => {
    const others = await Promise.all(Array.from({ length: 3 }, () => startServerProcess(database)));
    const stop = async () => {
      for (const code of await Promise.all(others.map((other) => other.stop()))) assert.equal(code, 0);
    };
    return { all: [app, ...others], move: null, stop };
  });

const settings = [
  { title: 'one node on sqlite', start: () => oneNode('sqlite'), isClockMoved: true },
  { title: 'one node on postgres', start: () => oneNode('postgres'), isClockMoved: true },
  { title: 'two nodes on one postgres', start: twoNodes, isClockMoved: true },
  { title: 'four processes on one postgres', start: fourProcesses, isClockMoved: false },
] as const;

const LICENSES = 10;
const LIMIT = 5;
/** As many as the hourly limit of attempts permits, so that this limit refuses none of them. */
const MACHINES = 15;

const count = (answers: readonly Answer[], status: number) => answers.filter((each) => each.status === status).length;

for (const { title, start, isClockMoved } of settings)
  describe(`races on ${title}`, () => {
    let nodes: Nodes;
    before(async () => {
      nodes = await start();
    });
    after(() => nodes.stop());
    beforeEach(() => fillPool(...nodes.all));

    const licenses = (order: Record<string, unknown>) =>
      Promise.all(Array.from({ length: LICENSES }, () => nodes.app.license(order)));
    const nodeAt = (index: number) => nodes.all[index % nodes.all.length]!;
    /** Machines of a license, distributed over the nodes. */
    const machines = (key: string, number: number, name = 'machine') =>
      Array.from({ length: number }, (_, index) => new Machine(nodeAt(index), key, `${name} ${index}`));
    /** One machine that calls all nodes at once, this many times. */
    const copies = ({ licenseKey, fingerprint, token }: Machine, number: number) =>
      Array.from({ length: number }, (_, index) => {
        const copy = new Machine(nodeAt(index), licenseKey, fingerprint);
        copy.token = token;
        return copy;
      });
    /** Waits for replies, which must have one of these statuses. */
    const only = async (statuses: readonly number[], asked: readonly Promise<Answer>[]) => {
      const answers = await Promise.all(asked);
      for (const { status, body } of answers) assert.ok(statuses.includes(status), JSON.stringify(body));
      return answers;
    };
    const activateAll = (group: readonly Machine[]) => group.map((machine) => machine.activate());
    const used = async (key: string) => (await new Machine(nodes.app, key).verify()).body.machinesUsed;
    const liveSessions = async (key: string) => {
      const { activations } = await inspect(nodes.app, key);
      return activations.filter((each: { sessionActive: boolean }) => each.sessionActive).length;
    };

    it('of 15 machines at once on each of 10 licenses exactly 5 are let in', async () => {
      const keys = await licenses({ maxMachines: LIMIT });
      const answers = await Promise.all(keys.map((key) => only([200, 403], activateAll(machines(key, MACHINES)))));
      for (const [index, key] of keys.entries()) {
        const letIn = answers[index]!.filter(({ status }) => status === 200);
        assert.deepEqual(letIn.map(({ body }) => body.machinesUsed).sort(), [1, 2, 3, 4, 5]);
        const { activations, activationCount, violations } = await inspect(nodes.app, key);
        assert.deepEqual([activations.length, activationCount, await used(key)], [LIMIT, LIMIT, LIMIT]);
        assert.equal(violations.length, 1);
        assertCounted(violations[0], MACHINES - LIMIT);
      }
    });

    it('of 15 floating sessions at once on each of 10 licenses exactly 5 begin', async () => {
      const keys = await licenses({ licenseType: 'floating', maxConcurrent: LIMIT });
      const answers = await Promise.all(keys.map((key) => only([200, 403], activateAll(machines(key, MACHINES)))));
      for (const [index, key] of keys.entries()) {
        assert.equal(count(answers[index]!, 200), LIMIT);
        assert.deepEqual([await liveSessions(key), await used(key)], [LIMIT, LIMIT]);
        const { violations } = await inspect(nodes.app, key);
        // Each node counts the machines that wait; one of several nodes may have seen fewer than five.
        if (nodes.all.length === 1) assert.equal(violations.length, 1);
        for (const { severity } of violations) assert.equal(severity, 2);
        assert.ok(violations.length <= 1);
      }
    });

    if (isClockMoved)
      it('of 5 lapsed sessions that resume and 10 that begin, at once, exactly 5 succeed', async () => {
        const keys = await licenses({ licenseType: 'floating', maxConcurrent: LIMIT });
        const lapsed = keys.map((key) => machines(key, LIMIT, 'lapsed'));
        await only([200], lapsed.flatMap(activateAll));
        nodes.move!(15 * MINUTE_MS);
        const answers = await Promise.all(
          keys.map((key, index) => {
            const resuming = lapsed[index]!.map((machine, each) =>
              each % 2 ? machine.heartbeat() : machine.validate(),
            );
            const beginning = activateAll(machines(key, MACHINES - LIMIT, 'new'));
            return only([200, 403, 404], index % 2 ? [...resuming, ...beginning] : [...beginning, ...resuming]);
          }),
        );
        for (const [index, key] of keys.entries()) {
          assert.equal(count(answers[index]!, 200), LIMIT);
          assert.deepEqual([await liveSessions(key), await used(key)], [LIMIT, LIMIT]);
        }
      });

    it('of 40 attempts at once on one license exactly 15 pass the hourly limit', async () => {
      const key = await nodes.app.license({ maxMachines: -1 });
      const answers = await only([200, 429], activateAll(machines(key, 40)));
      assert.equal(count(answers, 200), 15);
      const { activationCount, violations } = await inspect(nodes.app, key);
      assert.deepEqual([activationCount, violations.length], [15, 1]);
      assertCounted(violations[0], 25);
    });

    it('one machine that is activated 15 times at once takes one slot, and every token it got is good', async () => {
      const key = await nodes.app.license({ maxMachines: 1 });
      const eager = copies(new Machine(nodes.app, key), 15);
      await only([200], activateAll(eager));
      const validated = eager.map((machine) => machine.validate());
      await only([200], validated);
      const { activations, activationCount } = await inspect(nodes.app, key);
      assert.deepEqual([activations.length, activationCount], [1, 1]);
    });

    it('one machine that is deactivated 10 times at once frees one slot', async () => {
      const key = await nodes.app.license();
      await new Machine(nodes.app, key, 'stays').activated();
      const leaving = copies(await new Machine(nodes.app, key, 'leaves').activated(), 10);
      const left = leaving.map((machine) => machine.deactivate());
      assert.equal(count(await only([200, 404], left), 200), 1);
      assert.equal(await used(key), 1);
    });

    it('a machine that leaves and comes back at once is bound or not, and its old token is dead', async () => {
      const keys = await licenses({ maxMachines: 1 });
      await Promise.all(
        keys.map(async (key) => {
          const machine = await new Machine(nodes.app, key).activated();
          const [leaving, returning] = copies(machine, 2) as [Machine, Machine];
          await only([200], [leaving.deactivate(), returning.activate()]);
          const { activations, activationCount } = await inspect(nodes.app, key);
          assert.deepEqual([activations.length, await used(key)], [activationCount, activationCount]);
          // The new token belongs to a new activation, or to the old one if it was issued before the deactivation.
          assert.equal((await returning.validate()).status, activationCount === 1 ? 200 : 403);
          assert.equal((await leaving.validate()).status, activationCount === 1 ? 401 : 403);
        }),
      );
    });

    for (const order of [{ maxMachines: LIMIT }, { licenseType: 'floating', maxConcurrent: LIMIT }])
      it(`coming and going at once leaves counts that equal the rows: ${JSON.stringify(order)}`, async () => {
        const keys = await licenses(order);
        const leaving = keys.map((key) => machines(key, LIMIT, 'leaving'));
        await only([200], leaving.flatMap(activateAll));
        const answers = await Promise.all(
          keys.map((key, index) => {
            // Alternately, so that arrivals meet departures.
            const asked = machines(key, MACHINES - LIMIT, 'coming').flatMap((machine, each) => {
              const leaver = leaving[index]![each];
              return leaver === undefined ? [machine.activate()] : [machine.activate(), leaver.deactivate()];
            });
            return only([200, 403], asked);
          }),
        );
        for (const [index, key] of keys.entries()) {
          const came = count(answers[index]!, 200) - LIMIT;
          assert.ok(came <= LIMIT);
          const { activations, activationCount } = await inspect(nodes.app, key);
          assert.deepEqual([activations.length, activationCount, await used(key)], [came, came, came]);
        }
      });

    it('no call succeeds once an operator has the answer that the license is revoked', async () => {
      const keys = await licenses({ maxMachines: -1 });
      await Promise.all(
        keys.map(async (key) => {
          const early = activateAll(machines(key, 6, 'early'));
          const revoked = await nodes.app.admin('/revokeLicense', { licenseKey: key });
          assert.equal(revoked.status, 200);
          const reported = await inspect(nodes.app, key);
          await only([403], activateAll(machines(key, 6, 'late')));
          await only([200, 403], early);
          const { activations, activationCount } = await inspect(nodes.app, key);
          assert.deepEqual(
            [activations.length, activationCount],
            [reported.activations.length, reported.activations.length],
          );
        }),
      );
    });
  });
