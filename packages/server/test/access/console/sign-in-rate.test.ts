/** The rate limit of console sign-ins per key, and the records of refused ones. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { ADMIN_SECRET, type TestApp } from '../../support/app.ts';
import { atOnce, statusCounts } from '../../support/behind-proxy.ts';
import { operatorKey, PAGE_HEADERS } from '../../support/console.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { twoNodesFor } from '../../support/for-test.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';

const LIMIT = 30;
/** After this, everything counted has expired. */
const OVER_AN_HOUR_MS = HOUR_MS + MINUTE_MS;

const tryToSignIn = (app: TestApp, secret: string) =>
  app.send('/createConsoleSession', { secret }, { headers: PAGE_HEADERS });

const eventsOf = async (app: TestApp, type: string, isOf: (facts: { name: string }) => boolean) => {
  const { body } = await app.admin('/listEvents', { types: [type], limit: 1000 });
  return body.events.filter(({ before, after }: Record<string, { name: string }>) =>
    isOf({ ...before, ...after } as { name: string }),
  );
};

for (const engine of engines)
  describe(`signing in with one key on ${engine}`, () => {
    const app = startedApp(engine);

    const keys = {
      'an operator key': () => operatorKey(app, 'viewer', 'Vera'),
      'an API key': async () => (await Creator.of(app)).apiKey,
    };
    for (const [what, makeKey] of Object.entries(keys))
      it(`is possible ${LIMIT} times an hour with ${what}, however many come at once, and 429 with Retry-After beyond`, async () => {
        const key = await makeKey();
        await fillPool(app);
        const answers = await atOnce(LIMIT + 15, () => tryToSignIn(app, key));
        assert.deepEqual(statusCounts(answers), { 200: LIMIT, 429: 15 });
        for (const { status, headers } of answers) {
          assert.equal(headers['latchkey-code'], status === 429 ? 'sign_in_rate' : undefined);
          assert.equal(headers['set-cookie'] === undefined, status === 429, 'only who is signed in gets a cookie');
        }
        const retryAfter = Number(answers.find(({ status }) => status === 429)?.headers['retry-after']);
        assert.ok(retryAfter > 0 && retryAfter * 1000 <= OVER_AN_HOUR_MS, `Retry-After: ${retryAfter}`);
        app.clock.move(retryAfter * 1000);
        assert.equal((await tryToSignIn(app, key)).status, 200);
      });

    it('does not count for another key, nor for the admin secret, which has no limit', async () => {
      const [key, other] = [await operatorKey(app, 'viewer', 'Una'), await operatorKey(app, 'viewer', 'Una')];
      for (let count = 0; count < LIMIT; count++) assert.equal((await tryToSignIn(app, key)).status, 200);
      assert.equal((await tryToSignIn(app, key)).status, 429);
      assert.equal((await tryToSignIn(app, other)).status, 200);
      const answers = await atOnce(LIMIT + 5, () => tryToSignIn(app, ADMIN_SECRET));
      assert.deepEqual(statusCounts(answers), { 200: LIMIT + 5 });
    });

    it('is recorded by one event an hour, which counts, as are the sessions that end to make room', async () => {
      const key = await operatorKey(app, 'viewer', 'Wanda');
      const isHers = ({ name }: { name: string }) => name === 'Wanda';
      await tryToSignIn(app, key);
      const [first] = await eventsOf(app, 'console_session.created', isHers);
      assert.deepEqual(first.after, { kind: 'operator', role: 'viewer', name: 'Wanda', isKept: false });
      app.clock.move(MINUTE_MS);
      await atOnce(LIMIT, () => tryToSignIn(app, key));
      const began = await eventsOf(app, 'console_session.created', isHers);
      assert.deepEqual(began, [{ ...first, after: { ...first.after, count: LIMIT, lastAt: app.clock.at() } }]);
      const ended = await eventsOf(app, 'console_session.ended', isHers);
      assert.deepEqual(
        ended.map(({ after }: { after: object }) => after),
        [{ count: LIMIT - 20, lastAt: app.clock.at() }],
      );
      app.clock.move(OVER_AN_HOUR_MS);
      await tryToSignIn(app, key);
      assert.equal((await eventsOf(app, 'console_session.created', isHers)).length, 2, 'the next hour has its own');
    });

    it('is recorded for the admin secret by the name that was given', async () => {
      for (const name of ['Ida', 'Jo', 'Ida'])
        await app.send('/createConsoleSession', { secret: ADMIN_SECRET, name }, { headers: PAGE_HEADERS });
      const counts = (await eventsOf(app, 'console_session.created', ({ name }) => ['Ida', 'Jo'].includes(name))).map(
        ({ after }: { after: { name: string; count?: number } }) => [after.name, after.count],
      );
      assert.deepEqual(counts.sort(), [
        ['Ida', 2],
        ['Jo', undefined],
      ]);
    });
  });

describe('signing in with one key on two nodes of postgres', () => {
  it(`is possible ${LIMIT} times an hour on both together`, async (test) => {
    const nodes = await twoNodesFor(test);
    const key = await operatorKey(nodes[0], 'viewer');
    await fillPool(...nodes);
    const answers = await atOnce(2 * LIMIT, (at) => tryToSignIn(nodes[at % 2 === 0 ? 0 : 1], key));
    assert.deepEqual(statusCounts(answers), { 200: LIMIT, 429: LIMIT });
  });
});
