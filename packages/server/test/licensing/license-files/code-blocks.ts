/** The programs of docs/apps/license-files.md, unchanged, as files that can be run. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../../../../docs/apps/license-files.md', import.meta.url), 'utf8');

/** The code under a heading of the page. */
export function codeUnder(heading: string): string {
  const [, section = ''] = PAGE.split(`\n### ${heading}\n`);
  const [, code] = /```\w+\n([\s\S]*?)\n```/.exec(section.split('\n### ')[0] ?? '') ?? [];
  assert.ok(code !== undefined, `there is code under ${heading}`);
  return `${code}\n`;
}
