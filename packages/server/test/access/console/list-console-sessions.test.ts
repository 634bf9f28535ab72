import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { operatorKey, type SignedIn, sessionIdOf, signIn } from '../../support/console.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedApp } from '../../support/started-app.ts';

interface Listed {
  readonly sessionId: string;
  readonly isThisOne: boolean;
}

for (const engine of engines)
  describe(`/listConsoleSessions on ${engine}`, () => {
    const app = startedApp(engine);

    it('shows those of everybody, newest first, and which one asks', async () => {
      const creator = await Creator.of(app);
      app.clock.move(1);
      const first = await signIn(app, { secret: creator.apiKey });
      app.clock.move(1);
      const userAgent = 'x'.repeat(300);
      const options = { headers: { 'user-agent': userAgent } };
      const second = await app.send(
        '/createConsoleSession',
        { secret: await operatorKey(app, 'support', 'Bea') },
        options,
      );
      assert.equal(second.status, 200);
      app.clock.move(1);
      const third = await signIn(app, { secret: ADMIN_SECRET, name: 'Ada', keep: true });
      const { status, body } = await third.call('/listConsoleSessions');
      assert.deepEqual([status, body.count], [200, 3]);
      const [sessionId, , creatorsId] = body.sessions.map((each: Listed) => each.sessionId);
      assert.deepEqual([sessionId, creatorsId], [third, first].map(sessionIdOf));
      const common = { address: '127.0.0.1', userAgent: null };
      assert.deepEqual(
        body.sessions.map(({ sessionId: _id, ...each }: Listed) => each),
        [
          {
            ...{ ...common, kind: 'operator', role: 'owner', name: 'Ada', creatorId: null, isThisOne: true },
            signedInBy: 'admin_secret',
            ...{ createdAt: app.clock.at(), lastSeenAt: app.clock.at(), expiresAt: app.clock.at(7 * DAY_MS) },
          },
          {
            ...{ ...common, kind: 'operator', role: 'support', name: 'Bea', creatorId: null, isThisOne: false },
            signedInBy: 'operator_key',
            ...{ createdAt: app.clock.at(-1), lastSeenAt: app.clock.at(-1), expiresAt: app.clock.at(DAY_MS - 1) },
            userAgent: userAgent.slice(0, 255),
          },
          {
            ...{ ...common, kind: 'creator', role: null, name: 'Key of the tests', creatorId: creator.creatorId },
            signedInBy: 'api_key',
            ...{ createdAt: app.clock.at(-2), lastSeenAt: app.clock.at(-2), expiresAt: app.clock.at(DAY_MS - 2) },
            isThisOne: false,
          },
        ],
      );
    });

    it('shows none that are over', async () => {
      const [ended, open] = [await signIn(app, { secret: ADMIN_SECRET }), await signIn(app, { secret: ADMIN_SECRET })];
      await ended.call('/endConsoleSession');
      const listed = async () =>
        (await app.admin('/listConsoleSessions')).body.sessions.map((each: Listed) => each.sessionId) as string[];
      const shown = await listed();
      assert.deepEqual([shown.includes(sessionIdOf(ended)), shown.includes(sessionIdOf(open))], [false, true]);
      app.clock.move(8 * DAY_MS);
      assert.deepEqual(await listed(), []);
    });

    it('leads through pages, each session once', async () => {
      const sessions: SignedIn[] = [];
      for (let count = 0; count < 5; count++) sessions.push(await signIn(app, { secret: ADMIN_SECRET }));
      const pages = await pagesOf(app.admin, '/listConsoleSessions', { limit: 2 }, 'sessions');
      const seen = pages.flat().map((each: Listed) => each.sessionId);
      assert.deepEqual(seen.sort(), sessions.map(sessionIdOf).sort());
    });
  });
