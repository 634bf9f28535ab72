/** docs/contributors/rules.md cites a test file for each rule of the service; these tests keep it true. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { endpoints, endpointsByPath, sections } from '../src/app.ts';
import { EVENT_TYPES } from '../src/commerce/storefront/event.ts';
import { SEAT_STATUSES } from '../src/commerce/studio-orders/studio-order.ts';
import { LICENSE_STATUSES } from '../src/licensing/licenses/license.ts';
import { PRODUCT_STATUSES } from '../src/licensing/products/product.ts';
import { needsCredential } from '../src/platform/endpoint/caller.ts';
import { statusOf, textPattern } from '../src/platform/endpoint/refusals.ts';

/** A chapter, section or subsection: its number, such as `4.2.1`, and its title. */
interface Heading {
  readonly number: string;
  readonly title: string;
}

/** A line `- Sentence. [file, file]`, with the number of its section. */
interface Rule {
  readonly section: string;
  readonly text: string;
  readonly files: readonly string[];
}

/** Test files and folders that no rule needs to cite, by reason. Paths are relative to the root of the repository. */
const UNCITED: Readonly<Record<string, readonly string[]>> = {
  'docs/apps/client.md states what the client does': ['packages/client/test/'],
  'docs/shops/console.md states what the console does': ['packages/console/test/'],
  'the benchmark measures the service': ['bench/test/'],
  'runs the tests': ['test/', 'packages/server/test/attack/rank-test.test.ts'],
  'the structure of the code: ARCHITECTURE.md': [
    'packages/server/test/architecture/',
    'packages/server/test/licensing/licenses/one-license.test.ts',
    'packages/server/test/ground/base/node-http.test.ts',
  ],
  'all rules at once, by random calls and faults': [
    'packages/server/test/model/',
    'packages/server/test/faults/chaos.system.test.ts',
    'packages/server/test/faults/faults.system.test.ts',
  ],
  'the parts of which the service is built': [
    'packages/server/test/commerce/connectors/inbox-state.test.ts',
    'packages/server/test/commerce/connectors/mapping.test.ts',
    'packages/server/test/commerce/connectors/reversal-policy.test.ts',
    'packages/server/test/commerce/connectors/sale-policy.test.ts',
    'packages/server/test/commerce/connectors/sources/',
    'packages/server/test/commerce/connectors/subscription-policy.test.ts',
    'packages/server/test/ground/base/country-code.test.ts',
    'packages/server/test/runtime/dispatch/',
    'packages/server/test/ground/measures/measures.test.ts',
    'packages/server/test/properties/',
    'packages/server/test/runtime/service/short-lived-objects.test.ts',
    'packages/server/test/licensing/session-tokens/signer.test.ts',
    'packages/server/test/storage/',
  ],
  'the commands, as docs/operators/operations.md describes them': ['packages/server/test/operations/commands/'],
  'a page of the documentation, the README or the reference': [
    'packages/server/test/failover-page.test.ts',
    'packages/server/test/integrating.test.ts',
    'packages/server/test/ground/measures/metrics-page.test.ts',
    'packages/server/test/operation/',
    'packages/server/test/pages/',
    'packages/server/test/readme.test.ts',
    'packages/server/test/runtime/reference/',
    'packages/server/test/rules.test.ts',
    'packages/server/test/self-service-page.test.ts',
    'packages/server/test/storefront-page.test.ts',
    'packages/server/test/license-models.test.ts',
    'packages/server/test/support-page.test.ts',
  ],
  'docs/contributors/other-servers.md states what other servers promise': ['packages/server/test/server-promises/'],
  'the demo and other scripts beside the service': [
    'packages/server/test/demo.test.ts',
    'packages/server/test/demo-history.system.test.ts',
    'packages/server/test/command-lines.system.test.ts',
    'packages/server/test/scripts.system.test.ts',
  ],
  'the package that operators install': ['packages/server/test/package/'],
};

const documents = ['contributors/rules.md', 'contributors/rules/endpoints.md'].map((path) => {
  const url = new URL(`../../../docs/${path}`, import.meta.url);
  return { path, url, text: readFileSync(url, 'utf8') };
});
const chapterFour = '## 4 Endpoints\n';
const [main = '', ofEndpoints = ''] = documents.map(({ text }) => text);
const [before = '', after = ''] = main.split(chapterFour);
const { headings, rules } = read(`${before}${ofEndpoints}${after}`);

function read(text: string): { headings: Heading[]; rules: Rule[] } {
  const headings: Heading[] = [];
  const rules: Rule[] = [];
  for (const line of text.split('\n')) {
    const [, number, title] = /^##+ ([\d.]+) (.+)$/.exec(line) ?? [];
    if (number !== undefined && title !== undefined) headings.push({ number, title });
    const section = headings.at(-1)?.number;
    if (section === undefined || !/^\s*[-*|]/.test(line)) continue;
    const [, rule = '', files = ''] = /^- (.+) \[([^[\]]+\.test\.ts)\]$/.exec(line) ?? [];
    assert.ok(rule !== '', `a rule is one line and ends with its test files in brackets: ${line}`);
    rules.push({ section, text: rule, files: files.split(', ') });
  }
  return { headings, rules };
}

/** The rules of the section with this title as one text; fails when the section does not exist. */
function rulesOf(title: string): string {
  const numbers = headings.filter((heading) => heading.title === title).map(({ number }) => number);
  assert.equal(numbers.length, 1, `one section is called ${title}`);
  return rules
    .filter(({ section }) => section === numbers[0])
    .map(({ text }) => text)
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

/** The test files below a folder, without those of installed packages. */
function testFilesIn(folder: URL): URL[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const url = new URL(entry.isDirectory() ? `${entry.name}/` : entry.name, folder);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFilesIn(url);
    return entry.name.endsWith('.test.ts') ? [url] : [];
  });
}

describe('docs/contributors/rules.md', () => {
  it('cites files that exist and have tests', () => {
    const cited = new Set(rules.flatMap(({ files }) => files));
    const hasTests = (file: string) => {
      const url = new URL(file, import.meta.url);
      return existsSync(url) && /\b(?:it|test)\(/.test(readFileSync(url, 'utf8'));
    };
    assert.deepEqual(
      [...cited].filter((file) => !hasTests(file)),
      [],
    );
  });

  it('cites every test file, unless a reason is given here', () => {
    const root = new URL('../../../', import.meta.url);
    const cited = new Set(rules.flatMap(({ files }) => files).map((file) => new URL(file, import.meta.url).href));
    const uncited = ['packages', 'bench', 'test']
      .flatMap((folder) => testFilesIn(new URL(`${folder}/`, root)))
      .filter(({ href }) => !cited.has(href))
      .map(({ href }) => href.slice(root.href.length));
    const excused = Object.values(UNCITED).flat();
    const covers = (path: string) => (file: string) => (path.endsWith('/') ? file.startsWith(path) : file === path);
    assert.deepEqual(
      uncited.filter((file) => !excused.some((path) => covers(path)(file))),
      [],
      'neither cited by a rule nor listed with a reason',
    );
    assert.deepEqual(
      excused.filter((path) => !uncited.some(covers(path))),
      [],
      'listed without need',
    );
  });

  it('states no rule twice in a section', () => {
    const seen = rules.map(({ section, text }) => `${section} ${text}`);
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
      ({ number }) => below(number).length === 0 && !rules.some(({ section }) => section === number),
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
    const cited = ['../src', './', '../scripts', '../../../bench/src'].flatMap((folder) => {
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

    it(`has a rule for every refusal of ${endpoint.path}, with its status and text`, () => {
      const refusals = endpoint.refusals.map((code) => `${statusOf(code)} \`${textPattern(code)}\``);
      if (endpoint.missing !== '') refusals.push(`400 \`${endpoint.missing}\``);
      if (needsCredential(endpoint.access)) refusals.push('401 `Unauthorized`');
      const stated = rulesOf(section);
      assert.deepEqual(
        refusals.filter((refusal) => !stated.includes(refusal)),
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
      'Quotas of a creator',
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
