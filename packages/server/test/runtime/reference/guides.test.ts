/** The guides at /docs/NAME: complete, linked, within their policy and their limits. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sections } from '../../../src/app.ts';
import { MADE_BY_SERVICE } from '../../../src/platform/endpoint/example-values.ts';
import { describedPaths } from '../../../src/runtime/reference/documents.ts';
import { renderGuide } from '../../../src/runtime/reference/guides/guide-html.ts';
import { fileOf, GUIDES, type Guide } from '../../../src/runtime/reference/guides/guide-list.ts';
import { SCRIPT } from '../../../src/runtime/reference/page/script.ts';
import { STYLES } from '../../../src/runtime/reference/page/styles.ts';
import { startApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const DOCS = new URL('../../../../../docs/', import.meta.url);
const markdownOf = (guide: Guide) => readFileSync(new URL(fileOf(guide), DOCS), 'utf8');

/** Largest size of a guide as sent, and compressed. Each carries the styles and the script, 24 KB of it. */
const MAX_BYTES = 80_000;
const MAX_COMPRESSED_BYTES = 24_000;
/** The same for the texts that are searched, of the guides and of the reference. */
const MAX_SEARCHED_BYTES = 465_000;
const MAX_COMPRESSED_SEARCHED_BYTES = 151_000;

/** Pages for people who write a client in another language, or change the service. */
const NOT_SERVED = [
  'apps/c.md',
  'apps/client-behaviour.md',
  'apps/csharp.md',
  'apps/go.md',
  'apps/python.md',
  'apps/rust.md',
  'contributors/rules.md',
];

/** The text that a browser shows for a piece of HTML. */
const decoded = (html: string) =>
  html.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)));

const htmlOf = async (markdown: string) =>
  (await renderGuide(markdown, 'apps', new Set(['/verify']), () => Promise.reject(new Error('no picture is expected'))))
    .html;

describe('the guides', () => {
  it('are all pages of docs/ for users, each in one group', () => {
    const folders = new Set(GUIDES.map(({ folder }) => folder));
    const pages = [...folders].flatMap((folder) =>
      readdirSync(new URL(folder, DOCS)).flatMap((file) => (file.endsWith('.md') ? [`${folder}/${file}`] : [])),
    );
    assert.deepEqual([...GUIDES.map(fileOf), ...NOT_SERVED].sort(), pages.sort());
    assert.equal(new Set(GUIDES.map(({ name }) => name)).size, GUIDES.length);
  });

  it('show HTML of their text as text, and no comments', async () => {
    const html = await htmlOf(
      '# T\n\n<!-- generated -->\n\n<script>alert(1)</script>\n\nA <img src=x onerror=alert(1)> & "B" <!-- note --> in `<b>`.\n\n' +
        '| <i>a</i> | b |\n|---|---|\n| <u>c</u> | d |\n\n```html\n<p class="x">\n```\n',
    );
    assert.deepEqual([...new Set([...html.matchAll(/<(\w+)/g)].map(([, name]) => name))].sort(), [
      'code',
      'div',
      'figure',
      'h1',
      'p',
      'pre',
      'table',
      'tbody',
      'td',
      'th',
      'thead',
      'tr',
    ]);
    const text = decoded(html);
    for (const shown of [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)> & "B"',
      '<b>',
      '<i>a</i>',
      '<u>c</u>',
    ])
      assert.ok(text.includes(shown), shown);
    assert.ok(text.includes('<p class="x">'));
    assert.doesNotMatch(text, /generated|note/);
  });

  it('link to pages of the service and of the internet only', async () => {
    const html = await htmlOf(
      '# T\n\n[a](javascript:alert(1)) [b](data:text/html,x) [ops/nginx.conf](../../ops/nginx.conf) [the rules](../contributors/rules.md#a) ' +
        '[events.md](../shops/events.md#verify) [keys](../shops/api-keys.md) [c](https://example.com/?a=1&b="2") [d](../../packages/server/openapi.json)\n\n' +
        '`/verify` and /verify, not /verify/x, /nowhere or [the `/verify`](errors.md)\n\n## The /verify call\n',
    );
    assert.deepEqual(
      [...html.matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/g)].map(([, href, text]) => [href, decoded(text!)]),
      [
        ['/docs/events#verify', 'Events'],
        ['/docs/api-keys', 'keys'],
        ['https://example.com/?a=1&#38;b=&#34;2&#34;', 'c'],
        ['/openapi.json', 'd'],
        ['/docs#/verify', '/verify'],
        ['/docs#/verify', '/verify'],
        ['/docs/errors', 'the /verify'],
        ['#the-verify-call', 'The /verify call'],
      ],
    );
    assert.match(html, /<p>a b <code>ops\/nginx.conf<\/code> the rules /);
  });

  it('give each heading an anchor of its own, as GitHub does', async () => {
    const html = await htmlOf('# T\n\n## Is it "good", or `a_b`?\n\n### Part\n\n## Part\n\n### Part\n');
    assert.deepEqual(
      [...html.matchAll(/<h(\d) id="([^"]*)"/g)].map(([, depth, id]) => [depth, id]),
      [
        ['2', 'is-it-good-or-a_b'],
        ['3', 'part'],
        ['2', 'part-1'],
        ['3', 'part-2'],
      ],
    );
  });

  it('name the address, the secrets and a license key in their samples as the reference does', () => {
    const texts = [...GUIDES.map(markdownOf), readFileSync(new URL('../README.md', DOCS), 'utf8')];
    const samples = texts.flatMap((text) => [...text.matchAll(/^ *```sh\n([\s\S]*?)```/gm)].map(([, code]) => code!));
    const commands = samples.join('\n');
    for (const [name, value] of Object.entries({
      'X-Admin-Secret': '$ADMIN_SECRET',
      'X-Webhook-Secret': '$WEBHOOK_SECRET',
      'X-API-Key': '$API_KEY',
    }))
      for (const [, given] of commands.matchAll(new RegExp(`-H ["']${name}: ([^"']*)`, 'g')))
        assert.equal(given, value, name);
    const addresses = [...commands.matchAll(/"(\$\w+|https:\/\/[^/"]+)\/(?:\$path|\$1|[a-z]+[A-Z]\w*)"/g)];
    assert.ok(addresses.length >= 10);
    for (const [whole, address] of addresses) assert.equal(address, '$LATCHKEY', whole);
    assert.deepEqual(commands.match(/\$(?:key|url|admin|secret|token)\b/g), null);
    for (const [key] of texts.join('\n').matchAll(/(?<="licenseKey": ?")(?:[A-Z2-9]{5}-){4}[A-Z2-9]{5}/g))
      assert.equal(key, MADE_BY_SERVICE.licenseKey);
  });
});

for (const engine of engines)
  describe(`the pages of the guides, ${engine}`, () => {
    const app = startedApp(engine);
    const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
      app.send(path, undefined, { method: 'GET', headers });
    /** Every page below /docs, by its path. */
    const pages = new Map<string, string>();
    before(async () => {
      for (const path of ['/docs', '/docs/guides', ...GUIDES.map(({ name }) => `/docs/${name}`)]) {
        const { status, headers, body } = await get(path);
        assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], path);
        pages.set(path, String(body));
      }
    });
    const idsOf = (page: string) => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);

    it('have the title, the headings and the samples of their files, and are marked in the contents', () => {
      for (const guide of GUIDES) {
        const { name } = guide;
        const page = pages.get(`/docs/${name}`)!;
        const [main = ''] = /<main[\s\S]*<\/main>/.exec(page) ?? [];
        const markdown = markdownOf(guide);
        const [, title = ''] = /^# (.+)$/m.exec(markdown) ?? [];
        assert.ok(page.includes(`<title>${title} | Latchkey</title>`), name);
        assert.equal(main.match(/<h1>(.*?)<\/h1>/g)?.join(), `<h1>${title}</h1>`);
        const samples = [...markdown.matchAll(/^( *)```.*\n([\s\S]*?)\n *```$/gm)].map(([, indent = '', code = '']) =>
          code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
        );
        const shown = [...main.matchAll(/<pre [^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code = '']) => decoded(code));
        for (const sample of samples) assert.ok(shown.includes(sample), `${name}: ${sample}`);
        const current = /<a href="([^"]+)" aria-current="page">/g;
        assert.deepEqual(
          [...page.matchAll(current)].map(([, path]) => path),
          [`/docs/${name}`],
        );
      }
    });

    it('have links that lead to a page and a part that exist, and no id twice', async () => {
      const others = new Set<string>();
      for (const [path, page] of pages) {
        const ids = idsOf(page);
        assert.equal(new Set(ids).size, ids.length, path);
        for (const [, href = ''] of page.matchAll(/<a [^>]*href="([^"]+)"/g)) {
          if (href.startsWith('https://')) continue;
          const [target = '', part] = href.split('#');
          const linked = pages.get(target === '' ? path : target);
          if (linked === undefined) others.add(target);
          else if (part !== undefined) assert.ok(idsOf(linked).includes(part), `${path}: ${href}`);
        }
      }
      // Where the console is not built, its page explains how to build it.
      assert.deepEqual([...others].sort(), ['/console/', '/openapi.json']);
    });

    it('show the pictures of their files in the size that they have', async () => {
      const shown = [...pages.values()].flatMap((page) => [...page.matchAll(/<img [^>]*>/g)].map(String));
      assert.ok(shown.length > 10);
      for (const element of shown) {
        const [, path = '', alt, width, height] =
          /^<img src="(\/docs\/images\/[\w-]+\.png)" alt="([^"]+)" width="(\d+)" height="(\d+)" loading="lazy">$/.exec(
            element,
          ) ?? [];
        assert.ok(alt, element);
        const { status, headers, body } = await get(path);
        assert.deepEqual([status, headers['content-type']], [200, 'image/png'], path);
        assert.ok(Number(headers['content-length']) > 1000);
        assert.match(String(headers['content-security-policy']), /^default-src 'none'; frame-ancestors 'none'$/);
        const file = readFileSync(new URL(`images/${path.split('/').at(-1)}`, DOCS));
        assert.deepEqual([Number(width), Number(height)], [file.readUInt32BE(16), file.readUInt32BE(20)], path);
        assert.equal(Number(headers['content-length']), file.length, String(body.length));
      }
    });

    it('have the policy of the reference, and nothing that it forbids', async () => {
      const { headers: ofReference } = await get('/docs');
      for (const path of pages.keys()) {
        const { headers } = await get(path);
        for (const name of [
          'content-security-policy',
          'cache-control',
          'referrer-policy',
          'x-content-type-options',
          'vary',
        ])
          assert.equal(headers[name], ofReference[name], `${path} ${name}`);
        const page = pages.get(path)!;
        assert.deepEqual(
          [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, text]) => text),
          [SCRIPT],
        );
        assert.deepEqual(
          [...page.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].map(([, text]) => text),
          [STYLES],
        );
        const markup = page.replace(SCRIPT, '').replace(STYLES, '');
        assert.doesNotMatch(
          markup,
          /<[^>]+ (?:style|on\w+)=|<(?:iframe|object|embed|form (?!>)|base)\b|<[^>]+ src="(?!\/)/,
        );
        const sources = [...markup.matchAll(/<link [^>]+>/g)].map(String);
        assert.deepEqual(sources, ['<link rel="icon" href="/favicon.svg" type="image/svg+xml">']);
      }
    });

    it('answer HEAD, no other method, and 304 to a browser that has them', async () => {
      const { headers, body } = await get('/docs/events');
      assert.match(String(headers.etag), /^"[\w-]{22}"$/);
      const head = await app.send('/docs/events', undefined, { method: 'HEAD' });
      assert.deepEqual([head.status, head.body], [200, '']);
      assert.equal(head.headers['content-length'], String(Buffer.byteLength(String(body))));
      for (const known of [String(headers.etag), `W/${headers.etag}`, `"other", ${headers.etag}`]) {
        const again = await get('/docs/events', { 'if-none-match': known });
        assert.deepEqual([again.status, again.body, again.headers.etag], [304, '', headers.etag], known);
      }
      assert.equal((await get('/docs/events', { 'if-none-match': '"other"' })).status, 200);
      const compressed = await app.send('/docs/events', undefined, {
        method: 'HEAD',
        headers: { 'accept-encoding': 'br' },
      });
      assert.notEqual(compressed.headers.etag, headers.etag, 'other bytes have another tag');
      const { status, headers: refused } = await app.send('/docs/events', {});
      assert.deepEqual([status, refused.allow], [405, 'GET, HEAD']);
    });

    const UNKNOWN = ['/docs/nowhere', '/docs/rules', '/docs/Events', '/docs/events/', '/docs/events.md', '/docs/'];
    const UNKNOWN_FILES = ['/docs/images/none.png', '/docs/images/', '/docs/images/..%2fevents.md', '/docs/decisions'];

    it('lead a browser on from an unknown address, with status 404', async () => {
      const { headers: ofReference } = await get('/docs');
      for (const path of [...UNKNOWN, ...UNKNOWN_FILES]) {
        const { status, headers, body } = await get(path, { accept: 'text/html,*/*;q=0.8' });
        assert.deepEqual([status, headers['latchkey-code']], [404, 'not_found'], path);
        assert.equal(headers['content-type'], 'text/html; charset=utf-8');
        for (const name of [
          'content-security-policy',
          'referrer-policy',
          'x-content-type-options',
          'strict-transport-security',
        ])
          assert.equal(headers[name], ofReference[name], name);
        for (const { name } of GUIDES) assert.ok(String(body).includes(`href="/docs/${name}"`), name);
        const head = await app.send(path, undefined, { method: 'HEAD', headers: { accept: 'text/html' } });
        assert.deepEqual([head.status, head.body], [404, '']);
      }
    });

    it('answer programs at an unknown address as at any other', async () => {
      for (const path of [...UNKNOWN, ...UNKNOWN_FILES, '/nowhere']) {
        const { status, headers, body } = await get(path);
        assert.deepEqual([status, headers['latchkey-code']], [404, 'not_found'], path);
        assert.deepEqual(body, { success: false, error: 'Not found' });
        assert.equal((await app.send(path, {}, { headers: { accept: 'text/html' } })).status, 404);
      }
    });

    it('are searched by every heading with the text below it', async () => {
      const { body } = await get('/docs/search.json');
      const texts = new Map<string, string>(body.map(([address, , , text]: string[]) => [address, text]));
      for (const [path, page] of pages) {
        if (path === '/docs' || path === '/docs/guides') continue;
        assert.ok(texts.has(path), path);
        for (const [, id] of page.matchAll(/<h[2-6] id="([^"]+)"/g))
          assert.ok(texts.has(`${path}#${id}`), `${path}#${id}`);
      }
      for (const address of texts.keys()) {
        const [path = '', part] = address.split('#');
        if (part !== undefined) assert.ok(idsOf(pages.get(path)!).includes(part), address);
      }
      assert.match(
        texts.get('/docs/configuration')!,
        /LATCHKEY_SMTP_URL .*takes the e-mails of the service \(Mail\)\./,
      );
      assert.doesNotMatch(texts.get('/docs/api-keys#whose-a-key-is')!, /sha256sum/, 'samples are not searched');
    });

    it('weigh a bounded number of bytes', async () => {
      for (const [path, page] of pages) {
        if (path === '/docs') continue;
        assert.ok(Buffer.byteLength(page) < MAX_BYTES, `${path}: ${Buffer.byteLength(page)} bytes`);
        const compressed = gzipSync(page).length;
        assert.ok(compressed < MAX_COMPRESSED_BYTES, `${path}: ${compressed} bytes compressed`);
      }
      const searched = JSON.stringify((await get('/docs/search.json')).body);
      assert.ok(Buffer.byteLength(searched) < MAX_SEARCHED_BYTES, `${searched.length} bytes to search`);
      const compressed = gzipSync(searched).length;
      assert.ok(compressed < MAX_COMPRESSED_SEARCHED_BYTES, `${compressed} bytes to search, compressed`);
    });

    it('name endpoints of the reference, and the console only where it is on', async (test) => {
      assert.ok(describedPaths(sections).has('/verify'));
      assert.ok(pages.get('/docs/errors')!.includes('<a href="/docs#/activate"><code>/activate</code></a>'));
      assert.ok(pages.get('/docs/errors')!.includes('<a href="/console/">'));
      const other = await startApp(engine, { LATCHKEY_CONSOLE: 'off' });
      test.after(() => other.stop());
      const { body } = await other.send('/docs/errors', undefined, { method: 'GET' });
      assert.ok(!String(body).includes('href="/console/"'));
    });
  });
