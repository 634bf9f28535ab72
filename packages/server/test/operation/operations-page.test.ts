/**
 * Names in docs/operators/operations.md and ops/ exist: pages and sections, variables, commands, metrics and events of
 * the log.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const page = read('docs/operators/operations.md');

/** The anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

const anchorsOf = (text: string) => new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!)));

describe('docs/operators/operations.md', () => {
  it('links to files and sections that exist', () => {
    const links = [...page.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
    assert.ok(links.length > 20);
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? 'docs/operators/operations.md' : join('docs/operators', path);
      assert.ok(existsSync(join(ROOT, file)), link);
      if (anchor !== undefined) assert.ok(anchorsOf(read(file)).has(anchor), link);
    }
  });

  it('names commands that there are, where it shows how they are called', () => {
    const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
    const called = [...blocks.matchAll(/latchkey(?:-run)? ([a-z][a-z-]+)/g)].map(([, name]) => name as string);
    assert.ok(called.length >= 4);
    const commands = readdirSync(join(ROOT, 'packages/server/src/operations/commands')).map((file) =>
      file.replace(/\.ts$/, ''),
    );
    for (const name of called) assert.ok(commands.includes(name), name);
  });

  it('names metrics that are measured, and events that are logged', () => {
    const metrics = [...page.matchAll(/`(latchkey_[a-z_]+)`/g)].map(([, name]) => name as string);
    assert.ok(metrics.length >= 4);
    for (const name of metrics) assert.ok(read('docs/operators/metrics.md').includes(`\`${name}\``), name);
    const events = [...page.matchAll(/`((?:database|certificate|job|client|proxy|log)\.[a-z_]+)`/g)];
    assert.ok(events.length >= 6);
    for (const [, name = ''] of events) assert.ok(read('docs/operators/logs.md').includes(`\`${name}\``), name);
  });
});

describe('docs/operators/operations.md and ops/', () => {
  const texts = readdirSync(join(ROOT, 'ops')).map((file) => read(join('ops', file)));

  it('name variables that the service reads', () => {
    const known = new Set(
      [...read('docs/operators/configuration.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name),
    );
    // Of the containers: the domain of the proxy.
    known.add('LATCHKEY_DOMAIN');
    const named = [page, ...texts].flatMap((text) => [...text.matchAll(/\bLATCHKEY_[A-Z_]+\b/g)].map(([name]) => name));
    assert.ok(named.length > 20);
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    );
  });

  it('name each file of ops/ in some page of the documentation', () => {
    const pages = ['docs/operators/operations.md', 'docs/operators/metrics.md'].map(read).join('');
    for (const file of readdirSync(join(ROOT, 'ops'))) {
      if (/^(?:compose|latchkey-backup)\./.test(file)) continue;
      assert.ok(pages.includes(`ops/${file}`), file);
    }
    for (const file of ['compose.env.example', 'compose.Caddyfile'])
      assert.ok(
        texts.some((text) => text.includes(file)),
        file,
      );
  });
});
