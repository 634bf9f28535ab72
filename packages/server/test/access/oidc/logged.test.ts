/** The log of sign-ins with accounts of a provider: it has the cause of a failure, and nothing that lets anybody in. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { freshDatabase } from '../../support/databases.ts';
import { startLyingProvider } from '../../support/lying-provider.ts';
import { ProviderVisitor, PUBLIC_URL } from '../../support/provider-visitor.ts';
import { CLIENT_SECRET, settingsOf } from '../../support/real-provider.ts';
import { startServerProcess } from '../../support/server-process.ts';

describe('the log of sign-ins with accounts of a provider', () => {
  it('has the cause of a failure, and no secret, code or cookie', async () => {
    const shared = await freshDatabase('sqlite');
    assert.ok(shared.database.engine === 'sqlite');
    const provider = await startLyingProvider();
    const service = await startServerProcess(shared.database, {
      LATCHKEY_DATA_DIR: dirname(shared.database.file),
      LATCHKEY_LOG_LEVEL: 'debug',
      ...settingsOf(provider, PUBLIC_URL, 'owner:groups=owners'),
    });
    const visitor = new ProviderVisitor(service);
    const codes = ['the-code-of-the-first-answer', 'the-code-of-the-second-answer'];
    for (const [index, code] of codes.entries()) {
      const { searchParams } = new URL(await visitor.begin());
      provider.nonce = index === 0 ? 'of-another-attempt' : (searchParams.get('nonce') ?? '');
      const answer = new URLSearchParams({ code, state: searchParams.get('state') ?? '' });
      await visitor.get(`${PUBLIC_URL}/sign-in/callback?${answer}`);
    }
    assert.ok(visitor.has('__Host-latchkey'));
    const { cookie } = visitor;
    await service.stop();
    await provider.stop();
    await shared.remove();
    const lines = service.log.map((line) => JSON.stringify(line)).join('\n');
    for (const secret of [CLIENT_SECRET, ...codes, 'an-access-token', cookie.split('=')[1] ?? '']) {
      assert.ok(secret.length > 10);
      assert.ok(!lines.includes(secret), `the log holds ${secret}`);
    }
    const [failed, entered] = service.log.filter(({ path }) => path === '/sign-in/callback');
    assert.match(String(failed?.failure), /unexpected ID Token "nonce"/);
    assert.equal(entered?.failure, undefined);
  });
});
