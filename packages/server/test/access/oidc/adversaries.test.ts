import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { ADMIN_SECRET, startApp, type TestApp } from '../../support/app.ts';
import { signIn } from '../../support/console.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { honest, type LyingProvider, startLyingProvider } from '../../support/lying-provider.ts';
import { assertTurnedAway, ProviderVisitor, PUBLIC_URL } from '../../support/provider-visitor.ts';
import { CLIENT_ID, CLIENT_SECRET, settingsOf } from '../../support/real-provider.ts';

const ROLES = 'owner:groups=owners,viewer:email=eve@example.com';
/** What dex 2.43 says about itself, without its addresses. */
const OF_DEX = {
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256', 'plain'],
  scopes_supported: ['openid', 'email', 'groups', 'profile', 'offline_access'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  claims_supported: ['iss', 'sub', 'aud', 'iat', 'exp', 'email', 'email_verified', 'locale', 'name', 'at_hash'],
};

for (const engine of engines)
  describe(`answers of a provider that prove nothing, on ${engine}`, () => {
    let provider: LyingProvider;
    let app: TestApp;
    before(async () => {
      provider = await startLyingProvider();
      app = await startApp(engine, settingsOf(provider, PUBLIC_URL, ROLES));
    });
    after(async () => {
      await app?.stop();
      await provider?.stop();
    });
    beforeEach(() => {
      provider.answers = honest();
      // Each test has the attempts of an hour.
      app.clock.move(2 * HOUR_MS);
    });

    /** Begins an attempt, and returns the address with which the provider would lead back. */
    async function begun(visitor: ProviderVisitor, more: Readonly<Record<string, string>> = {}): Promise<string> {
      const { searchParams } = new URL(await visitor.begin());
      provider.nonce = searchParams.get('nonce') ?? '';
      const answer = { code: 'a-code', state: searchParams.get('state') ?? '', ...more };
      return `${PUBLIC_URL}/sign-in/callback?${new URLSearchParams(answer)}`;
    }
    async function enter(more: Readonly<Record<string, string>> = {}) {
      const visitor = new ProviderVisitor(app);
      return visitor.get(await begun(visitor, more));
    }

    it('an honest one signs in', async () => {
      assert.equal((await enter()).headers.location, '/console/');
    });

    it('the request has PKCE, a state, a nonce, and the address of the service', async () => {
      const [one, other] = [new URL(await new ProviderVisitor(app).begin()), await new ProviderVisitor(app).begin()];
      const { state, nonce, code_challenge, ...rest } = Object.fromEntries(one.searchParams);
      assert.deepEqual(rest, {
        client_id: CLIENT_ID,
        code_challenge_method: 'S256',
        redirect_uri: `${PUBLIC_URL}/sign-in/callback`,
        response_type: 'code',
        scope: 'openid email profile',
      });
      for (const secret of [state, nonce, code_challenge]) {
        assert.match(secret ?? '', /^[\w-]{43}$/);
        assert.ok(!other.includes(secret ?? ''), 'a secret of an attempt came again');
      }
    });

    const lies: readonly (readonly [string, Partial<LyingProvider['answers']>])[] = [
      ['an ID token of another issuer', { idToken: { iss: 'https://evil.example.com' } }],
      ['an ID token for another client', { idToken: { aud: 'another-client' } }],
      ['an ID token of another attempt', { idToken: { nonce: 'of-another-attempt' } }],
      ['an ID token without a nonce', { idToken: { nonce: undefined } }],
      ['an ID token that has expired', { idToken: { exp: Math.floor(Date.now() / 1000) - 3600 } }],
      ['an ID token with the signature of somebody else', { signsWrongly: true }],
      ['no ID token', { hasNoIdToken: true }],
      ['facts about another person', { userInfo: { sub: 'ada', groups: ['owners'] } }],
    ];
    for (const [what, lie] of lies)
      it(`${what} is not believed`, async () => {
        Object.assign(provider.answers, lie);
        assertTurnedAway(await enter(), 'provider_not_believed');
      });

    it('an answer of another issuer is not believed, and its code goes nowhere', async () => {
      const before = provider.asked.filter(({ path }) => path === '/token').length;
      assertTurnedAway(await enter({ iss: 'https://evil.example.com' }), 'provider_not_believed');
      assert.equal(provider.asked.filter(({ path }) => path === '/token').length, before);
    });

    it('a parameter that comes twice is not believed', async () => {
      const visitor = new ProviderVisitor(app);
      assertTurnedAway(await visitor.get(`${await begun(visitor)}&iss=a&iss=b`), 'provider_not_believed');
    });

    it('an answer counts once', async () => {
      const visitor = new ProviderVisitor(app);
      const copy = new ProviderVisitor(app);
      const answer = await begun(visitor);
      const cookie = visitor.cookie;
      assert.equal((await visitor.get(answer)).headers.location, '/console/');
      assertTurnedAway(await visitor.get(answer), 'attempt_not_known');
      assertTurnedAway(await copy.get(answer, { cookie }), 'attempt_not_known');
    });

    it('of many copies of an answer at once, one signs in', async () => {
      const visitor = new ProviderVisitor(app);
      const answer = await begun(visitor);
      const { cookie } = visitor;
      await fillPool(app);
      const results = await Promise.all(
        Array.from({ length: 20 }, () => new ProviderVisitor(app).get(answer, { cookie })),
      );
      assert.equal(results.filter(({ headers }) => headers.location === '/console/').length, 1);
    });

    it('an answer in the browser of somebody else signs nobody in', async () => {
      const [attacker, victim] = [new ProviderVisitor(app), new ProviderVisitor(app)];
      assertTurnedAway(await victim.get(await begun(attacker)), 'attempt_not_known');
      // Nor does it where the victim has an attempt of their own.
      const own = await begun(victim);
      assertTurnedAway(await victim.get(await begun(attacker)), 'attempt_not_known');
      provider.nonce = new URL(own).searchParams.get('nonce') ?? provider.nonce;
      assert.ok(victim.has('__Host-latchkey-sign-in'), 'the attempt of the victim is still open');
    });

    it('an attempt ends after ten minutes', async () => {
      const visitor = new ProviderVisitor(app);
      const answer = await begun(visitor);
      app.clock.move(10 * MINUTE_MS);
      assertTurnedAway(await visitor.get(answer), 'attempt_not_known');
    });

    it('a changed cookie is no attempt', async () => {
      const visitor = new ProviderVisitor(app);
      const answer = await begun(visitor);
      const cookie = visitor.cookie.replace(/(?<==)./, (first) => (first === 'A' ? 'B' : 'A'));
      assertTurnedAway(await new ProviderVisitor(app).get(answer, { cookie }), 'attempt_not_known');
    });

    it('what the provider declines is said', async () => {
      const visitor = new ProviderVisitor(app);
      const { searchParams } = new URL(await begun(visitor));
      const answer = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '' });
      assertTurnedAway(await visitor.get(`${PUBLIC_URL}/sign-in/callback?${answer}`), 'provider_declined');
    });

    it('an address without its flag gives no role, wherever it stands', async () => {
      provider.answers.idToken = { groups: [], email_verified: undefined };
      assertTurnedAway(await enter(), 'person_not_verified');
      provider.answers.userInfo = { email: 'eve@example.com', email_verified: true };
      assert.equal((await enter()).headers.location, '/console/');
    });

    it('a claim of another form gives no role', async () => {
      for (const groups of ['owner', { owners: true }, [['owners']], 1, null]) {
        provider.answers.idToken = { groups, email: 'other@example.com' };
        assertTurnedAway(await enter(), 'person_not_mapped');
      }
    });

    it('nothing in the address leads elsewhere', async () => {
      const elsewhere = { redirect_uri: 'https://evil.example.com', next: '//evil.example.com', RelayState: '/x' };
      assert.equal((await enter(elsewhere)).headers.location, '/console/');
      const { headers } = await new ProviderVisitor(app).get(`${PUBLIC_URL}/sign-in/leave?next=//evil.example.com`);
      assert.equal(headers.location, '/console/');
    });

    for (const path of ['/sign-in/provider', '/sign-in/leave'])
      it(`a foreign page cannot use ${path}`, async () => {
        const foreign = { 'sec-fetch-site': 'cross-site' };
        const { headers } = await new ProviderVisitor(app).get(`${PUBLIC_URL}${path}`, foreign);
        assert.deepEqual([headers.location, headers['set-cookie']], ['/console/', undefined]);
      });

    it('a person signs in 30 times an hour at most', async () => {
      for (let times = 0; times < 30; times += 1) assert.equal((await enter()).headers.location, '/console/');
      assertTurnedAway(await enter(), 'person_rate');
    });

    it('60 answers an hour come from one network at most, and further ones cause no request', async () => {
      provider.answers.idToken = { nonce: 'wrong' };
      for (let times = 0; times < 60; times += 1) assertTurnedAway(await enter(), 'provider_not_believed');
      const before = provider.asked.length;
      assertTurnedAway(await enter(), 'attempt_rate');
      assert.equal(provider.asked.length, before);
    });

    it('other methods do nothing', async () => {
      for (const method of ['POST', 'HEAD', 'PUT'])
        assert.equal((await app.send('/sign-in/callback', undefined, { method })).status, 405);
    });
  });

describe('a provider', () => {
  async function beginAt(description: Record<string, unknown>, check: (answer: string, at: LyingProvider) => void) {
    const provider = await startLyingProvider();
    provider.answers.description = description;
    const app = await startApp('sqlite', settingsOf(provider, PUBLIC_URL, ROLES));
    const { headers } = await new ProviderVisitor(app).get(`${PUBLIC_URL}/sign-in/provider`);
    check(String(headers.location), provider);
    await app.stop();
    await provider.stop();
  }
  const AWAY = '/console/#/sign-in?refused=provider_away';

  it('that describes itself as dex does is understood', async () => {
    await beginAt(OF_DEX, (address, { issuer }) => assert.ok(address.startsWith(`${issuer}/authorize?`), address));
  });

  it('that is called otherwise than in the settings is not used', async () => {
    await beginAt({ issuer: 'https://evil.example.com' }, (address) => assert.equal(address, AWAY));
  });

  it('whose description is larger than the bound is not used', async () => {
    await beginAt({ padding: 'x'.repeat(600 * 1024) }, (address) => assert.equal(address, AWAY));
  });

  it('that takes the secret in the body only gets it there, any other in the header', async () => {
    for (const [ways, isInHeader] of [
      [undefined, true],
      [['client_secret_post', 'client_secret_basic'], true],
      [['client_secret_post'], false],
    ] as const) {
      const provider = await startLyingProvider();
      provider.answers.description = { token_endpoint_auth_methods_supported: ways };
      const app = await startApp('sqlite', settingsOf(provider, PUBLIC_URL, ROLES));
      const visitor = new ProviderVisitor(app);
      const { searchParams } = new URL(await visitor.begin());
      provider.nonce = searchParams.get('nonce') ?? '';
      const answer = new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '' });
      const { headers } = await visitor.get(`${PUBLIC_URL}/sign-in/callback?${answer}`);
      assert.equal(headers.location, '/console/');
      const { authorization } = provider.asked.find(({ path }) => path === '/token') ?? {};
      const basic = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`;
      assert.equal(authorization, isInHeader ? basic : undefined);
      await app.stop();
      await provider.stop();
    }
  });

  it('with a certificate of its own authority is trusted by LATCHKEY_OIDC_CA_FILE only', async (test) => {
    const owner = await startApp('sqlite');
    test.after(() => owner.stop());
    const read = (name: string) => readFileSync(join(owner.directory, name));
    const provider = await startLyingProvider({ cert: read('tls-cert.pem'), key: read('tls-key.pem') });
    test.after(() => provider.stop());
    const settings = settingsOf(provider, PUBLIC_URL, ROLES);
    const trusting = { LATCHKEY_OIDC_CA_FILE: join(owner.directory, 'tls-cert.pem') };
    const addresses: string[] = [];
    for (const added of [{}, trusting]) {
      const app = await startApp('sqlite', { ...settings, ...added });
      const { headers } = await new ProviderVisitor(app).get(`${PUBLIC_URL}/sign-in/provider`);
      addresses.push(String(headers.location));
      await app.stop();
    }
    assert.equal(addresses[0], AWAY);
    assert.ok(addresses[1]?.startsWith(`${provider.issuer}/authorize?`), String(addresses[1]));
  });

  it('that is away keeps nobody from other ways in', async (test) => {
    const app = await startApp('sqlite', settingsOf({ issuer: 'http://127.0.0.1:9' }, PUBLIC_URL, ROLES));
    test.after(() => app.stop());
    const visitor = new ProviderVisitor(app);
    assert.equal((await visitor.get(`${PUBLIC_URL}/sign-in/provider`)).headers.location, AWAY);
    assert.equal((await visitor.get(`${PUBLIC_URL}/sign-in/leave`)).headers.location, '/console/');
    await signIn(app, { secret: ADMIN_SECRET });
  });

  it('that could not be used is asked again at the next attempt', async (test) => {
    const provider = await startLyingProvider();
    test.after(() => provider.stop());
    provider.answers.description = { issuer: 'https://evil.example.com' };
    const app = await startApp('sqlite', settingsOf(provider, PUBLIC_URL, ROLES));
    test.after(() => app.stop());
    const begin = () => new ProviderVisitor(app).get(`${PUBLIC_URL}/sign-in/provider`);
    assert.equal((await begin()).headers.location, AWAY);
    provider.answers = honest();
    assert.ok(String((await begin()).headers.location).startsWith(`${provider.issuer}/authorize?`));
  });
});
