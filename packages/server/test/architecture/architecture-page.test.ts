/** ARCHITECTURE.md names files; this keeps the names true. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SERVER = `${ROOT}packages/server/`;
const SOURCES = `${SERVER}src/`;
const page = readFileSync(`${ROOT}ARCHITECTURE.md`, 'utf8');

/** The part of the page under a heading. */
function section(heading: string): string {
  const [, text] = page.split(`\n## ${heading}\n`);
  assert.ok(text !== undefined, `there is no section ${heading}`);
  return text.split('\n## ')[0] as string;
}

describe('ARCHITECTURE.md', () => {
  it('names files that exist', () => {
    const named = [...page.matchAll(/`([\w./-]+\.(?:ts|md))`/g)].map(([, path]) => path as string);
    assert.ok(named.length > 30, String(named.length));
    const missing = named.filter((path) => ![SOURCES, SERVER, ROOT].some((folder) => existsSync(folder + path)));
    // Every slice has these files under the same names.
    assert.deepEqual(
      missing.filter(
        (name) =>
          !['index.ts', 'change.ts', 'jobs.ts', 'tables.ts', 'counted-changes.ts', 'exported-metrics.ts'].includes(
            name,
          ),
      ),
      [],
    );
  });

  it('links to pages that exist', () => {
    const linked = [...page.matchAll(/\]\((docs\/[^)]+)\)/g)].map(([, path]) => path as string);
    assert.ok(linked.length > 3);
    for (const path of linked) assert.ok(existsSync(ROOT + path), path);
  });

  it('names files for each change that is made often', () => {
    const rows = section('Which files to touch')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| For '));
    assert.ok(rows.length >= 9);
    for (const row of rows) assert.match(row, /`[\w./-]+\.ts`/, row);
  });

  it('shows every folder and file at the top of the sources', () => {
    const shown = section('Where things are');
    const absent = readdirSync(SOURCES, { withFileTypes: true })
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .filter((name) => !shown.includes(name));
    assert.deepEqual(absent, []);
  });
});
