/**
 * docs/apps/errors.md and the refusals on the reference page: complete, as generated, and naming only existing things.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { endpoints, sections } from '../../../src/app.ts';
import {
  adviceOf,
  codeOf,
  publishedCodes,
  refusalCodes,
  statusesOf,
  statusOf,
  textPattern,
} from '../../../src/platform/endpoint/refusals.ts';
import { APP_RULES } from '../../../src/runtime/reference/app-rules.ts';
import { generatedFiles } from '../../../src/runtime/reference/documents.ts';
import { codesOfClientEndpoints } from '../../../src/runtime/reference/errors-document.ts';
import { healthSection } from '../../../src/runtime/reference/health-section.ts';
import { keysSection } from '../../../src/runtime/reference/keys-section.ts';
import { referencePage } from '../../../src/runtime/reference/page/page.ts';

const read = (path: string) => readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8');
const errors = read('docs/apps/errors.md');
const [, everyCode = ''] = errors.split('## Every code');

/** The cells of the row whose first cell has a code. */
function rowOf(code: string, text: string): readonly string[] {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
    .filter(([codes = '']) => codes.split(', ').includes(`\`${code}\``));
  assert.equal(rows.length, 1, code);
  return rows[0] ?? [];
}

describe('docs/apps/errors.md', () => {
  it('matches the list of refusals', () => {
    assert.equal(errors, generatedFiles(sections).get('../../docs/apps/errors.md'));
  });

  it('has a row for every code with its statuses, texts, meaning and remedy', () => {
    assert.equal(everyCode.match(/^\| `/gm)?.length, publishedCodes.length);
    for (const refused of refusalCodes) {
      const [, statuses = '', texts = '', means = '', remedy = ''] = rowOf(codeOf(refused), everyCode);
      assert.ok(statuses.split(', ').includes(String(statusOf(refused))), refused);
      if (textPattern(refused) !== '{message}') assert.ok(texts.split(' / ').includes(textPattern(refused)), refused);
      assert.ok(means.endsWith('.') && remedy.endsWith('.'), refused);
    }
  });

  it('says what an application does at each code of the client endpoints, and at no other', () => {
    const ofClients = codesOfClientEndpoints(endpoints);
    for (const code of ['license_expired', 'overloaded', 'request_timeout', 'invalid_token', 'not_found'] as const)
      assert.ok(ofClients.includes(code), code);
    assert.deepEqual(
      publishedCodes.filter((code) => adviceOf(code).app !== undefined),
      ofClients,
    );
    const [forApps = ''] = errors.split('## Every code');
    for (const code of ofClients) assert.equal(rowOf(code, forApps)[1], adviceOf(code).app);
  });

  it('never lets an application lock its user out because of the service, the network or a limit of rate', () => {
    for (const code of codesOfClientEndpoints(endpoints))
      if (statusesOf(code).some((status) => status >= 500 || status === 429 || status === 408))
        assert.match(adviceOf(code).app ?? '', /^(Keeps running as after its last good answer|Does not lock)/, code);
  });

  it('names only endpoints and variables that there are', () => {
    const paths = new Set<string>(endpoints.map(({ path }) => path));
    const reported = [
      ...APP_RULES,
      ...publishedCodes.map(adviceOf).flatMap(({ means, remedy, app = '' }) => [means, remedy, app]),
    ];
    const named = reported.join(' ').matchAll(/(?<![\w/:])\/[a-z]\w+/g);
    for (const [path] of named) assert.ok(paths.has(path), path);
    const configuration = read('docs/operators/configuration.md');
    for (const [variable] of reported.join(' ').matchAll(/LATCHKEY_\w+/g))
      assert.ok(configuration.includes(`\`${variable}\``), variable);
  });
});

describe('the reference page', () => {
  it('says what an application does, and how often it sends heartbeats', () => {
    const page = referencePage([...sections, keysSection, healthSection]);
    const [, chapter = ''] = page.split('id="applications"');
    for (const code of codesOfClientEndpoints(endpoints)) assert.ok(chapter.includes(`>${code}</code>`), code);
    assert.match(chapter, /heartbeats at a third of the session timeout/);
  });
});
