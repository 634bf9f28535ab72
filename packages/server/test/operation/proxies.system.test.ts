/** The examples for proxies in ops/, run by their programs where these are installed. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/ground/base/clock.ts';
import { readConfig } from '../../src/runtime/config/read-config.ts';
import { openCertificate } from '../../src/runtime/http/certificate.ts';
import { ADMIN_SECRET, type Answer } from '../support/app.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { freshFor } from '../support/for-test.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Addresses and files of a test. */
interface Setting {
  readonly folder: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly nodePorts: readonly [number, number];
  readonly httpsPort: number;
  readonly httpPort: number;
}

/** A program, and the way to run it on its example. */
interface Proxy {
  readonly program: string;
  readonly example: string;
  /** Writes its configuration, made from the example, and returns its arguments. */
  configure(example: string, setting: Setting): readonly string[];
}

/** The example with other values. Each replaced value must be there: a test of a changed example proves nothing. */
function placed(example: string, places: Readonly<Record<string, string>>): string {
  let result = example;
  for (const [there, here] of Object.entries(places)) {
    assert.ok(result.includes(there), `the example has no ${there}`);
    result = result.replaceAll(there, here);
  }
  return result;
}

const nginx: Proxy = {
  program: 'nginx',
  example: 'nginx.conf',
  configure(example, { folder, certificateFile, keyFile, nodePorts, httpsPort, httpPort }) {
    const site = placed(example, {
      '127.0.0.1:8443 ': `127.0.0.1:${nodePorts[0]} `,
      '127.0.0.1:8444 ': `127.0.0.1:${nodePorts[1]} `,
      'listen 443 ': `listen 127.0.0.1:${httpsPort} `,
      'listen [::]:443 ssl http2;': '',
      'listen 80;': `listen 127.0.0.1:${httpPort};`,
      'listen [::]:80;': '',
      '/etc/letsencrypt/live/licenses.example.com/fullchain.pem': certificateFile,
      '/etc/letsencrypt/live/licenses.example.com/privkey.pem': keyFile,
      '/var/log/nginx/latchkey.log': join(folder, 'access.log'),
    });
    writeFileSync(join(folder, 'site.conf'), site);
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const main = [
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      `daemon off;\npid ${join(folder, 'pid')};\nerror_log stderr;\nevents {}`,
      `http {\n${kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`).join('\n')}`,
      `include ${join(folder, 'site.conf')};\n}\n`,
    ];
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, main.join('\n'));
    return ['-p', folder, '-e', 'stderr', '-c', file];
  },
};

const caddy: Proxy = {
  program: 'caddy',
  example: 'Caddyfile',
  configure(example, { folder, certificateFile, keyFile, nodePorts, httpsPort, httpPort }) {
    const site = placed(example, {
      'licenses.example.com {': `https://127.0.0.1:${httpsPort} {\n\ttls ${certificateFile} ${keyFile}`,
      '127.0.0.1:8443 127.0.0.1:8444 ': `127.0.0.1:${nodePorts[0]} 127.0.0.1:${nodePorts[1]} `,
    });
    const global = `{\n\tadmin off\n\thttps_port ${httpsPort}\n\thttp_port ${httpPort}\n}\n`;
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, global + site);
    return ['run', '--config', file, '--adapter', 'caddyfile'];
  },
};

/** The reason why a program cannot be tried here; false when it can. */
function reasonToSkip(program: string): string | false {
  if (process.platform !== 'linux') return 'only Linux gives one client several addresses of its own';
  return spawnSync(program, ['version']).error !== undefined && `${program} is not installed`;
}

/** The client's own address, from which requests reach the proxy. */
const CLIENT = '127.0.0.5';

async function ask(setting: Setting, path: string, body?: object, options: RequestOptions = {}): Promise<Answer> {
  const sent = request({
    host: '127.0.0.1',
    port: setting.httpsPort,
    path,
    method: body === undefined ? 'GET' : 'POST',
    localAddress: CLIENT,
    rejectUnauthorized: false,
    agent: false,
    ...options,
    headers: { 'content-type': 'application/json', ...options.headers },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  const answered = await text(response);
  const isJson = /json/.test(response.headers['content-type']);
  return { status: response.statusCode, headers: response.headers, body: isJson ? JSON.parse(answered) : answered };
}

/** Starts the proxy and waits for its first reply from a node. */
async function startProxy(test: TestContext, proxy: Proxy, setting: Setting): Promise<ChildProcess> {
  const example = readFileSync(new URL(`../../../../ops/${proxy.example}`, import.meta.url), 'utf8');
  const environment = { PATH: process.env.PATH, HOME: setting.folder };
  const started = spawn(proxy.program, proxy.configure(example, setting), {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = text(started.stderr);
  const ended = once(started, 'exit');
  test.after(async () => {
    started.kill('SIGTERM');
    await ended;
  });
  void ended.then(async () => test.diagnostic(await said));
  while (started.exitCode === null) {
    const answer = await ask(setting, '/readyz').catch(() => null);
    if (answer?.status === 200) return started;
    await wait(100);
  }
  throw new Error(`${proxy.program} ended: ${await said}`);
}

for (const proxy of [nginx, caddy])
  describe(`the example for ${proxy.program}`, { skip: reasonToSkip(proxy.program) }, () => {
    it('passes calls to two nodes, says who sent them, and goes on when one is killed', async (test) => {
      const folder = temporaryFolder(test);
      const certificate = await openCertificate(readConfig({ LATCHKEY_DATA_DIR: folder }), systemClock());
      const database = await freshFor(test, 'postgres');
      const nodes: ServerProcess[] = [];
      for (let node = 0; node < 2; node++) {
        nodes.push(await startServerProcess(database, { LATCHKEY_TRUST_PROXY: '127.0.0.1' }));
        test.after(() => nodes[node]?.kill());
      }
      const [first, second] = nodes as [ServerProcess, ServerProcess];
      const [httpsPort, httpPort] = [await fixedPort(), await fixedPort()];
      const setting: Setting = {
        folder,
        certificateFile: certificate.certificateFile,
        keyFile: certificate.keyFile,
        nodePorts: [first.port, second.port],
        httpsPort,
        httpPort,
      };
      await startProxy(test, proxy, setting);

      const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http' };
      const order = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' };
      const keys: string[] = [];
      for (let count = 0; count < 8; count++) {
        const { status, body } = await ask(setting, '/createLicense', order, { headers: forged });
        assert.equal(status, 200, JSON.stringify(body));
        keys.push(body.licenseKey);
      }
      const done = nodes.map(({ log }) => log.filter(({ path }) => path === '/createLicense'));
      assert.ok(
        done.every((lines) => lines.length > 0),
        'both nodes got calls',
      );
      for (const { address } of done.flat())
        assert.equal(address, CLIENT, 'a client cannot say that it is another one');

      const large = await ask(setting, '/verify', { licenseKey: 'x'.repeat(70 * 1024), productId: 'app' });
      assert.equal(large.status, 413);
      assert.equal(typeof large.body.error, 'string', 'the service refuses it, not the proxy');

      const plain = plainRequest({ host: '127.0.0.1', port: httpPort, path: '/docs', agent: false }).end();
      const [redirect] = await once(plain, 'response');
      redirect.resume();
      assert.match(redirect.headers.location, /^https:\/\//);

      await first.kill();
      // A proxy has to notice that the node is gone, and sends no POST twice: until then calls may end with 502.
      for (let inARow = 0, at = 0; inARow < 2 * keys.length; at++) {
        const { status } = await ask(setting, '/verify', { licenseKey: keys[at % keys.length], productId: 'app' });
        assert.ok(status === 200 || status === 502, String(status));
        inARow = status === 200 ? inARow + 1 : 0;
        if (status !== 200) await wait(100);
      }
    });
  });
