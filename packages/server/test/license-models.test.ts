/** docs/shops/license-models.md: every model is run as the page shows it, from its variant to its end. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sections as described } from '../src/app.ts';
import { DAY_MS } from '../src/ground/base/clock.ts';
import { type TestApp, WEBHOOK_SECRET } from './support/app.ts';
import { mustSucceed } from './support/creator.ts';
import { engines } from './support/databases.ts';
import { startedApp } from './support/started-app.ts';

const PAGE = readFileSync(new URL('../../../docs/shops/license-models.md', import.meta.url), 'utf8');

/** The day on which the calls of each model begin, as the page says. */
const BEGINNING_MS = Date.parse('2027-01-15');

const ACCESS: ReadonlyMap<string, string> = new Map(
  described.flatMap(({ endpoints }) => endpoints.map(({ path, access }) => [path, access])),
);

/** A call of the page, with the days that pass before it. */
interface Call {
  readonly daysBefore: number;
  readonly path: string;
  readonly request: string;
  /** The status and the shown part of the answer; null where the page shows none. */
  readonly shown: { readonly status: number; readonly body: string } | null;
}

function callsIn(block: string): Call[] {
  return block
    .trim()
    .split('\n\n')
    .map((text) => {
      const lines = text.split('\n');
      const days = /^# (\d+) days later$/.exec(lines[0] ?? '');
      const [method = '', request = '', answer] = days === null ? lines : lines.slice(1);
      const [, path] = /^POST (\/\w+)$/.exec(method) ?? [];
      assert.ok(path !== undefined && ACCESS.has(path), `a call, not ${method}`);
      const [, status, body = ''] = answer === undefined ? [] : (/^(\d{3}) (\{.*\})$/.exec(answer) ?? []);
      assert.equal(answer === undefined, status === undefined, `an answer, not ${answer}`);
      const shown = status === undefined ? null : { status: Number(status), body };
      return { daysBefore: Number(days?.[1] ?? 0), path, request, shown };
    });
}

/** The calls before and after the end of each model, by the title of its section. */
const models = new Map(
  PAGE.split('\n## ')
    .slice(1)
    .map((section) => {
      const blocks = [...section.matchAll(/```http\n([\s\S]*?)```/g)].map(([, block = '']) => callsIn(block));
      return [section.split('\n')[0] as string, blocks] as const;
    }),
);

const KEY = /^([A-Z2-9]{5}-){4}[A-Z2-9]{5}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** Months of the page and of the run differ in length by so many days. */
const DAYS_OF_MONTHS = 3;

/** Compares a shown value. Each run has keys of its own, and its moments count from its beginning; `…` is any text. */
function assertShown(answered: unknown, shown: unknown, begunAt: number, place: string): void {
  const days = (moment: unknown, since: number) => (Date.parse(String(moment)) - since) / DAY_MS;
  if (typeof shown === 'string' && MOMENT.test(shown)) {
    const difference = days(answered, begunAt) - days(shown, BEGINNING_MS);
    assert.ok(Math.abs(difference) < DAYS_OF_MONTHS, `${place}: ${difference} days after ${shown}`);
  } else if (typeof shown === 'string' && KEY.test(shown)) assert.match(String(answered), KEY, place);
  else if (shown === '…') assert.match(String(answered), /./, place);
  else if (typeof shown !== 'object' || shown === null || place.endsWith('.features'))
    assert.deepEqual(answered, shown, place);
  else
    for (const [name, value] of Object.entries(shown))
      assertShown((answered as Readonly<Record<string, unknown>> | null)?.[name], value, begunAt, `${place}.${name}`);
}

/** Sends the calls of a model for a product of its own. */
class Run {
  readonly #app: TestApp;
  readonly #product: string;
  readonly #begunAt: number;
  readonly #names = new Map<string, string>();

  constructor(app: TestApp, product: string) {
    this.#app = app;
    this.#product = product;
    this.#begunAt = app.clock.now();
  }

  /** The request with the product of this run, the last key and token, and days counted from its beginning. */
  #filled(text: string): Readonly<Record<string, unknown>> {
    const filled = text
      .replace(/\$(LICENSE_KEY|TOKEN)/g, (_, name: string) => this.#names.get(name) ?? assert.fail(`no ${name} yet`))
      .replace(/"(paint|brush)\b/g, `"$1-${this.#product}`)
      .replace(/"((?:order|sub)-\d+|SPRING27)"/g, `"$1-${this.#product}"`)
      .replace(/"(\d{4}-\d\d-\d\d)"/g, (_, day: string) => {
        const days = Math.round((Date.parse(day) - BEGINNING_MS) / DAY_MS);
        return `"${new Date(this.#begunAt + days * DAY_MS).toISOString().slice(0, 10)}"`;
      });
    return JSON.parse(filled);
  }

  async send({ daysBefore, path, request, shown }: Call): Promise<void> {
    this.#app.clock.move(daysBefore * DAY_MS);
    const body = this.#filled(request);
    const headers = { 'x-webhook-secret': WEBHOOK_SECRET };
    const answer =
      ACCESS.get(path) === 'admin'
        ? await this.#app.admin(path, body)
        : await this.#app.send(path, body, ACCESS.get(path) === 'webhook' ? { headers } : {});
    const context = `${path}: ${JSON.stringify(answer.body)}`;
    assert.equal(answer.status, shown?.status ?? 200, context);
    if (shown !== null) assertShown(answer.body, JSON.parse(shown.body), this.#begunAt, context);
    const { licenseKey, token, newToken } = answer.body;
    if (typeof licenseKey === 'string') this.#names.set('LICENSE_KEY', licenseKey);
    const given = newToken ?? token;
    if (typeof given === 'string') this.#names.set('TOKEN', given);
  }
}

describe('the page on license models', () => {
  it('has each model in its table, with a variant, calls of the app, and its end', () => {
    const linked = [...PAGE.matchAll(/^\| \[[^\]]+\]\(#([\w-]+)\)/gm)].map(([, anchor]) => anchor);
    const anchors = [...models.keys()].map((title) => title.toLowerCase().replaceAll(' ', '-'));
    assert.deepEqual(linked, anchors);
    for (const [title, blocks] of models) assert.equal(blocks.length, 2, `${title} has two blocks`);
  });
});

for (const engine of engines)
  describe(`the license models on ${engine}`, () => {
    const app = startedApp(engine);
    let products = 0;

    for (const [title, blocks] of models)
      it(title, async () => {
        const product = `${++products}`;
        for (const slug of [`paint-${product}`, `brush-${product}`])
          await mustSucceed(app.admin('/createProduct', { name: slug, slug, creatorId: 'ada' }));
        const run = new Run(app, product);
        for (const call of blocks.flat()) await run.send(call);
      });
  });
