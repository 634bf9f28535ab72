/** The command `latchkey-client receive`, with requests as the service sends them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startReceiving } from '../src/receive.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const PROGRAM = join(import.meta.dirname, '../src/cli.ts');
const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
const [FIRST, SECOND] = [secretOf(1), secretOf(2)];
const BODY = JSON.stringify({
  ...{ id: 'evt_1', type: 'license.created', timestamp: '2027-01-31T09:30:00.000Z' },
  data: { number: 1, license: { number: 1, status: 'active', email: 'a\u001bb' } },
});

describe('latchkey-client receive', { concurrency: true }, () => {
  const directory = temporaryFolder('latchkey-receive-');

  async function secretFile(text: string): Promise<string> {
    const file = join(directory, `secret-${Math.random().toString(36).slice(2)}`);
    await writeFile(file, text);
    return file;
  }

  /** Starts the command; returns its address and a function that waits for its next line. */
  async function receive(test: TestContext, file: string, ...args: string[]) {
    const command = [PROGRAM, 'receive', '--port', '0', '--secret-file', file, ...args];
    const child: ChildProcess = spawn(process.execPath, command);
    test.after(async () => {
      child.kill();
      await once(child, 'close');
    });
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const line = async () => String((await lines.next()).value);
    const [, url = ''] = /(http:\S+)/.exec(await line()) ?? [];
    return { url, line };
  }

  async function post(url: string, secret: string, body = BODY, id = 'evt_1'): Promise<number> {
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }

  /** Starts a program that requests are sent on to, and returns its address. */
  async function target(test: TestContext, listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    test.after(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  }

  it('verifies events, shows each on a line without control characters, and follows a rotation of the secret', async (test) => {
    const file = await secretFile(`${FIRST}\n`);
    const { url, line } = await receive(test, file);
    assert.equal(await post(url, FIRST), 204);
    const shown = await line();
    assert.match(shown, /^\S+Z 204 verified: \{"type":"license\.created","id":"evt_1","number":1,/);
    assert.ok(!shown.includes('\u001b') && !shown.includes(FIRST.slice(6)));
    assert.equal(await post(url, SECOND), 400);
    assert.match(await line(), / 400 refused: signature: /);
    await writeFile(file, `${FIRST}\n${SECOND}\n`);
    assert.equal(await post(url, SECOND), 204);
    assert.match(await line(), / 204 verified/);
  });

  it('refuses bodies that are too large, without reading them whole', async (test) => {
    const { url, line } = await receive(test, await secretFile(FIRST));
    const status = await post(url, FIRST, JSON.stringify('x'.repeat(100_000))).catch(() => 413);
    assert.equal(status, 413);
    assert.match(await line(), / 413 refused/);
  });

  it('answers as it is told, and sends verified requests on unchanged', async (test) => {
    const forwarded: string[] = [];
    const to = await target(test, async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      new Webhook(FIRST).verify(body, request.headers as Record<string, string>);
      forwarded.push(body);
      response.writeHead(forwarded.length === 1 ? 202 : 307, { location: '/elsewhere' }).end();
    });
    const file = await secretFile(FIRST);
    const [failing, forwarding] = await Promise.all([
      receive(test, file, '--fail', '503', '--slow', '0s'),
      receive(test, file, '--forward', to),
    ]);
    assert.equal(await post(failing.url, FIRST), 503);
    assert.equal(await post(forwarding.url, FIRST), 202);
    assert.equal(await post(forwarding.url, SECOND), 400);
    assert.deepEqual(forwarded, [BODY]);
    assert.equal(await post(forwarding.url, FIRST), 307, 'a redirect is answered, not followed');
    assert.equal(forwarded.length, 2);
  });

  it('answers late where it is told', async (test) => {
    const { url } = await receive(test, await secretFile(FIRST), '--slow', '10m');
    // Only requests beyond the bound are answered at once. Those that wait end with the command.
    const statuses = Array.from({ length: 100 }, () => post(url, FIRST).catch(() => new Promise<number>(() => {})));
    assert.equal(await Promise.race(statuses), 503);
  });

  it('takes 64 requests at a time, and answers 503 to one more', async (test) => {
    const held: ServerResponse[] = [];
    const { promise: isFull, resolve } = Promise.withResolvers<string>();
    const to = await target(test, (_, response) => {
      if (held.length === 64) return void response.end();
      if (held.push(response) === 64) resolve('64 held');
    });
    const { url } = await receive(test, await secretFile(FIRST), '--forward', to);
    const statuses = Array.from({ length: 64 }, () => post(url, FIRST));
    assert.equal(await Promise.race([isFull, ...statuses]), '64 held');
    assert.equal(await post(url, FIRST), 503);
    for (const response of held) response.writeHead(202).end();
    assert.deepEqual([...new Set(await Promise.all(statuses))], [202]);
  });

  it('waits 15 seconds for the answer to a request that it sent on, and answers 502 without one', async (test) => {
    // The types do not know this timer, which Node has.
    test.mock.timers.enable({ apis: ['AbortSignal.timeout' as 'Date'] });
    let waitedMs = 0;
    const forward = await target(test, (_, response) => {
      test.mock.timers.tick(waitedMs);
      response.writeHead(202).end();
    });
    const options = { port: 0, secretFile: await secretFile(FIRST), forward, fail: null, slowMs: 0 };
    const server = await startReceiving(options, () => {});
    test.after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    for (const [milliseconds, status] of [
      [14_999, 202],
      [15_000, 502],
    ] as const) {
      waitedMs = milliseconds;
      assert.equal(await post(url, FIRST), status);
    }
  });

  it('says which part of the command line is wrong, and never shows the file', async () => {
    const file = await secretFile('not-a-secret-of-a-destination');
    const [good, taken] = [await secretFile(FIRST), join(directory, 'absent')];
    const wrong = [
      [['--secret-file', file], /must hold the secret of the destination/],
      [['--secret-file', taken], /ENOENT/],
      [['--secret-file', good, '--port', '70000'], /70000 is not a port/],
      [['--secret-file', good, '--fail', '200'], /200 is not a status such as 500/],
      [['--secret-file', good, '--slow', 'long'], /long is not a time/],
      [['--secret-file', good, '--forward', 'file:///etc/passwd'], /--forward takes an http or https URL/],
    ] as const;
    const seen = wrong.map(async ([args, expected]) => {
      const child = spawn(process.execPath, [PROGRAM, 'receive', ...args]);
      let said = '';
      child.stderr.on('data', (chunk) => (said += chunk));
      child.stdout.on('data', (chunk) => (said += chunk));
      const [code] = await once(child, 'close');
      assert.equal(code, 2, said);
      assert.match(said, expected);
      assert.ok(!said.includes('not-a-secret-of'));
    });
    await Promise.all(seen);
  });
});
