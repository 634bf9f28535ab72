/** Limit on extensions of a license by the role support, in one or several steps (rules 5.6). */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { operatorKey, type SignedIn, signIn } from '../../support/console.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`extensions of a license by support on ${engine}`, () => {
    let key: string;
    const app = startedApp(engine);
    before(async () => {
      key = await operatorKey(app, 'support');
    });

    /** A license that lapses on day 10, with functions that change it. Days are counted from its creation. */
    async function licenseOfTenDays() {
      const dayZero = app.clock.now();
      const day = (days: number) => new Date(dayZero + days * DAY_MS).toISOString();
      const licenseKey = await app.license({ expiresAt: day(10) });
      const ask = async (by: SignedIn, days: number) =>
        (await by.call('/updateLicense', { licenseKey, expiresAt: day(days) })).status;
      return {
        licenseKey,
        day,
        ask,
        /** Asks on day `on`, as support, to let the license lapse on day `to`. */
        async extend(on: number, to: number) {
          app.clock.move(dayZero + on * DAY_MS - app.clock.now());
          return ask(await signIn(app, { secret: key }), to);
        },
        ends: async () => (await app.admin('/getLicense', { licenseKey })).body.license.expiresAt,
      };
    }

    it('are measured from the end before the first of them: 30 days in 30 days, however many there are', async () => {
      const { extend, ends, day } = await licenseOfTenDays();
      const statuses: number[] = [];
      for (const [on, to] of [
        [0, 14],
        [0, 18],
        [0.5, 22],
        [1, 38],
        [1, 41],
        [2, 40],
        [3, 41],
        [29.5, 41],
      ] as const)
        statuses.push(await extend(on, to));
      assert.deepEqual(statuses, [200, 200, 200, 200, 403, 200, 403, 403]);
      assert.equal(await ends(), day(40));
    });

    it('count for 30 days each, from the first of a day that still counts', async () => {
      const { extend } = await licenseOfTenDays();
      assert.equal(await extend(0, 11), 200);
      assert.equal(await extend(29, 41), 403, 'from day 10');
      assert.equal(await extend(29, 40), 200);
      assert.equal(await extend(30, 60), 403, 'from day 29, on which it had lapsed');
      assert.equal(await extend(30, 59), 200);
      assert.equal(await extend(59, 71), 403, 'from day 40');
      assert.equal(await extend(60, 90), 200, 'from day 60');
    });

    it('leave out extensions by others', async () => {
      const { licenseKey, extend, day } = await licenseOfTenDays();
      assert.equal(await extend(0, 30), 200);
      await app.admin('/updateLicense', { licenseKey, expiresAt: day(395) });
      assert.equal(await extend(1, 406), 403);
      assert.equal(await extend(1, 405), 200);
      await app.admin('/updateLicense', { licenseKey, expiresAt: day(20) });
      assert.equal(await extend(1, 21), 403, 'an owner took it back');
    });

    it('go no further when many come at once', async () => {
      const { ask, ends, day } = await licenseOfTenDays();
      const support = await signIn(app, { secret: key });
      await fillPool(app);
      const statuses = await Promise.all(Array.from({ length: 40 }, (_, at) => ask(support, 11 + at)));
      assert.ok(statuses.every((status) => status === 200 || status === 403));
      assert.equal(await ends(), day(40));
      assert.equal(await ask(support, 41), 403);
    });
  });
