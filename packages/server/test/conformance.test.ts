/** docs/conformance.md maps each rule of the specification to a test that holds it; this keeps it true. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { endpoints, endpointsByPath } from '../src/app.ts';
import { needsCredential } from '../src/endpoint/caller.ts';
import { LICENSE_STATUSES } from '../src/licenses/license.ts';
import { PRODUCT_STATUSES } from '../src/products/product.ts';
import { statusOf, textPattern } from '../src/refusals.ts';
import { EVENT_TYPES } from '../src/storefront/event.ts';
import { SEAT_STATUSES } from '../src/studio-orders/studio-order.ts';

/** A line of one of its tables, under the headings above it. */
interface Row {
  readonly chapter: string;
  readonly section: string;
  readonly rule: string;
  readonly file: string;
  readonly test: string;
}

const rows: readonly Row[] = readRows(readFileSync(new URL('../../../docs/conformance.md', import.meta.url), 'utf8'));

function readRows(text: string): Row[] {
  const found: Row[] = [];
  let [chapter, section] = ['', ''];
  for (const line of text.split('\n')) {
    const [, hashes, heading] = /^(##+) (.+)$/.exec(line) ?? [];
    if (heading !== undefined) [chapter, section] = hashes === '##' ? [heading, ''] : [chapter, heading];
    if (!line.startsWith('| ') || line.startsWith('| Rule ')) continue;
    const [rule = '', file = '', name = '', ...rest] = line.slice(2, -2).split(' | ');
    assert.equal(rest.length, 0, `a row has three cells: ${line}`);
    // A name with backticks in it stands between two pairs of them.
    found.push({ chapter, section, rule, file, test: name.replace(/^(`+)(.*)\1$/, '$2') });
  }
  return found;
}

/** The rules of a section as one text; fails when there is no such section. */
function rulesOf(chapter: string, section = ''): string {
  const rules = rows.filter((row) => row.chapter === chapter && row.section === section).map(({ rule }) => rule);
  assert.ok(rules.length > 0, `there are rules under ${chapter} ${section}`);
  return rules.join('\n');
}

/** Of these words, those that a text does not name as code. */
const unnamedIn = (text: string, words: readonly string[]) => words.filter((word) => !text.includes(`\`${word}\``));

const propertiesOf = (schema: TSchema): Readonly<Record<string, TSchema>> =>
  (schema as { properties?: Record<string, TSchema> }).properties ?? {};

/** The schema of one of the things that an endpoint's answer holds under a name, in a list or by itself. */
function shownAs(path: `/${string}`, ...names: readonly string[]): TSchema {
  let schema = endpointsByPath.get(path)?.reply;
  for (const name of names) {
    const held = propertiesOf(schema ?? {})[name];
    schema = (held as { items?: TSchema } | undefined)?.items ?? held;
  }
  assert.ok(schema !== undefined, `${path} answers ${names.join('.')}`);
  return schema;
}

describe('docs/conformance.md', () => {
  const sources = new Map<string, string>();
  for (const { file } of rows) {
    const url = new URL(file, import.meta.url);
    if (!sources.has(file)) sources.set(file, existsSync(url) ? readFileSync(url, 'utf8') : '');
  }

  it('names tests that exist, each in its file', () => {
    const isThere = ({ file, test }: Row) =>
      new RegExp(`\\b(?:it|test)\\(\\s*(['"\`])${RegExp.escape(test)}\\1`).test(sources.get(file) ?? '');
    assert.deepEqual(
      rows.filter((row) => !isThere(row)).map(({ file, test }) => `${file}: ${test}`),
      [],
    );
  });

  it('states no rule twice with the same test', () => {
    const seen = rows.map(({ chapter, section, rule, file, test }) => [chapter, section, rule, file, test].join(' | '));
    assert.deepEqual(
      seen.filter((row, place) => seen.indexOf(row) !== place),
      [],
    );
  });

  it('has a section for every endpoint, in the order of the service, and for no other', () => {
    const sections = rows.filter(({ chapter }) => chapter === 'Endpoints').map(({ section }) => section);
    assert.deepEqual(
      [...new Set(sections)],
      endpoints.map(({ methods, path }) => `${methods.join('/')} ${path}`),
    );
  });

  for (const endpoint of endpoints) {
    const section = `${endpoint.methods.join('/')} ${endpoint.path}`;

    it(`names every field of a request to ${endpoint.path} and of its answer`, () => {
      const fields = Object.keys({ ...propertiesOf(endpoint.fields), ...propertiesOf(endpoint.reply) });
      assert.ok(fields.length > 0);
      assert.deepEqual(unnamedIn(rulesOf('Endpoints', section), fields), []);
    });

    it(`has a row for every refusal of ${endpoint.path}, with its status and text`, () => {
      const refusals = endpoint.refusals.map((code) => `${statusOf(code)} \`${textPattern(code)}\``);
      if (endpoint.missing !== '') refusals.push(`400 \`${endpoint.missing}\``);
      if (needsCredential(endpoint.access)) refusals.push('401 `Unauthorized`');
      const rules = rulesOf('Endpoints', section);
      assert.deepEqual(
        refusals.filter((refusal) => !rules.includes(refusal)),
        [],
      );
    });
  }

  for (const [resource, schema] of Object.entries({
    License: shownAs('/getLicense', 'license'),
    Activation: shownAs('/getLicense', 'activations'),
    Violation: shownAs('/getLicense', 'violations'),
    Product: shownAs('/listProducts', 'products'),
    Variant: shownAs('/listVariants', 'variants'),
    'Discount code': shownAs('/listDiscountCodes', 'codes'),
    'API key': shownAs('/listApiKeys', 'keys'),
    'Studio order': shownAs('/getStudioOrder', 'studioOrder'),
    Seat: shownAs('/getStudioOrder', 'studioOrder', 'seats'),
  }))
    it(`names every field of the resource ${resource}`, () => {
      const fields = Object.keys(propertiesOf(schema));
      assert.ok(fields.length > 1);
      assert.deepEqual(unnamedIn(rulesOf('Resources and their fields', resource), fields), []);
    });

  for (const [what, statuses] of [
    ['License status', LICENSE_STATUSES],
    ['Product status', PRODUCT_STATUSES],
    ['Seat status', SEAT_STATUSES],
  ] as const)
    it(`names every ${what}`, () => {
      assert.deepEqual(unnamedIn(rulesOf('States and transitions', what), statuses), []);
    });

  it('names every event of the storefront', () => {
    assert.deepEqual(unnamedIn(rulesOf('Events'), EVENT_TYPES), []);
  });

  it('has rows for the statuses of errors, the body shapes, the credentials, the scope and the token', () => {
    const statuses = new Set(
      rows.filter(({ section }) => section === 'Status codes').map(({ rule }) => Number(rule.slice(0, 3))),
    );
    assert.deepEqual([...statuses], [400, 401, 403, 404, 409, 429, 500]);
    rulesOf('Errors', 'Body shapes');
    for (const section of ['Credentials', 'Scope of an API key', 'Session token']) rulesOf('Authentication', section);
    rulesOf('States and transitions', 'Activation lifecycle');
  });

  it('has a row for every limit', () => {
    const limits = new Set(
      rows.filter(({ chapter }) => chapter === 'Limits').map(({ rule }) => rule.slice(0, rule.indexOf(':'))),
    );
    assert.deepEqual(
      [...limits],
      [
        'Activation attempts',
        'Default max activations',
        'Unlimited activations',
        'Token refresh window',
        'Floating session timeout',
        'listLicenses result size',
        'Product count per API key user',
        'Seats per studio order',
        'Seats per user per order',
        'Discount code use',
      ],
    );
  });
});
