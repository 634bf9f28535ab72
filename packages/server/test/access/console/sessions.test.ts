import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { hashApiKey } from '../../../src/platform/endpoint/caller.ts';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET, startApp, type TestApp } from '../../support/app.ts';
import {
  operatorKey,
  PAGE_HEADERS,
  type SignedIn,
  sessionIdOf,
  setCookieOf,
  signIn,
  usedNow,
} from '../../support/console.ts';
import { Creator } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`console sessions on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_CONSOLE_LABEL: 'staging', LATCHKEY_COUNTRY_HEADER: 'cf-ipcountry' });

    const owner = (fields = {}) => signIn(app, { secret: ADMIN_SECRET, ...fields });
    async function isOpen(session: SignedIn): Promise<boolean> {
      const answer = await session.call('/getConsoleSession');
      if (answer.status !== 200) assertRefused(answer, 401, 'Unauthorized');
      return answer.status === 200;
    }
    /** The events of a session's beginning and end. */
    async function eventsOf(session: SignedIn): Promise<{ type: string; actor: unknown; after: unknown }[]> {
      const { body } = await app.admin('/listEvents', { types: ['console_session.created', 'console_session.ended'] });
      return body.events.filter((each: { subject: string }) => each.subject === sessionIdOf(session));
    }

    it('sign in the owner by the admin secret, under the name that is given', async () => {
      const { answer, call } = await owner({ name: ' Ada ' });
      assert.deepEqual(answer.body, {
        success: true,
        kind: 'operator',
        role: 'owner',
        creatorId: null,
        name: 'Ada',
        signedInBy: 'admin_secret',
        expiresAt: app.clock.at(DAY_MS),
      });
      const { body } = await call('/getConsoleSession');
      const { service, can, limits, sessionId, ...rest } = body;
      assert.deepEqual(rest, answer.body);
      assert.match(sessionId, /^[\da-f]{64}$/);
      assert.ok(can.includes('/createApiKey') && can.includes('/getStudioOrder') && !can.includes('/verify'));
      assert.deepEqual(limits, []);
      const { version, ...reported } = service;
      assert.match(version, /^\d+\.\d+\.\d+/);
      assert.deepEqual(reported, {
        ...{ engine, label: 'staging', countriesKnown: true, floatingTimeoutSeconds: 900 },
        eventRetentionSeconds: 400 * 86_400,
      });
    });

    it('are called admin without a name, or with a blank one', async () => {
      for (const fields of [{}, { name: ' ' }]) assert.equal((await owner(fields)).answer.body.name, 'admin');
    });

    it('sign in a creator by an API key, within the scope of the key', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product());
      const foreign = await app.license();
      const { answer, call } = await signIn(app, { secret: creator.apiKey, name: 'ignored' });
      const { kind, role, creatorId, name } = answer.body;
      assert.deepEqual([kind, role, creatorId, name], ['creator', null, creator.creatorId, 'Key of the tests']);
      assert.equal((await call('/getLicense', { licenseKey })).status, 200);
      const { body } = await call('/listLicenses', {});
      assert.deepEqual(
        body.licenses.map((each: { key: string }) => each.key),
        [licenseKey],
      );
      const [hidden, absent] = [
        await call('/getLicense', { licenseKey: foreign }),
        await call('/getLicense', { licenseKey: 'NONE' }),
      ];
      assert.deepEqual([hidden.status, hidden.body], [404, absent.body]);
      assert.equal((await call('/listApiKeys')).status, 401);
      const { can } = (await call('/getConsoleSession')).body;
      assert.ok(
        can.includes('/createProduct') && !can.includes('/listApiKeys') && !can.includes('/listConsoleSessions'),
      );
    });

    it('have a cookie that no script reads, no foreign page is sent and no other host gets', async () => {
      const { answer } = await owner();
      assert.match(
        setCookieOf(answer) ?? '',
        /^__Host-latchkey=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
      );
      const kept = await owner({ keep: true });
      assert.match(setCookieOf(kept.answer) ?? '', /; SameSite=Strict; Max-Age=604800$/);
      assert.equal(kept.answer.body.expiresAt, app.clock.at(7 * DAY_MS));
      assert.equal(setCookieOf(await app.send('/createConsoleSession', { secret: 'wrong' })), undefined);
    });

    it('are new with each sign-in, even if the browser sends a cookie', async () => {
      const first = await owner();
      const answer = await app.send(
        '/createConsoleSession',
        { secret: ADMIN_SECRET },
        { headers: { ...PAGE_HEADERS, cookie: first.cookie } },
      );
      assert.equal(answer.status, 200);
      assert.notEqual(setCookieOf(answer)?.split(';')[0], first.cookie);
    });

    it('of which nothing is stored that could be shown as a cookie', async () => {
      const { cookie, call } = await owner();
      const value = cookie.split('=')[1] ?? '';
      const { sessionId } = (await call('/getConsoleSession')).body;
      assert.equal(sessionId, hashApiKey(value));
      const { status } = await call('/getConsoleSession', {}, { cookie: `__Host-latchkey=${sessionId}` });
      assert.equal(status, 401);
    });

    for (const [what, fields] of [
      ['nothing', {}],
      ['a secret that is wrong', { secret: 'wrong' }],
      ['a secret that is no text', { secret: 7 }],
      ['an empty secret', { secret: '' }],
      ['a code that is wrong', { code: 'wrong' }],
      ['the admin secret as a code', { code: ADMIN_SECRET }],
      ['a secret beside a code', { secret: ADMIN_SECRET, code: 'code' }],
      ['the admin secret where it belongs elsewhere', { adminSecret: ADMIN_SECRET }],
    ] as const)
      it(`are not begun by ${what}`, async () => {
        const answer = await app.send('/createConsoleSession', fields);
        assertRefused(answer, 401, 'Unauthorized');
        assert.equal(setCookieOf(answer), undefined);
      });

    for (const [what, fields] of [
      ['a name that is too long', { name: 'x'.repeat(101) }],
      ['a name that is no text', { name: {} }],
      ['keep that is neither true nor false', { keep: 'yes' }],
    ] as const)
      it(`are not begun with ${what}`, async () => {
        const answer = await app.send('/createConsoleSession', { secret: ADMIN_SECRET, ...fields });
        assert.deepEqual([answer.status, setCookieOf(answer)], [400, undefined]);
      });

    it('are over with /endConsoleSession, which takes the cookie away', async () => {
      const session = await owner({ name: 'Adele' });
      const other = await owner();
      const answer = await session.call('/endConsoleSession');
      assert.deepEqual([answer.status, answer.body], [200, { success: true, ended: true }]);
      assert.equal(setCookieOf(answer), '__Host-latchkey=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0');
      assert.deepEqual([await isOpen(session), await isOpen(other)], [false, true]);
      const [ended, begun] = await eventsOf(session);
      const actor = { kind: 'operator', id: null, keyName: 'admin (Adele)' };
      assert.deepEqual([begun?.type, begun?.actor], ['console_session.created', actor]);
      assert.deepEqual([ended?.type, ended?.actor], ['console_session.ended', actor]);
    });

    it('are ended from elsewhere by an owner, who keeps the cookie, and by the admin secret', async () => {
      const creator = await Creator.of(app);
      const lost = await signIn(app, { secret: creator.apiKey });
      const me = await owner();
      const answer = await me.call('/endConsoleSession', { sessionId: sessionIdOf(lost) });
      assert.deepEqual([answer.status, setCookieOf(answer)], [200, undefined]);
      assert.deepEqual([await isOpen(lost), await isOpen(me)], [false, true]);
      const endMine = () => app.admin('/endConsoleSession', { sessionId: sessionIdOf(me) });
      assert.equal((await endMine()).status, 200);
      assert.equal(await isOpen(me), false);
      assertRefused(await endMine(), 404, 'Console session not found');
    });

    it('are ended by nobody else: a creator ends those of the creator, a person those of the own key', async () => {
      const creator = await Creator.of(app);
      const session = await signIn(app, { secret: creator.apiKey });
      const sessionId = sessionIdOf(session);
      const [stranger, key] = [await Creator.of(app), await operatorKey(app, 'support')];
      const support = await signIn(app, { secret: key });
      const mine = sessionIdOf(await signIn(app, { secret: key }));
      const foreign = [
        await stranger.send('/endConsoleSession', { sessionId }),
        await (await signIn(app, { secret: stranger.apiKey })).call('/endConsoleSession', { sessionId }),
        await support.call('/endConsoleSession', { sessionId }),
      ];
      for (const answer of foreign) assertRefused(answer, 404, 'Console session not found');
      assert.ok(await isOpen(session));
      assert.equal((await support.call('/endConsoleSession', { sessionId: mine })).status, 200);
      assert.equal((await creator.send('/endConsoleSession', { sessionId })).status, 200);
      assert.equal(await isOpen(session), false);
    });

    it('400 Missing sessionId where the caller has no session', async () => {
      assertRefused(await app.admin('/endConsoleSession'), 400, 'Missing sessionId');
    });

    it('end 12 hours after the last call, to five minutes, and no earlier', async () => {
      const session = await owner();
      for (const hours of [11, 11]) {
        app.clock.move(hours * HOUR_MS);
        assert.ok(await isOpen(session), 'a call within 12 hours keeps it');
        await usedNow(app, sessionIdOf(session));
      }
      const idle = await owner();
      for (const minutes of [0.5, 3.5]) {
        app.clock.move(minutes * MINUTE_MS);
        assert.ok(await isOpen(idle));
      }
      // Neither use is stored: the first followed the beginning at once, the second came within four minutes of the
      // first.
      app.clock.move(12 * HOUR_MS - 4 * MINUTE_MS - 1);
      const { body } = await app.admin('/listConsoleSessions', {});
      const sessionId = sessionIdOf(idle);
      assert.ok(body.sessions.some((each: { sessionId: string }) => each.sessionId === sessionId));
      app.clock.move(1);
      assert.equal(await isOpen(idle), false);
    });

    it('keep by a call that only reads when they were used', async () => {
      const session = await owner();
      app.clock.move(6 * MINUTE_MS);
      assert.equal((await session.call('/listProducts')).status, 200);
      await usedNow(app, sessionIdOf(session));
    });

    it('end after 24 hours however much they are used, and those that are kept after 7 days, used or not', async () => {
      const [used, kept] = [await owner(), await owner({ keep: true })];
      for (let hour = 0; hour < 23; hour += 11.5) {
        app.clock.move(11.5 * HOUR_MS);
        assert.ok(await isOpen(used));
        await usedNow(app, sessionIdOf(used));
      }
      app.clock.move(HOUR_MS - 1);
      assert.ok(await isOpen(used));
      app.clock.move(1);
      assert.equal(await isOpen(used), false);
      app.clock.move(6 * DAY_MS - 1);
      assert.ok(await isOpen(kept));
      app.clock.move(1);
      assert.equal(await isOpen(kept), false);
    });

    it('are over when a clock that was ahead began them', async () => {
      app.clock.move(730 * DAY_MS);
      const [session, kept] = [await owner(), await owner({ keep: true })];
      assert.ok((await isOpen(session)) && (await isOpen(kept)));
      app.clock.move(-730 * DAY_MS);
      assert.deepEqual([await isOpen(session), await isOpen(kept)], [false, false]);
      app.clock.move(729 * DAY_MS);
      assert.ok(await isOpen(kept), 'clocks of nodes may differ by a day');
      app.clock.move(-729 * DAY_MS);
    });

    it('end with their key, for reads and for writes', async () => {
      const creator = await Creator.of(app);
      const key = await operatorKey(app, 'owner', 'Grace');
      const [ofCreator, ofOperator] = [
        await signIn(app, { secret: creator.apiKey }),
        await signIn(app, { secret: key }),
      ];
      assert.deepEqual([await isOpen(ofCreator), await isOpen(ofOperator)], [true, true]);
      await app.admin('/revokeApiKey', { apiKeyToRevoke: creator.apiKey });
      await app.admin('/revokeOperatorKey', { keyHash: hashApiKey(key) });
      for (const session of [ofCreator, ofOperator]) {
        assert.equal(await isOpen(session), false);
        assert.equal((await session.call('/createProduct', { name: 'n', slug: 's', creatorId: 'c' })).status, 401);
      }
      const { body } = await app.admin('/listConsoleSessions', { limit: 1000 });
      const listed = body.sessions.map((each: { sessionId: string }) => each.sessionId);
      for (const session of [ofCreator, ofOperator]) assert.ok(!listed.includes(sessionIdOf(session)));
      for (const secret of [creator.apiKey, key])
        assert.equal((await app.send('/createConsoleSession', { secret })).status, 401);
    });
  });

for (const engine of engines)
  describe(`console sessions and the admin secret on ${engine}`, () => {
    it('end when the secret is changed; while the previous one is accepted they go on', async (test) => {
      const fresh = await freshDatabase(engine);
      const NEXT = 'the-next-admin-secret-of-the-tests';
      const start = (environment: Readonly<Record<string, string>>) => startApp(engine, environment, fresh);
      const isOpenAt = async (app: TestApp, { cookie }: SignedIn) =>
        (await app.send('/getConsoleSession', {}, { headers: { ...PAGE_HEADERS, cookie } })).status === 200;

      const before = await start({});
      const creator = await Creator.of(before);
      const sessions = [
        await signIn(before, { secret: ADMIN_SECRET }),
        await signIn(before, { secret: await operatorKey(before, 'owner', 'Bea') }),
        await signIn(before, { secret: creator.apiKey }),
      ];
      await before.stop();
      const openAt = async (app: TestApp) => Promise.all(sessions.map((each) => isOpenAt(app, each)));

      const between = await start({ LATCHKEY_ADMIN_SECRET: NEXT, LATCHKEY_ADMIN_SECRET_PREVIOUS: ADMIN_SECRET });
      assert.deepEqual(await openAt(between), [true, true, true]);
      sessions.push(await signIn(between, { secret: ADMIN_SECRET }), await signIn(between, { secret: NEXT }));
      await between.stop();

      const afterwards = await start({ LATCHKEY_ADMIN_SECRET: NEXT });
      test.after(async () => {
        await afterwards.stop();
        await fresh.remove();
      });
      // The creator's session depends on a separate key; the last session was begun with the present secret.
      assert.deepEqual(await openAt(afterwards), [false, false, true, false, true]);
    });
  });
