/** The greeting of a start on the terminal: addresses that work from the machine of the service. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../support/process-environment.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const HAS_IPV6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

/** Starts the service and returns its greeting, and the directory in which it was started and keeps its data. */
async function greetingOf(
  test: TestContext,
  environment: Readonly<Record<string, string>>,
): Promise<{ text: string; directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-greeting-'));
  const service: ChildProcess = spawn(process.execPath, [MAIN], {
    cwd: directory,
    env: { ...processEnvironment, PORT: '0', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(service, 'exit');
  test.after(async () => {
    service.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true, force: true });
  });
  const said = Promise.withResolvers<string>();
  let text = '';
  service.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.includes('/createLicense\n')) said.resolve(text);
  });
  void ended.then(() => said.reject(new Error(text)));
  return { text: await said.promise, directory };
}

/** The status of a GET; HTTPS trusts that certificate alone, whose names must match. */
function statusAt(url: string, ca: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? requestTls : requestPlain;
    const sent = request(url, { ...(ca === undefined ? {} : { ca }), agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const addressIn = (text: string, before: string) => new RegExp(`${before} +(\\S+)`).exec(text)?.[1] ?? 'no address';

describe('the greeting', () => {
  for (const [host, needsIpv6] of [
    ['localhost', false],
    ['127.0.0.1', false],
    ['0.0.0.0', false],
    ['::', true],
    ['0:0:0:0:0:0:0:0', true],
    ['::1', true],
  ] as const) {
    const skip = needsIpv6 && !HAS_IPV6 && 'needs a machine with IPv6';
    it(`names addresses that can be opened where HOST is ${host}`, { skip }, async (test) => {
      const { text, directory } = await greetingOf(test, { HOST: host });
      const ca = readFileSync(join(directory, 'data', 'tls-cert.pem'), 'utf8');
      assert.equal(await statusAt(`${addressIn(text, 'Latchkey answers at')}/healthz`, ca), 200);
      assert.equal(await statusAt(addressIn(text, 'Reference'), ca), 200);
      const sample = /'(?:[^']*)' (https:\S+)\/createLicense/.exec(text)?.[1];
      assert.equal(sample, addressIn(text, 'Latchkey answers at'));
    });
  }

  for (const host of ['localhost', '0.0.0.0'])
    it(`names a plain address behind a proxy where HOST is ${host}, and leaves the clients' address open`, async (test) => {
      const { text } = await greetingOf(test, { HOST: host, LATCHKEY_TRUST_PROXY: '203.0.113.7' });
      const url = addressIn(text, 'answers the proxies in LATCHKEY_TRUST_PROXY at');
      assert.match(url, /^http:\/\//);
      assert.equal(await statusAt(addressIn(text, 'Health'), undefined), 200);
      assert.match(text, / https:\/\/YOUR-HOST\/createLicense\n/);
      assert.doesNotMatch(text, /0\.0\.0\.0|Certificate|--cacert/);
    });
});
