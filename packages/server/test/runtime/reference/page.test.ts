/** The page at /docs: complete, well-formed, and without anything that its content policy forbids. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { endpoints, sections } from '../../../src/app.ts';
import { needsCredential } from '../../../src/platform/endpoint/caller.ts';
import { codeOf } from '../../../src/platform/endpoint/refusals.ts';
import { describedPaths } from '../../../src/runtime/reference/documents.ts';
import { guideEntries } from '../../../src/runtime/reference/guides/guide-documents.ts';
import { healthSection } from '../../../src/runtime/reference/health-section.ts';
import { keysSection } from '../../../src/runtime/reference/keys-section.ts';
import { curlLine } from '../../../src/runtime/reference/page/curl.ts';
import { referencePage } from '../../../src/runtime/reference/page/page.ts';
import { SAMPLE_LANGUAGES } from '../../../src/runtime/reference/page/samples.ts';
import { SCRIPT } from '../../../src/runtime/reference/page/script.ts';
import { referenceEntries } from '../../../src/runtime/reference/page/search-entries.ts';
import { startApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const described = [...sections, keysSection, healthSection];
const page = referencePage(described);
const count = (pattern: RegExp) => page.match(pattern)?.length ?? 0;

/** The part of the page about an endpoint. */
function partOf(path: string): string {
  const start = page.indexOf(`<section class="endpoint" id="${path}"`);
  assert.notEqual(start, -1, `${path} has no part`);
  return page.slice(start, page.indexOf('</section>', start));
}

describe('the reference page', () => {
  it('has one main part, one title, and contents beside it that name every endpoint under its section', () => {
    for (const pattern of [/<main /g, /<h1>/g, /<nav class="contents"/g, /class="skip"/g])
      assert.equal(count(pattern), 1, String(pattern));
    const contents = /<nav class="contents".*?<\/nav>/s.exec(page)?.[0] ?? '';
    for (const { title, endpoints: own } of described) {
      const group = contents.split('<div class="links">').find((each) => each.includes(`>${title}</a></p>`));
      assert.ok(group !== undefined, title);
      assert.deepEqual(
        [...group.matchAll(/<li><a href="#([^"]+)">/g)].map(([, path]) => path),
        own.map(({ path }) => path),
      );
    }
  });

  it('has links that lead somewhere, and no name twice', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(id), `#${id}`);
  });

  it('gives every table a head, and every row of it a heading', () => {
    assert.ok(count(/<table /g) > endpoints.length);
    assert.equal(count(/<table /g), count(/<thead><tr><th scope="col">/g));
    assert.equal(count(/<tbody>/g), count(/<tbody><tr><th scope="row">/g));
  });

  it('shows no backticks outside its samples, and no style or script that its policy forbids', () => {
    assert.ok(!page.replace(/<pre.*?<\/pre>|<script>.*?<\/script>/gs, '').includes('`'));
    assert.equal(count(/<img|<iframe| style="| on\w+="|<script[^>]| src=/g), 0);
    assert.equal(count(/<script>/g), 1);
    assert.deepEqual(page.match(/<link [^>]+>/g), ['<link rel="icon" href="/favicon.svg" type="image/svg+xml">']);
    assert.equal(count(/<style>/g), 1);
  });

  it('redirects to the console only if that is served', () => {
    assert.ok(!page.includes('href="/console/"'));
    assert.ok(referencePage(described, true).includes('<a href="/console/">Console</a>'));
  });

  it('shows the fields of what answers hold, field by field', () => {
    const part = partOf('/getLicense');
    for (const title of ['Fields of License', 'Fields of Activation', 'Fields of Violation'])
      assert.ok(part.includes(`<summary>${title}`), title);
    for (const field of ['disputeReason', 'tokenExpiry', 'occurrences', 'activationCursor'])
      assert.ok(part.includes(`<code>${field}</code>`), field);
    assert.ok(part.includes('<code>per-machine</code>'));
    assert.ok(partOf('/getStudioOrder').includes('<summary>Fields of Seat'));
  });

  it('shows the refusals, the request and the answer of every endpoint', () => {
    for (const { path, refusals } of endpoints) {
      const part = partOf(path);
      for (const each of refusals) assert.ok(part.includes(`>${codeOf(each)}</code>`), `${path} ${each}`);
      assert.equal(part.match(/<pre /g)?.length, SAMPLE_LANGUAGES.length + 1, path);
      assert.ok(part.includes(`&#34;$LATCHKEY${path}&#34;`), path);
    }
  });

  it('has colours of its own for light and for dark', () => {
    const colours = [...page.matchAll(/--(\w+): #[0-9a-f]{6}/g)].map(([, name]) => name);
    const [half, rest] = [colours.slice(0, colours.length / 2), colours.slice(colours.length / 2)];
    assert.ok(half.length > 4);
    assert.deepEqual(half, rest);
    assert.ok(page.includes('@media (prefers-color-scheme: dark)'));
  });
});

describe('the curl lines', { skip: process.platform === 'win32' ? 'needs a POSIX shell' : false }, () => {
  /** Arguments that a shell passes to curl. */
  function argumentsOf(line: string): string[] {
    const script = `curl() { printf '%s\\0' "$@"; }\n${line}\n`;
    const env = { LATCHKEY: 'https://host', ADMIN_SECRET: 'admin', WEBHOOK_SECRET: 'webhook' };
    return execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1);
  }

  it('pass the request of the example to curl, with any characters', () => {
    for (const endpoint of endpoints) {
      const given = argumentsOf(curlLine(endpoint));
      assert.ok(given.includes(`https://host${endpoint.path}`), endpoint.path);
      const isBody = endpoint.methods[0] === 'POST';
      const sent = isBody
        ? JSON.parse(given[given.indexOf('--json') + 1] ?? '')
        : Object.fromEntries(
            given.flatMap((each, index) => (given[index - 1] === '--data-urlencode' ? [each.split('=')] : [])),
          );
      const { request } = endpoint.example;
      assert.deepEqual(
        sent,
        isBody ? request : Object.fromEntries(Object.entries(request).map(([name, value]) => [name, String(value)])),
      );
      // Sign-in credentials are in the body.
      const isInHeader = needsCredential(endpoint.access) && endpoint.access !== 'signIn';
      assert.equal(given.includes('-H'), isInHeader, endpoint.path);
    }
    const [endpoint] = endpoints;
    assert.ok(endpoint !== undefined);
    const request = { hostname: `Ada's "$HOME" \`id\`` };
    const given = argumentsOf(curlLine({ ...endpoint, example: { ...endpoint.example, request } }));
    assert.deepEqual(JSON.parse(given[given.indexOf('--json') + 1] ?? ''), request);
  });
});

for (const engine of engines)
  describe(`the reference page, ${engine}`, () => {
    const app = startedApp(engine);

    it('does not redirect to the console if that is off', async (test) => {
      const other = await startApp(engine, { LATCHKEY_CONSOLE: 'off' });
      test.after(() => other.stop());
      const { body } = await other.send('/docs', undefined, { method: 'GET' });
      assert.equal(body, page);
    });

    it('is served with a policy that allows its own styles, its own script and requests to the service, and nothing else', async () => {
      const { status, headers, body } = await app.send('/docs', undefined, { method: 'GET' });
      assert.equal(status, 200);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(body, referencePage(described, true));
      const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
      const styles = /<style>(.*?)<\/style>/s.exec(String(body))?.[1] ?? '';
      assert.equal(
        headers['content-security-policy'],
        `default-src 'none'; style-src ${hash(styles)}; script-src ${hash(SCRIPT)}; img-src 'self'; ` +
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'",
      );
    });

    it('is searched in a document of its own, which leads to every endpoint', async () => {
      const { status, body } = await app.send('/docs/search.json', undefined, { method: 'GET' });
      assert.equal(status, 200);
      const entries = referenceEntries(described);
      assert.deepEqual(body, [...entries, ...(await guideEntries(describedPaths(sections)))]);
      const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `/docs#${id}`));
      for (const [address, , , text] of entries) {
        assert.ok(ids.has(address), address);
        assert.ok(text.length > 0 && !/[`<]/.test(text), address);
      }
    });
  });
