import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused } from '../../support/answers.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { twoNodesFor } from '../../support/for-test.ts';
import { execute } from '../../support/own-connection.ts';
import { assertTurnedAway, ProviderVisitor, PUBLIC_URL } from '../../support/provider-visitor.ts';
import { type RunningProvider, settingsOf, startProvider } from '../../support/real-provider.ts';

const PEOPLE = {
  ada: { name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true, groups: ['owners', 'helpdesk'] },
  hal: { name: 'Hal', email: 'hal@example.com', email_verified: true, groups: ['helpdesk'] },
  cy: { name: 'Cy', email: 'Cy@Example.com', email_verified: true },
  nobody: { name: 'Nobody', email: 'nobody@example.com', email_verified: true, groups: [] },
  vera: { name: 'Vera', email: 'vera@example.com', email_verified: false },
  mallory: { name: 'admin (Ada)', groups: ['helpdesk'] },
};
const ROLES =
  'owner:groups=owners, support:groups=helpdesk, creator/cy:email=cy@example.com, viewer:email=vera@example.com';

for (const engine of engines)
  describe(`signing in with an account of a provider on ${engine}`, () => {
    let provider: RunningProvider;
    let app: TestApp;
    before(async () => {
      provider = await startProvider(PUBLIC_URL, PEOPLE);
      app = await startApp(engine, settingsOf(provider, PUBLIC_URL, ROLES));
    });
    after(async () => {
      await app?.stop();
      await provider?.stop();
    });
    const refusedEvents = async (name: string) => {
      const { body } = await app.admin('/listEvents', { types: ['console_session.refused'] });
      return body.events.filter((each: { after: { name: string } }) => each.after.name === name);
    };

    it('the entrance learns of the provider', async () => {
      const { status, body } = await new ProviderVisitor(app).get(`${PUBLIC_URL}/sign-in/ways`);
      assert.deepEqual([status, body], [200, { provider: { name: 'Example' }, adminSecret: true }]);
    });

    it('a person gets the role of the first grant that fits, for a day at most, in a session like all others', async () => {
      const visitor = new ProviderVisitor(app);
      const { status, headers } = await visitor.enterAs('ada');
      assert.deepEqual([status, headers.location], [303, '/console/']);
      const [cookie = '', attempt] = [headers['set-cookie'] ?? []].flat();
      assert.match(cookie, /^__Host-latchkey=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
      assert.match(attempt ?? '', /^__Host-latchkey-sign-in=; .*; Max-Age=0$/);
      const { body } = await visitor.call('/getConsoleSession');
      const { kind, role, creatorId, name, signedInBy, expiresAt } = body;
      assert.deepEqual([kind, role, creatorId, signedInBy], ['operator', 'owner', null, 'provider']);
      assert.deepEqual([name, expiresAt], ['Ada Lovelace (ada@example.com)', app.clock.at(DAY_MS)]);
      const listed = (await app.admin('/listConsoleSessions')).body.sessions[0];
      assert.deepEqual([listed.name, listed.signedInBy], [name, 'provider']);
    });

    it('events have the name of the person', async () => {
      const licenseKey = await app.license();
      const visitor = new ProviderVisitor(app);
      await visitor.enterAs('hal');
      assert.equal((await visitor.call('/addNote', { licenseKey, text: 'Called me.' })).status, 200);
      assert.equal((await visitor.call('/createProduct', { slug: 'x', name: 'X' })).status, 403);
      const { body } = await app.admin('/listEvents', { licenseKey });
      assert.deepEqual(body.events[0].actor, { kind: 'operator', id: null, keyName: 'Hal (hal@example.com)' });
      const { body: sessions } = await app.admin('/listEvents', { types: ['console_session.created'] });
      assert.deepEqual(sessions.events[0].actor, body.events[0].actor);
    });

    it('an account can have the rights of a creator, by a verified address in any case', async () => {
      await app.admin('/createProduct', { slug: 'of-cy', name: 'Of Cy', creatorId: 'cy' });
      await app.admin('/createProduct', { slug: 'of-di', name: 'Of Di', creatorId: 'di' });
      const visitor = new ProviderVisitor(app);
      await visitor.enterAs('cy');
      const { kind, role, creatorId } = (await visitor.call('/getConsoleSession')).body;
      assert.deepEqual([kind, role, creatorId], ['creator', null, 'cy']);
      const { body } = await visitor.call('/listProducts');
      assert.deepEqual(
        body.products.map((each: { slug: string }) => each.slug),
        ['of-cy'],
      );
      assertRefused(await visitor.call('/listApiKeys'), 401, 'Unauthorized');
    });

    it('a person without a role is refused, with one event an hour that counts', async () => {
      for (let times = 0; times < 2; times += 1) {
        const visitor = new ProviderVisitor(app);
        assertTurnedAway(await visitor.enterAs('nobody'), 'person_not_mapped');
        assertRefused(await visitor.call('/getConsoleSession'), 401, 'Unauthorized');
      }
      const [event, ...more] = await refusedEvents('Nobody (nobody@example.com)');
      assert.equal(more.length, 0);
      assert.deepEqual([event.after.reason, event.after.count], ['not_mapped', 2]);
    });

    it('an address that is not verified gives no role, and the reason says so', async () => {
      assertTurnedAway(await new ProviderVisitor(app).enterAs('vera'), 'person_not_verified');
      const { body } = await app.admin('/listEvents', { types: ['console_session.refused'] });
      assert.equal(body.events[0].after.reason, 'email_not_verified');
      assert.match(body.events[0].after.name, /^Vera \(account vera\)$/);
    });

    it('nobody looks like the admin secret in events', async () => {
      const visitor = new ProviderVisitor(app);
      await visitor.enterAs('mallory');
      assert.equal((await visitor.call('/getConsoleSession')).body.name, 'account mallory');
    });

    it('signing out ends the session, and leads to the page of the provider that ends its own', async () => {
      const visitor = new ProviderVisitor(app);
      await visitor.enterAs('ada');
      assert.equal((await visitor.call('/endConsoleSession')).status, 200);
      assertRefused(await visitor.call('/getConsoleSession'), 401, 'Unauthorized');
      const { status, headers } = await visitor.get(`${PUBLIC_URL}/sign-in/leave`);
      const { origin, searchParams } = new URL(String(headers.location));
      assert.deepEqual([status, origin], [303, provider.issuer]);
      assert.equal(searchParams.get('post_logout_redirect_uri'), `${PUBLIC_URL}/console/`);
      assert.equal((await visitor.get(String(headers.location))).status, 200);
    });

    for (const column of ["role = 'owner'", "creator_id = 'di'", "name = 'Bea'", "source = 'admin'"])
      it(`a session whose row was changed in the database is over: ${column}`, async () => {
        const visitor = new ProviderVisitor(app);
        await visitor.enterAs(column.startsWith('creator') ? 'cy' : 'hal');
        const { sessionId } = (await visitor.call('/getConsoleSession')).body;
        await execute(app.database, `update console_session set ${column} where session_id = '${sessionId}'`);
        assertRefused(await visitor.call('/listProducts'), 401, 'Unauthorized');
      });
  });

for (const engine of engines)
  describe(`sessions of a provider's people after a restart with other settings, on ${engine}`, () => {
    it('end with the grant that gave them their rights, and with the provider; all others go on', async () => {
      const provider = await startProvider(PUBLIC_URL, PEOPLE);
      const shared = await freshDatabase(engine);
      const first = await startApp(engine, settingsOf(provider, PUBLIC_URL, ROLES), shared);
      const visitor = new ProviderVisitor(first);
      await visitor.enterAs('ada');
      await first.stop();
      const statuses: number[] = [];
      for (const roles of [ROLES, 'owner:groups=others', null]) {
        const next = await startApp(engine, roles === null ? {} : settingsOf(provider, PUBLIC_URL, roles), shared);
        visitor.app = next;
        statuses.push((await visitor.call('/getConsoleSession')).status);
        await next.stop();
      }
      assert.deepEqual(statuses, [200, 401, 401]);
      await shared.remove();
      await provider.stop();
    });
  });

describe('a service below a path', () => {
  it('leads to the provider and back below that path, with cookies of that path', async () => {
    const publicUrl = 'https://example.com/licenses';
    const provider = await startProvider(publicUrl, PEOPLE);
    const app = await startApp('sqlite', settingsOf(provider, publicUrl, ROLES));
    const visitor = new ProviderVisitor(app, publicUrl);
    const { headers } = await visitor.enterAs('ada');
    assert.equal(headers.location, '/licenses/console/');
    const [cookie = ''] = [headers['set-cookie'] ?? []].flat();
    assert.match(cookie, /^__Secure-latchkey=[\w-]{43}; Path=\/licenses\/; Secure; HttpOnly; SameSite=Strict$/);
    assert.equal((await visitor.call('/getConsoleSession')).body.role, 'owner');
    await app.stop();
    await provider.stop();
  });
});

describe('two nodes of postgres', () => {
  it('share an attempt: one begins it, the other takes the answer, and none takes it again', async (test) => {
    const provider = await startProvider(PUBLIC_URL, PEOPLE);
    const [one, other] = await twoNodesFor(test, settingsOf(provider, PUBLIC_URL, ROLES));
    const visitor = new ProviderVisitor(one);
    const copy = new ProviderVisitor(one);
    const answer = await visitor.answerAs('ada');
    visitor.app = other;
    assert.equal((await visitor.get(answer)).headers.location, '/console/');
    visitor.app = one;
    assert.equal((await visitor.call('/getConsoleSession')).status, 200);
    assertTurnedAway(await copy.get(answer), 'attempt_not_known');
    await provider.stop();
  });
});
