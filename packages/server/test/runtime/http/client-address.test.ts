/** Limits apply to each address, as the socket or the proxy states it, and to no caller whose address is unknown. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADMIN_SECRET, startApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { processEnvironment } from '../../support/process-environment.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** The status of a request from one of the addresses of this machine's loopback network. */
function statusFrom(localAddress: string, port: number, path: string, body: unknown): Promise<number> {
  const options = {
    host: '127.0.0.1',
    port,
    path,
    localAddress,
    method: 'POST',
    rejectUnauthorized: false,
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

for (const engine of engines)
  describe(`on a socket for both families, on ${engine}`, () => {
    it('two IPv4 clients do not share a limit', async (test) => {
      const limits = { LATCHKEY_TRIAL_RATE: '2', LATCHKEY_WRONG_SECRET_RATE: '2' };
      const app = await startApp(engine, { HOST: '::', ...limits });
      test.after(() => app.stop());
      await app.admin('/createDiscountCode', { code: 'trial', trialDays: 1 });
      let customers = 0;
      const redeem = (address: string) => {
        const email = `${++customers}@example.com`;
        return statusFrom(address, app.port, '/redeemTrialCode', { code: 'trial', productId: 'app', email });
      };
      const guess = (address: string) => statusFrom(address, app.port, '/listLicenses', { adminSecret: 'wrong' });
      for (const address of ['127.0.0.2', '127.0.0.3']) {
        assert.deepEqual(
          [await redeem(address), await redeem(address), await redeem(address)],
          [200, 200, 429],
          address,
        );
        assert.deepEqual([await guess(address), await guess(address), await guess(address)], [401, 401, 429], address);
      }
      assert.equal((await app.admin('/listLicenses')).status, 200, 'this client, at 127.0.0.1');
    });
  });

describe('behind a proxy that says no address', () => {
  it('the log says once that no limit per network holds, with what to do', async (test) => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-address-'));
    const service: ChildProcess = spawn(process.execPath, [MAIN], {
      env: {
        ...processEnvironment,
        HOST: '127.0.0.1',
        PORT: '0',
        LATCHKEY_DATA_DIR: directory,
        LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
        LATCHKEY_TRUST_PROXY: '127.0.0.1',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    test.after(async () => {
      service.kill('SIGKILL');
      await rm(directory, { recursive: true });
    });
    let output = '';
    const started = Promise.withResolvers<void>();
    service.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('service.started') && output.endsWith('\n')) started.resolve();
    });
    await started.promise;
    const logged = () =>
      output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const port = Number(logged().find(({ event }) => event === 'service.started')?.port);
    const send = (path: string, forwardedFor: string | null) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: {
          'x-forwarded-proto': 'https',
          ...(forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor }),
        },
        body: JSON.stringify({ adminSecret: ADMIN_SECRET, licenseKey: 'AAAAA', productId: 'app' }),
      });
    // No warning for a client endpoint, which has no limit per network, nor for a request with an address.
    await send('/verify', null);
    await send('/listLicenses', '203.0.113.1');
    await send('/listLicenses', null);
    for (const forwardedFor of [null, 'unknown', '127.0.0.1']) await send('/listLicenses', forwardedFor);
    service.kill('SIGTERM');
    await once(service, 'close');
    const lines = logged();
    const said = lines.filter(({ event }) => event === 'client.address_unknown');
    assert.equal(said.length, 1);
    assert.match(String(said[0]?.warning), /LATCHKEY_TRUST_PROXY must add the address they see to X-Forwarded-For/);
    const lists = lines.filter(({ path }) => path === '/listLicenses').map(({ address }) => address);
    assert.deepEqual(lists, ['203.0.113.1', undefined, undefined, undefined, undefined]);
  });
});
