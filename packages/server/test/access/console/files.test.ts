/** The files of the console: the paths under /console/ and their headers, and nothing else. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { ADMIN_SECRET, type Answer, startApp, type TestApp } from '../../support/app.ts';
import { PAGE_HEADERS, signIn } from '../../support/console.ts';
import { freshDatabase } from '../../support/databases.ts';

const PAGE = '<!doctype html><title>Console</title><script type="module" src="./assets/main-a1b2.js"></script>';
const SCRIPT = 'console.log("the console");';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** Sends a path exactly as written, and returns the bytes of the reply. */
function ask(
  app: TestApp,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Omit<Answer, 'body'> & { body: Buffer }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port: app.port, path, method, headers, rejectUnauthorized: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

// Files do not depend on the database, so one engine suffices.
describe('the files of the console', () => {
  let folder: string;
  let app: TestApp;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-console-'));
    await mkdir(join(folder, 'dist', 'assets'), { recursive: true });
    await writeFile(join(folder, 'secret.txt'), 'not to be seen');
    const write = (name: string, body: string | Buffer) => writeFile(join(folder, 'dist', name), body);
    await write('index.html', PAGE);
    await write('assets/main-a1b2.js', SCRIPT);
    await write('assets/main-a1b2.js.br', brotliCompressSync(SCRIPT));
    await write('assets/main-a1b2.js.gz', gzipSync(SCRIPT));
    await write('assets/main-c3d4.css', 'body{}');
    await write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    app = await startApp('sqlite', {}, undefined, { consoleFolder: join(folder, 'dist') });
  });
  after(async () => {
    await app.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('are led to from /console, with every header of the page on each answer below', async () => {
    const redirect = await ask(app, '/console');
    assert.deepEqual([redirect.status, redirect.headers.location], [302, '/console/']);
    for (const [path, method] of [
      ['/console', 'GET'],
      ['/console/', 'GET'],
      ['/console/', 'HEAD'],
      ['/console/', 'POST'],
      ['/console/assets/main-a1b2.js', 'GET'],
      ['/console/icon.svg', 'GET'],
      ['/console/nothing', 'GET'],
    ] as const) {
      const { headers } = await ask(app, path, { method });
      assert.deepEqual(
        [
          'content-security-policy',
          'x-content-type-options',
          'referrer-policy',
          'cross-origin-opener-policy',
          'cross-origin-resource-policy',
          'permissions-policy',
          'strict-transport-security',
        ].map((name) => headers[name]),
        [
          POLICY,
          'nosniff',
          'no-referrer',
          'same-origin',
          'same-origin',
          'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
          'max-age=31536000',
        ],
        `${method} ${path}`,
      );
      assert.match(String(headers['x-request-id']), /^[\w.-]+$/);
    }
  });

  it('begin with the page, which browsers revalidate each time and get only after a change', async () => {
    const { status, headers, body } = await ask(app, '/console/');
    assert.deepEqual([status, body.toString()], [200, PAGE]);
    assert.deepEqual([headers['content-type'], headers['cache-control']], ['text/html; charset=utf-8', 'no-cache']);
    const etag = String(headers.etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await ask(app, '/console/', { headers: { 'if-none-match': known } });
      assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag]);
    }
    assert.equal((await ask(app, '/console/', { headers: { 'if-none-match': '"other"' } })).status, 200);
  });

  it('with hashed names are kept by browsers for good', async () => {
    const { status, headers, body } = await ask(app, '/console/assets/main-c3d4.css');
    assert.deepEqual([status, body.toString(), headers['content-type']], [200, 'body{}', 'text/css; charset=utf-8']);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal((await ask(app, '/console/icon.svg')).headers['cache-control'], 'no-cache');
  });

  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['BR', 'br'],
    ['identity', 'they are'],
    ['nothing', 'they are'],
  ] as const)
    it(`are sent as ${encoding} to browsers that accept ${accepted}`, async () => {
      const { headers, body } = await ask(app, '/console/assets/main-a1b2.js', {
        headers: { 'accept-encoding': accepted },
      });
      assert.deepEqual([headers['content-encoding'] ?? 'they are', headers.vary], [encoding, 'Accept-Encoding']);
      const text = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
      assert.equal(text.toString(), SCRIPT);
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    });

  it('have another ETag in each encoding', async () => {
    const etags = await Promise.all(
      ['br', 'gzip', 'identity'].map(
        async (accepted) =>
          (await ask(app, '/console/assets/main-a1b2.js', { headers: { 'accept-encoding': accepted } })).headers.etag,
      ),
    );
    assert.equal(new Set(etags).size, 3);
  });

  it('answer HEAD with the headers of GET and nothing else', async () => {
    const [get, head] = [await ask(app, '/console/'), await ask(app, '/console/', { method: 'HEAD' })];
    assert.deepEqual([head.status, head.body.length], [200, 0]);
    assert.deepEqual(
      [head.headers['content-length'], head.headers.etag],
      [get.headers['content-length'], get.headers.etag],
    );
  });

  it('are the files of the folder and no others', async () => {
    for (const path of [
      '/console/../secret.txt',
      '/console/..%2fsecret.txt',
      '/console/%2e%2e/secret.txt',
      '/console/assets/../../../secret.txt',
      '/console//etc/passwd',
      '/console/assets',
      '/console/assets/',
      '/console/assets/main-a1b2.js.br',
      '/console/assets/main-a1b2.js%00.css',
      '/console/index.html/',
      '/console/constructor',
      '/console/__proto__',
    ]) {
      const { status, headers, body } = await ask(app, path);
      assert.deepEqual([status, headers['latchkey-code'], headers.etag], [404, 'not_found', undefined], path);
      assert.deepEqual(JSON.parse(body.toString()), { success: false, error: 'Not found' });
    }
    assert.equal((await ask(app, '/consoles/')).status, 404);
  });

  it('take GET and HEAD only', async () => {
    for (const path of ['/console', '/console/', '/console/icon.svg', '/console/nothing']) {
      const { status, headers } = await ask(app, path, { method: 'POST' });
      assert.deepEqual(
        [status, headers.allow, headers['latchkey-code']],
        [405, 'GET, HEAD', 'method_not_allowed'],
        path,
      );
    }
  });

  it('are read when the service starts: what changes on the disk meanwhile is not half served', async () => {
    const file = join(folder, 'dist', 'icon.svg');
    const before = await readFile(file, 'utf8');
    await writeFile(file, 'changed');
    const { body } = await ask(app, '/console/icon.svg');
    await writeFile(file, before);
    assert.equal(body.toString(), before);
  });
});

describe('a service without the files of the console', () => {
  it('says which command builds them', async (test) => {
    const app = await startApp('sqlite', {}, undefined, { consoleFolder: null });
    test.after(() => app.stop());
    const { status, headers, body } = await ask(app, '/console/');
    assert.equal(status, 404);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['content-security-policy'], POLICY);
    assert.match(body.toString(), /<pre>npm ci<\/pre>/);
    assert.doesNotMatch(body.toString(), /<script|<style|style=/);
  });

  it('serves neither them nor sessions with LATCHKEY_CONSOLE=off', async (test) => {
    const shared = await freshDatabase('sqlite');
    const before = await startApp('sqlite', {}, shared);
    const { cookie } = await signIn(before, { secret: ADMIN_SECRET, keep: true });
    assert.equal((await before.send('/listProducts', {}, { headers: { ...PAGE_HEADERS, cookie } })).status, 200);
    await before.stop();
    const app = await startApp('sqlite', { LATCHKEY_CONSOLE: 'off' }, shared);
    test.after(async () => {
      await app.stop();
      await shared.remove();
    });
    for (const path of ['/console', '/console/', '/console/index.html'])
      assert.equal((await ask(app, path)).headers['latchkey-code'], 'not_found');
    for (const path of ['/createConsoleSession', '/getConsoleSession', '/listConsoleSessions', '/createOperatorKey'])
      assert.equal((await app.admin(path)).status, 404, path);
    assert.equal((await app.send('/listProducts', {}, { headers: { ...PAGE_HEADERS, cookie } })).status, 401);
  });
});
