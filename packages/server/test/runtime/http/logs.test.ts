/** The log of a running service: a JSON line for each request, and never a secret, wherever a client put it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Answer } from '../../support/app.ts';
import { processEnvironment } from '../../support/process-environment.ts';
import { requestBytes, Wire } from './wire.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
/** Credentials that clients show in the wrong place, or that are wrong. */
const WRONG_SECRET = 'wrong-secret-4f9d1c';
const WRONG_KEY = 'lk_wrong_key_8a7b6c5d4e3f';

describe('the logs', () => {
  let directory: string;
  let service: ChildProcess;
  let output = '';
  let port: number;
  /** Values that the output must not contain, by kind. */
  const secrets: Record<string, string> = { 'wrong secret': WRONG_SECRET, 'wrong API key': WRONG_KEY };
  const requestIds: string[] = [];
  /** Values that clients send in place of a license key. */
  const sentAsLicenseKey: string[] = [];

  const lines = () => output.split('\n').filter((line) => line.startsWith('{'));
  const logged = () => lines().map((line) => JSON.parse(line) as Record<string, unknown>);

  async function send(path: string, body: unknown, headers: readonly string[] = [], method = 'POST'): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return exchange(requestBytes(path, text, { method, headers }));
  }

  /** Every reply has an id, even if the input was no readable request. */
  async function exchange(bytes: string | Buffer, options?: { tls: boolean }): Promise<Answer> {
    const answer = await Wire.exchange(port, bytes, options);
    const requestId = answer.headers['x-request-id'];
    assert.equal(typeof requestId, 'string');
    requestIds.push(String(requestId));
    return answer;
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'latchkey-logs-'));
    service = spawn(process.execPath, [MAIN], {
      env: {
        ...processEnvironment,
        HOST: '127.0.0.1',
        PORT: '0',
        LATCHKEY_DATA_DIR: directory,
        LATCHKEY_LOG_LEVEL: 'debug',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = Promise.withResolvers<void>();
    const take = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('service.started') && output.endsWith('\n')) started.resolve();
    };
    service.stdout?.on('data', take);
    service.stderr?.on('data', take);
    service.once('exit', () => started.reject(new Error(output)));
    await started.promise;
    port = Number(logged().find(({ event }) => event === 'service.started')?.port);
    for (const kind of ['admin', 'webhook'])
      secrets[`${kind} secret`] = (await readFile(join(directory, `${kind}-secret`), 'utf8')).trim();
    await sendSecretsEverywhere();
    service.kill('SIGTERM');
    await once(service, 'close');
  });
  after(async () => {
    service.kill('SIGKILL');
    await rm(directory, { recursive: true });
  });

  /** As well-configured clients do, and as misconfigured ones do. */
  async function sendSecretsEverywhere(): Promise<void> {
    const adminSecret = secrets['admin secret']!;
    const webhookSecret = secrets['webhook secret']!;
    const webhook = [`x-webhook-secret: ${webhookSecret}`];

    const key = await send('/createApiKey', { adminSecret, creatorId: 'creator', name: 'key' });
    const { apiKey } = key.body;
    await send('/createProduct', { apiKey, name: 'App', slug: 'app' });
    const order = { email: 'ada@example.com', productId: 'app' };
    const created = await send('/createLicense', order, [`X-Admin-Secret: ${adminSecret}`]);
    const { licenseKey } = created.body;
    const machine = { licenseKey, machineFingerprint: 'machine', hostname: 'host', productId: 'app' };
    const { token } = (await send('/activate', machine)).body;
    const seats = await send(
      '/createStudioOrder',
      {
        ...{ buyerEmail: 'b@example.com', buyerUserId: 'b', courseId: 'c', courseSlug: 'c', courseTitle: 'C' },
        ...{ creatorId: 'creator', seatCount: 2, pricePerSeat: 1, totalAmount: 2, currency: 'usd' },
      },
      webhook,
    );
    const { code } = seats.body.seats[0];
    Object.assign(secrets, { 'API key': apiKey, 'license key': licenseKey, 'session token': token, 'seat code': code });

    sentAsLicenseKey.push(WRONG_KEY, adminSecret, apiKey, `${licenseKey}x`, code);
    const statuses: [number, Promise<Answer>][] = [
      [200, send('/verify', machine)],
      [200, send('/validate', { ...machine, token })],
      [401, send('/validate', { ...machine, token: `${token}x` })],
      ...sentAsLicenseKey.map((licenseKey): [number, Promise<Answer>] => [
        404,
        send('/verify', { licenseKey, productId: apiKey }),
      ]),
      [200, send(`/getLicense?licenseKey=${licenseKey}&adminSecret=${adminSecret}`, '', [], 'GET')],
      [200, send(`/getLicense?licenseKey=${licenseKey}&apiKey=${apiKey}`, '', [], 'GET')],
      [401, send(`/getLicense?licenseKey=${licenseKey}&adminSecret=${WRONG_SECRET}`, '', [], 'GET')],
      [200, send('/getLicense', { licenseKey }, [`X-API-Key: ${apiKey}`])],
      [200, send('/getLicense', { licenseKey }, [`Authorization: Bearer ${apiKey}`])],
      [401, send('/getLicense', { licenseKey }, [`Authorization: Bearer ${WRONG_KEY}`])],
      [401, send('/getLicense', { licenseKey, adminSecret: WRONG_SECRET, apiKey: WRONG_KEY })],
      [401, send('/redeemSeatCode', { code }, [`x-webhook-secret: ${WRONG_SECRET}`])],
      [200, send('/validateSeatCode', { code }, webhook)],
      [400, send('/storefrontWebhook', { webhookSecret, type: WRONG_SECRET, email: apiKey, productId: licenseKey })],
      [404, send('/revokeApiKey', { adminSecret, apiKeyToRevoke: WRONG_KEY })],
      [400, send('/createLicense', `{"adminSecret":"${adminSecret}","licenseKey":"${licenseKey}"`)],
      [413, send('/createLicense', { adminSecret, apiKey, x: 'x'.repeat(70_000) })],
      [400, send('/createLicense', { adminSecret, email: adminSecret, productId: 5 })],
      [400, send('/createLicense', { adminSecret }, [`Idempotency-Key: ${adminSecret} ${apiKey}`])],
      [405, send(`/verify?apiKey=${apiKey}&licenseKey=${licenseKey}`, '', [], 'GET')],
      [404, send(`/verify/${licenseKey}`, {})],
      [404, send(`/${adminSecret}`, {})],
      [404, send(`/api/${apiKey}/license/${licenseKey}/${code}?token=${token}`, {})],
      [400, send(`/verify`, `licenseKey=${licenseKey}`, ['X-Request-Id: bad id'])],
      [400, exchange(`POST /verify?${adminSecret}\r\nX-Admin-Secret: ${adminSecret}\r\n\r\n`)],
      [426, exchange(requestBytes(`/verify?apiKey=${apiKey}`, JSON.stringify(machine)), { tls: false })],
    ];
    for (const [index, [status, answer]] of statuses.entries()) {
      const { status: answered, body } = await answer;
      assert.equal(answered, status, `request ${index}: ${JSON.stringify(body)}`);
    }
  }

  it('hold no secret, key, token or code, whole or in part', () => {
    for (const [kind, secret] of Object.entries(secrets)) {
      assert.ok(secret.length > 12);
      assert.equal(output.includes(secret), false, kind);
      // A truncated secret is still a secret, because the rest can be guessed.
      assert.equal(output.includes(secret.slice(3, 15)), false, `part of the ${kind}`);
      assert.equal(output.includes(secret.slice(-12)), false, `end of the ${kind}`);
    }
  });

  it('are lines of JSON on standard output, each with a time and an event', () => {
    assert.ok(lines().length > 30);
    for (const { time, event } of logged()) {
      assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.match(String(event), /^[a-z_]+(\.[a-z_]+)+$/);
    }
  });

  it('have every answered request with its id, path, outcome and reason', () => {
    const requests = logged().filter(({ event }) => String(event).startsWith('request.'));
    assert.deepEqual(new Set(requests.map(({ requestId }) => requestId)), new Set(requestIds));
    assert.equal(requests.length, requestIds.length);
    const of = (path: string, status: number) => requests.find((each) => each.path === path && each.status === status);
    assert.equal(of('/verify', 200)?.event, 'request.done');
    assert.equal(of('/getLicense', 401)?.code, 'unauthorized');
    assert.equal(of('/createLicense', 413)?.code, 'body_too_large');
    assert.equal(of('/validate', 401)?.event, 'request.refused');
    for (const { address } of requests) assert.equal(address, '127.0.0.1');
    for (const { status } of requests) assert.ok(Number(status) < 500);
  });

  it('show enough of a license key to find it', () => {
    const licenseKey = secrets['license key']!;
    const shown = `${licenseKey.slice(0, 5)}…${licenseKey.slice(-5)}`;
    assert.ok(logged().some(({ license }) => license === shown));
  });

  it('hide a sent license key of another form', () => {
    const { licenseKey, ...others } = { ...secrets, licenseKey: secrets['license key']! };
    assert.ok(Object.values(others).length > 5);
    const shown = new Set(logged().flatMap(({ license }) => (license === undefined ? [] : [license])));
    assert.deepEqual(shown, new Set([`${licenseKey.slice(0, 5)}…${licenseKey.slice(-5)}`, '…']));
    const masked = logged().filter(({ license }) => license === '…');
    assert.equal(masked.length, sentAsLicenseKey.length);
  });

  it('have the start and the orderly end', () => {
    const events = logged().map(({ event }) => event);
    assert.ok(events.includes('service.started'));
    assert.deepEqual(events.slice(-2), ['service.stopping', 'service.stopped']);
    assert.equal(service.exitCode, 0);
  });
});
