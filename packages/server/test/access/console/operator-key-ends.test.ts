import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { hashApiKey } from '../../../src/platform/endpoint/caller.ts';
import { assertRefused } from '../../support/answers.ts';
import { operatorKey, sessionIdOf, signIn, usedNow } from '../../support/console.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`the end and the last use of operator keys on ${engine}`, () => {
    const app = startedApp(engine);

    async function keyUntil(expiresAt: string): Promise<string> {
      const { status, body } = await app.admin('/createOperatorKey', { name: 'Temp', role: 'support', expiresAt });
      assert.equal(status, 200, JSON.stringify(body));
      return body.operatorKey;
    }
    async function listed(rawKey: string) {
      return (await app.admin('/listOperatorKeys', { hash: hashApiKey(rawKey) })).body.keys[0];
    }

    it('a key with an end signs in until then, and its sessions end with it', async () => {
      const end = app.clock.at(2 * HOUR_MS);
      const key = await keyUntil(end);
      assert.equal((await listed(key)).expiresAt, end);
      const usual = await signIn(app, { secret: key });
      const kept = await signIn(app, { secret: key, keep: true });
      for (const { answer } of [usual, kept]) assert.equal(answer.body.expiresAt, end);
      app.clock.move(2 * HOUR_MS - 1);
      assert.equal((await usual.call('/getConsoleSession')).status, 200);
      app.clock.move(1);
      for (const { call } of [usual, kept]) assertRefused(await call('/getConsoleSession'), 401, 'Unauthorized');
      assertRefused(await app.send('/createConsoleSession', { secret: key }), 401, 'Unauthorized');
      const { body } = await app.admin('/listConsoleSessions', { limit: 1000 });
      const open = body.sessions.map((each: { sessionId: string }) => each.sessionId);
      assert.ok(!open.includes(sessionIdOf(usual)) && !open.includes(sessionIdOf(kept)));
      assert.equal((await listed(key)).active, true);
    });

    it('an end after the usual end of a session changes nothing about the session', async () => {
      const { answer } = await signIn(app, { secret: await keyUntil(app.clock.at(30 * DAY_MS)) });
      assert.equal(answer.body.expiresAt, app.clock.at(DAY_MS));
    });

    it('the event of its creation tells the end', async () => {
      const end = app.clock.at(DAY_MS);
      const subject = hashApiKey(await keyUntil(end));
      const { body } = await app.admin('/listEvents', { types: ['operator_key.created'] });
      const event = body.events.find((each: { subject: string }) => each.subject === subject);
      assert.equal(event.after.expiresAt, end);
    });

    it('400 for an end that is not in the future, or no moment', async () => {
      const create = (expiresAt: unknown) =>
        app.admin('/createOperatorKey', { name: 'Temp', role: 'viewer', expiresAt });
      assertRefused(await create(app.clock.at()), 400, 'expiresAt must be in the future');
      assertRefused(
        await create('tomorrow'),
        400,
        'expiresAt must be an ISO 8601 timestamp, for example 2027-01-31T00:00:00Z',
      );
    });

    it('the last use is a sign-in or a call of a session, stored once an hour', async () => {
      const key = await operatorKey(app, 'owner');
      const lastUse = async () => (await listed(key)).lastUsedAt;
      assert.equal(await lastUse(), null);
      const session = await signIn(app, { secret: key });
      const began = app.clock.at();
      assert.equal(await lastUse(), began);
      app.clock.move(HOUR_MS - MINUTE_MS);
      await session.call('/getConsoleSession');
      await usedNow(app, sessionIdOf(session));
      await signIn(app, { secret: key });
      assert.equal(await lastUse(), began);
      app.clock.move(5 * MINUTE_MS);
      await session.call('/getConsoleSession');
      await usedNow(app, sessionIdOf(session));
      assert.equal(await lastUse(), app.clock.at());
    });

    it('an attempt with a revoked key is no use', async () => {
      const key = await operatorKey(app, 'viewer');
      await app.admin('/revokeOperatorKey', { keyHash: hashApiKey(key) });
      assertRefused(await app.send('/createConsoleSession', { secret: key }), 401, 'Unauthorized');
      assert.equal((await listed(key)).lastUsedAt, null);
    });
  });
