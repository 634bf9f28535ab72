import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError } from '../../../src/runtime/config/config.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { runCommandHere } from '../../support/command.ts';
import { operatorKey, signIn } from '../../support/console.ts';
import { engines } from '../../support/databases.ts';
import { startLyingProvider } from '../../support/lying-provider.ts';
import { PUBLIC_URL } from '../../support/provider-visitor.ts';
import { settingsOf } from '../../support/real-provider.ts';
import { startedApp } from '../../support/started-app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const WHOLE = settingsOf({ issuer: 'https://login.example.com' }, PUBLIC_URL, 'owner:groups=owners');

function errorsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.errors;
  }
}
const grantsOf = (roles: string) => readConfig({ ...WHOLE, LATCHKEY_OIDC_ROLES: roles }).oidc?.grants;

describe('the settings of a provider', () => {
  it('are off by default, and whole with an issuer, a client, its secret, roles and the public address', () => {
    assert.equal(readConfig({}).oidc, null);
    assert.deepEqual(errorsOf(WHOLE), []);
    for (const name of ['CLIENT_ID', 'CLIENT_SECRET', 'ROLES'].map((each) => `LATCHKEY_OIDC_${each}`)) {
      const { [name]: _, ...rest } = WHOLE;
      assert.deepEqual(errorsOf(rest), [`${name} must be set too when LATCHKEY_OIDC_ISSUER is`]);
      const alone = { [name]: WHOLE[name] ?? '' };
      assert.deepEqual(errorsOf(alone), [`LATCHKEY_OIDC_ISSUER must be set too when ${name} is`]);
    }
    const { LATCHKEY_PUBLIC_URL: _, ...rest } = WHOLE;
    assert.deepEqual(errorsOf(rest), ['LATCHKEY_PUBLIC_URL must be set too when LATCHKEY_OIDC_ISSUER is']);
    assert.deepEqual(errorsOf({ ...WHOLE, LATCHKEY_CONSOLE: 'off' }), [
      'LATCHKEY_CONSOLE must be on when LATCHKEY_OIDC_ISSUER is set',
    ]);
  });

  it('call the button after the host of the issuer unless it has a name', () => {
    assert.equal(readConfig({ ...WHOLE, LATCHKEY_OIDC_NAME: '' }).oidc?.name, 'login.example.com');
  });

  for (const issuer of [
    ...['login.example.com', 'http://login.example.com', 'https://user:pw@login.example.com', 'ftp://x'],
    ...['https://login.example.com?tenant=1', 'https://login.example.com/#x', 'javascript:alert(1)'],
  ])
    it(`an issuer is an https address: not ${issuer}`, () => {
      const [error, ...more] = errorsOf({ ...WHOLE, LATCHKEY_OIDC_ISSUER: issuer });
      assert.match(error ?? '', /^LATCHKEY_OIDC_ISSUER must be the https address of the provider/);
      assert.equal(more.length, 0);
    });

  it('take plain HTTP on this machine', () => {
    for (const issuer of ['http://localhost:5556/dex', 'http://127.0.0.1:1', 'http://[::1]:1'])
      assert.deepEqual(errorsOf({ ...WHOLE, LATCHKEY_OIDC_ISSUER: issuer }), []);
  });

  it('never show the secret', () => {
    const [error = ''] = errorsOf({ ...WHOLE, LATCHKEY_OIDC_CLIENT_SECRET: 'a secret with spaces' });
    assert.match(error, /^LATCHKEY_OIDC_CLIENT_SECRET must have 1 to 1024 printable ASCII characters and no spaces$/);
  });

  it('ask for the scope openid', () => {
    const [error = ''] = errorsOf({ ...WHOLE, LATCHKEY_OIDC_SCOPES: 'email profile' });
    assert.match(error, /^LATCHKEY_OIDC_SCOPES must be names separated by spaces, with openid among them/);
  });

  it('give roles and creators in their order, with claims that are addresses, and values with any character', () => {
    const viewer = { kind: 'operator', role: 'viewer' };
    assert.deepEqual(grantsOf('viewer:https://example.com/roles=a:b=c'), [
      { claim: 'https://example.com/roles', value: 'a:b=c', rights: viewer },
    ]);
    assert.deepEqual(grantsOf('viewer:g=a%2Cb%25,creator/x/y:email=x@example.com'), [
      { claim: 'g', value: 'a,b%', rights: viewer },
      { claim: 'email', value: 'x@example.com', rights: { kind: 'creator', creatorId: 'x/y' } },
    ]);
  });

  for (const roles of ['owner', 'owner:groups', 'admin:groups=x', 'creator/:email=x', 'owner:=x', 'owner:groups=', ','])
    it(`name the entry of the roles that is not understood: ${roles}`, () => {
      const [error = ''] = errorsOf({ ...WHOLE, LATCHKEY_OIDC_ROLES: roles });
      assert.match(error, /^LATCHKEY_OIDC_ROLES has the entry "/);
    });

  it('are bounded', () => {
    const roles = Array.from({ length: 201 }, (_, index) => `viewer:groups=g${index}`).join();
    assert.deepEqual(errorsOf({ ...WHOLE, LATCHKEY_OIDC_ROLES: roles }), [
      'LATCHKEY_OIDC_ROLES must have at most 200 entries',
    ]);
  });

  it('are tried by check, which names the addresses to allow, or the fault', async (test) => {
    const provider = await startLyingProvider();
    test.after(() => provider.stop());
    const folder = { LATCHKEY_DATA_DIR: await temporaryFolder(test) };
    const check = (issuer: string) =>
      runCommandHere(['check'], { ...folder, ...settingsOf({ issuer }, PUBLIC_URL, 'owner:groups=owners') });
    const { code, out } = await check(provider.issuer);
    assert.equal(code, 0);
    assert.ok(out.includes(`People sign in to the console at ${provider.issuer}, which answers.`), out);
    assert.ok(out.includes(`It must allow ${PUBLIC_URL}/sign-in/callback after a sign-in`), out);
    provider.answers.description = { issuer: 'https://evil.example.com' };
    const other = await check(provider.issuer);
    assert.equal(other.code, 0);
    assert.match(other.err, /Warning: LATCHKEY_OIDC_ISSUER: .*/);
  });
});

for (const engine of engines)
  describe(`a console without sign-ins by the admin secret, on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_CONSOLE_SECRET_SIGN_IN: 'off' });

    it('refuses the admin secret and says why, begins no session, and takes operator keys', async () => {
      const refused = await app.send('/createConsoleSession', { secret: ADMIN_SECRET });
      assertRefused(refused, 403, 'The admin secret does not sign in to this console');
      assert.equal(refused.headers['set-cookie'], undefined);
      const { answer } = await signIn(app, { secret: await operatorKey(app, 'owner', 'Bea') });
      assert.equal(answer.body.name, 'Bea');
      assert.deepEqual((await app.admin('/listConsoleSessions')).body.count, 1);
    });

    it('says nothing about a wrong secret', async () => {
      assertRefused(await app.send('/createConsoleSession', { secret: 'wrong' }), 401, 'Unauthorized');
    });

    it('tells the entrance', async () => {
      const { body } = await app.send('/sign-in/ways', undefined, { method: 'GET' });
      assert.deepEqual(body, { provider: null, adminSecret: false });
    });
  });
