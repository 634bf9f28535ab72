/** Lists and jobs with an unreliable clock: it jumps ahead and back, and a minute later no trace of that is left. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { tidy } from '../../support/tidy.ts';

/** Delay after which tidying marks a license as lapsed. */
const MARK_DELAY_MS = 5 * MINUTE_MS;

const distance = fc.oneof(
  fc.integer({ min: 0, max: 20 * DAY_MS }),
  fc.constantFrom(1, MINUTE_MS, MARK_DELAY_MS - 1, MARK_DELAY_MS, HOUR_MS, 10 * DAY_MS),
);
const jump = fc.tuple(fc.boolean(), distance).map(([isBack, by]) => (isBack ? -by : by));
const lifetimes = fc.array(jump, { minLength: 1, maxLength: 4 });
/** A jump of the clock, and licenses made or extended after it that end this long after that moment, or before it. */
const history = fc.array(fc.record({ by: jump, made: lifetimes, extendsFirst: fc.boolean() }), {
  minLength: 1,
  maxLength: 6,
});

for (const engine of engines)
  describe(`a clock that jumps both ways on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    /** The keys in a list by status; each license must have that status. */
    async function listed(email: string, status: string): Promise<string[]> {
      const { licenses } = await mustSucceed(app.admin('/listLicenses', { email, status, limit: 1000 }));
      for (const license of licenses) assert.equal(license.status, status);
      return licenses.map(({ key }: { key: string }) => key).sort();
    }

    it('leaves each license in the list of its status, and in no other, once it has been tidied', async () => {
      let histories = 0;
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          const email = `${++histories}@example.com`;
          const expiries = new Map<string, number>();
          for (const { by, made, extendsFirst } of steps) {
            app.clock.move(by);
            for (const lifetime of made) {
              const expiresAt = app.clock.now() + lifetime;
              expiries.set(await app.license({ email, expiresAt: app.clock.at(lifetime) }), expiresAt);
            }
            const [first] = expiries.keys();
            if (extendsFirst && first !== undefined) {
              await mustSucceed(app.admin('/updateLicense', { licenseKey: first, expiresAt: app.clock.at(HOUR_MS) }));
              expiries.set(first, app.clock.now() + HOUR_MS);
            }
            await tidy(storage, believingEvery(app.clock.now));
            // The node's own lease may end up to a minute later than the present clock.
            app.clock.move(MINUTE_MS);
            await tidy(storage, believingEvery(app.clock.now));
            const now = app.clock.now();
            const keys = [...expiries].sort(([one], [other]) => (one < other ? -1 : 1));
            const active = keys.filter(([, expiresAt]) => expiresAt > now).map(([key]) => key);
            const expired = keys.filter(([, expiresAt]) => expiresAt <= now).map(([key]) => key);
            assert.deepEqual(await listed(email, 'active'), active);
            assert.deepEqual(await listed(email, 'expired'), expired);
          }
        }),
        { numRuns: 30 },
      );
    });

    it('keeps nobody from tidying for longer than a minute after it was ten days ahead', async () => {
      const licenseKey = await app.license({ email: 'ahead@example.com', expiresAt: app.clock.at(DAY_MS) });
      app.clock.move(10 * DAY_MS);
      await tidy(storage, believingEvery(app.clock.now));
      app.clock.move(-10 * DAY_MS);
      await tidy(storage, believingEvery(app.clock.now));
      assert.deepEqual(await listed('ahead@example.com', 'active'), [licenseKey]);
      assert.deepEqual(await listed('ahead@example.com', 'expired'), []);
    });
  });
