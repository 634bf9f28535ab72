/** docs/rules.md names a test for each rule of the service; this keeps it true. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { endpoints, endpointsByPath, sections } from '../src/app.ts';
import { needsCredential } from '../src/endpoint/caller.ts';
import { LICENSE_STATUSES } from '../src/licenses/license.ts';
import { PRODUCT_STATUSES } from '../src/products/product.ts';
import { statusOf, textPattern } from '../src/refusals.ts';
import { EVENT_TYPES } from '../src/storefront/event.ts';
import { SEAT_STATUSES } from '../src/studio-orders/studio-order.ts';

/** A chapter, section or subsection: its number, such as `4.2.1`, and its title. */
interface Heading {
  readonly number: string;
  readonly title: string;
}

/** A row of one of the tables, with the number of its section. */
interface Row {
  readonly section: string;
  readonly rule: string;
  readonly file: string;
  readonly test: string;
}

const documents = ['rules.md', 'rules/endpoints.md'].map((path) => {
  const url = new URL(`../../../docs/${path}`, import.meta.url);
  return { path, url, text: readFileSync(url, 'utf8') };
});
const chapterFour = '## 4 Endpoints\n';
const [main = '', ofEndpoints = ''] = documents.map(({ text }) => text);
const [before = '', after = ''] = main.split(chapterFour);
const { headings, rows } = read(`${before}${ofEndpoints}${after}`);

function read(text: string): { headings: Heading[]; rows: Row[] } {
  const headings: Heading[] = [];
  const rows: Row[] = [];
  for (const line of text.split('\n')) {
    const [, number, title] = /^##+ ([\d.]+) (.+)$/.exec(line) ?? [];
    if (number !== undefined && title !== undefined) headings.push({ number, title });
    if (!line.startsWith('| ') || line.startsWith('| Rule ')) continue;
    const [rule = '', file = '', name = '', ...rest] = line.slice(2, -2).split(' | ');
    assert.equal(rest.length, 0, `a row has three cells: ${line}`);
    // A name with backticks is enclosed in two pairs of them.
    rows.push({ section: headings.at(-1)?.number ?? '', rule, file, test: name.replace(/^(`+)(.*)\1$/, '$2') });
  }
  return { headings, rows };
}

/** The rules of the section with this title as one text; fails when the section does not exist. */
function rulesOf(title: string): string {
  const numbers = headings.filter((heading) => heading.title === title).map(({ number }) => number);
  assert.equal(numbers.length, 1, `one section is called ${title}`);
  return rows
    .filter(({ section }) => section === numbers[0])
    .map(({ rule }) => rule)
    .join('\n');
}

/** The headings directly below the one with this number, which is empty for the chapters. */
const below = (number: string) =>
  headings.filter((heading) => heading.number.slice(0, Math.max(heading.number.lastIndexOf('.'), 0)) === number);

/** The anchor that a heading gets when the document is shown as a page. */
const anchorOf = ({ number, title }: Heading) =>
  `${number} ${title}`
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');

/** The words that a text does not name as code. */
const unnamedIn = (text: string, words: readonly string[]) => words.filter((word) => !text.includes(`\`${word}\``));

const propertiesOf = (schema: TSchema): Readonly<Record<string, TSchema>> =>
  (schema as { properties?: Record<string, TSchema> }).properties ?? {};

/** The schema of a thing that an endpoint's reply holds under a name, in a list or alone. */
function shownAs(path: `/${string}`, ...names: readonly string[]): TSchema {
  let schema = endpointsByPath.get(path)?.reply;
  for (const name of names) {
    const held = propertiesOf(schema ?? {})[name];
    schema = (held as { items?: TSchema } | undefined)?.items ?? held;
  }
  assert.ok(schema !== undefined, `${path} answers ${names.join('.')}`);
  return schema;
}

describe('docs/rules.md', () => {
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

  it('states no rule twice in a section', () => {
    const seen = rows.map(({ section, rule }) => `${section} ${rule}`);
    assert.deepEqual(
      seen.filter((rule, index) => seen.indexOf(rule) !== index),
      [],
    );
  });

  it('numbers its sections without a gap', () => {
    for (const number of ['', ...headings.map((heading) => heading.number)])
      assert.deepEqual(
        below(number).map((heading) => heading.number),
        below(number).map((_, index) => (number === '' ? `${index + 1}` : `${number}.${index + 1}`)),
      );
  });

  it('has a rule in every section that is not divided further', () => {
    const empty = headings.filter(
      ({ number }) => below(number).length === 0 && !rows.some(({ section }) => section === number),
    );
    assert.deepEqual(empty, []);
  });

  it('has a section for every endpoint, in the order of the service, and for no other', () => {
    assert.deepEqual(
      below('4').map((group) => [group.title, below(group.number).map(({ title }) => title)]),
      sections.map((section) => [
        section.title,
        section.endpoints.map(({ methods, path }) => `${methods.join('/')} ${path}`),
      ]),
    );
  });

  it('has links that lead somewhere', () => {
    const anchors = new Map(
      documents.map(({ url, text }) => [url.href, new Set(read(text).headings.map((heading) => anchorOf(heading)))]),
    );
    const broken = documents.flatMap(({ path, url, text }) =>
      [...text.matchAll(/\]\(([^)]+)\)/g)]
        .map(([, link = '']) => new URL(link, url))
        .filter(({ href, hash }) => {
          const file = new URL(href.replace(/#.*$/, ''));
          return !existsSync(file) || (hash !== '' && anchors.get(file.href)?.has(hash.slice(1)) !== true);
        })
        .map(({ href }) => `${path}: ${href}`),
    );
    assert.deepEqual(broken, []);
  });

  it('has every section that sources and tests cite', () => {
    const numbers = new Set(headings.map(({ number }) => number));
    const cited = ['../src', '../test', '../scripts', '../../../bench/src'].flatMap((folder) => {
      const root = new URL(`${folder}/`, import.meta.url);
      return readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(ts|sql)$/.test(file))
        .flatMap((file) =>
          [...readFileSync(new URL(file, root), 'utf8').matchAll(/\brules ((?:\d+(?:\.\d+)*(?:, | and )?)+)/g)].flatMap(
            ([, list = '']) => list.match(/\d+(?:\.\d+)*/g)?.map((number) => ({ file, number })) ?? [],
          ),
        );
    });
    assert.ok(cited.length > 0);
    assert.deepEqual(
      cited.filter(({ number }) => !numbers.has(number)),
      [],
    );
  });

  for (const endpoint of endpoints) {
    const section = `${endpoint.methods.join('/')} ${endpoint.path}`;

    it(`names every field of a request to ${endpoint.path} and of its answer`, () => {
      const fields = Object.keys({ ...propertiesOf(endpoint.fields), ...propertiesOf(endpoint.reply) });
      assert.ok(fields.length > 0);
      assert.deepEqual(unnamedIn(rulesOf(section), fields), []);
    });

    it(`has a row for every refusal of ${endpoint.path}, with its status and text`, () => {
      const refusals = endpoint.refusals.map((code) => `${statusOf(code)} \`${textPattern(code)}\``);
      if (endpoint.missing !== '') refusals.push(`400 \`${endpoint.missing}\``);
      if (needsCredential(endpoint.access)) refusals.push('401 `Unauthorized`');
      const rules = rulesOf(section);
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
      assert.deepEqual(unnamedIn(rulesOf(resource), fields), []);
    });

  for (const [what, statuses] of [
    ['License status', LICENSE_STATUSES],
    ['Product status', PRODUCT_STATUSES],
    ['Seat status', SEAT_STATUSES],
  ] as const)
    it(`names every ${what}`, () => {
      assert.deepEqual(unnamedIn(rulesOf(what), statuses), []);
    });

  it('names every event of the storefront', () => {
    const eventRules = below('6')
      .map(({ title }) => rulesOf(title))
      .join('\n');
    assert.deepEqual(unnamedIn(eventRules, EVENT_TYPES), []);
  });

  it('has a rule for every status of a refusal', () => {
    const stated = new Set(
      rulesOf('Statuses')
        .split('\n')
        .map((rule) => Number(rule.slice(0, 3))),
    );
    const ofEndpoints = endpoints.flatMap((endpoint) => endpoint.refusals.map(statusOf));
    assert.deepEqual([...new Set([...ofEndpoints, 400, 401, 422, 429, 500, 503])].sort(), [...stated].sort());
  });

  it('has rules for every limit', () => {
    const limitsOf = (title: string) => [
      ...new Set(
        rulesOf(title)
          .split('\n')
          .map((rule) => rule.slice(0, rule.indexOf(':'))),
      ),
    ];
    assert.deepEqual(limitsOf('Limits of licenses and orders'), [
      'Activation attempts',
      'Default number of machines',
      'Unlimited machines',
      'Token refresh',
      'Floating session',
      'Size of lists',
      'Products of an API key',
      'Seats of an order',
      'Seats of a user',
      'Uses of a discount code',
    ]);
    assert.deepEqual(limitsOf('Limits per network'), [
      'Networks',
      'Wrong credentials',
      'Calls at once',
      'Unknown discount codes',
      'Trials',
    ]);
  });
});
