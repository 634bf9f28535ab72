/** Trials that machines start without a key (rules 14.7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { jobsOf } from '../../src/app.ts';
import { DAY_MS, HOUR_MS } from '../../src/ground/base/clock.ts';
import type { Job } from '../../src/platform/jobs/job.ts';
import { runInTurn } from '../../src/platform/jobs/schedule.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { inspect } from '../support/answers.ts';
import { ADMIN_SECRET, type TestApp } from '../support/app.ts';
import { atOnce, sendFrom, startBehindProxy, statusCounts } from '../support/behind-proxy.ts';
import { jobContextOf } from '../support/contexts.ts';
import { mustSucceed } from '../support/creator.ts';
import { engines, freshDatabase } from '../support/databases.ts';
import { twoNodesFor } from '../support/for-test.ts';
import { Machine } from '../support/machine.ts';
import { startedApp } from '../support/started-app.ts';
import { plainStorage } from '../support/storages.ts';
import { standingAt } from '../support/tidy.ts';

type Fields = Readonly<Record<string, unknown>>;

for (const engine of engines) {
  describe(`trials without a key on ${engine}`, () => {
    const app = startedApp(engine);
    let products = 0;

    /** Runs the jobs once. @returns what they counted of a metric for a product */
    async function countedBy(productId: string, metric: string): Promise<number> {
      const storage = plainStorage(await openStorage(app.database));
      try {
        const context = jobContextOf(storage);
        const time = standingAt(app.clock.now());
        const isWanted = ({ name }: Job) => name === 'index new machines' || name.includes('trials');
        const jobs = jobsOf(context).filter(isWanted);
        await runInTurn(jobs, { storage, clock: time.steadyNow, time, pauseMs: 0 });
        const counts = context.ruleContext.observedCalls.counters.take();
        return counts.reduce((sum, [of, name, , value]) => sum + (of === productId && name === metric ? value : 0), 0);
      } finally {
        await storage.close();
      }
    }

    /** A product whose variants have these fields. */
    async function offered(...variants: readonly Fields[]): Promise<string> {
      const slug = `paint-${++products}`;
      await mustSucceed(app.admin('/createProduct', { name: 'Paint', slug, creatorId: 'ada' }));
      for (const variant of variants) await mustSucceed(app.admin('/createVariant', { productId: slug, ...variant }));
      return slug;
    }
    const TRY = { name: 'try', maxMachines: 1, defaultTrialDays: 14, trialWithoutKey: true };
    const start = (productId: string, machineFingerprint = 'machine-1', more: Fields = {}) =>
      app.send('/startTrial', { productId, machineFingerprint, hostname: 'Studio', ...more });
    const codeOf = async (answer: ReturnType<typeof start>) => {
      const { status, headers } = await answer;
      return [status, headers['latchkey-code'] ?? null];
    };

    it('give a machine a license of the variant, and the answer of /activate with its key', async () => {
      const productId = await offered({ ...TRY, features: { export: true }, updatesDays: 30, graceDays: 7 });
      const body = await mustSucceed(start(productId));
      const { licenseKey, token, ...rest } = body;
      assert.deepEqual(rest, {
        success: true,
        expiresAt: app.clock.at(30 * DAY_MS).replace(/\d{3}Z$/, '000Z'),
        machinesUsed: 1,
        maxMachines: 1,
        status: 'active',
        variant: 'try',
        message: 'License activated',
        licenseExpiresAt: app.clock.at(14 * DAY_MS),
        licenseType: 'per-machine',
        features: { export: true },
        updatesUntil: app.clock.at(30 * DAY_MS),
      });
      const machine = new Machine(app, licenseKey, 'machine-1', productId);
      machine.token = token;
      assert.equal((await mustSucceed(machine.validate())).email, '');
      const { license } = await inspect(app, licenseKey);
      assert.deepEqual([license.email, license.graceDays], ['', undefined]);
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
      const { type, actor, after: facts } = events.at(-1);
      assert.deepEqual([type, actor.kind, facts.reason], ['license.created', 'client', 'trial']);
    });

    it('answer the same machine the same key while they run, and refuse it for good afterwards', async () => {
      const productId = await offered(TRY);
      const { licenseKey } = await mustSucceed(start(productId));
      const again = await mustSucceed(start(productId));
      assert.deepEqual([again.licenseKey, again.message], [licenseKey, 'Machine was already activated']);
      await mustSucceed(app.admin('/updateProduct', { productId, status: 'archived' }));
      assert.equal((await start(productId)).body.licenseKey, licenseKey, 'the product is archived');
      assert.deepEqual(await codeOf(start(productId, 'machine-2')), [409, 'product_archived']);
      app.clock.move(14 * DAY_MS);
      const over = await start(productId);
      assert.deepEqual([over.status, over.body], [403, { success: false, error: 'Trial has ended' }]);
      assert.equal(over.headers['latchkey-code'], 'trial_over');
      app.clock.move(400 * DAY_MS);
      assert.deepEqual(await codeOf(start(productId)), [403, 'trial_over']);
      const other = await offered(TRY);
      assert.equal((await start(other)).status, 200, 'another product');
    });

    it('count a repeated call as an attempt to activate', async () => {
      const productId = await offered(TRY);
      const answers = [];
      for (let attempt = 0; attempt < 16; attempt += 1) answers.push(await codeOf(start(productId)));
      assert.deepEqual(answers.at(-2), [200, null]);
      assert.deepEqual(answers.at(-1), [429, 'activation_rate']);
    });

    it('take the variant that is named, or the only one that offers them', async () => {
      const both = await offered(TRY, { ...TRY, name: 'try-floating' }, { name: 'pro' });
      const unnamed = await start(both);
      assert.deepEqual(
        [unnamed.status, unnamed.body.error],
        [400, 'variant must be given: several variants offer a trial'],
      );
      assert.equal((await mustSucceed(start(both, 'm', { variant: 'try' }))).variant, 'try');
      assert.deepEqual(await codeOf(start(both, 'n', { variant: 'pro' })), [403, 'trial_not_offered']);
      assert.deepEqual(await codeOf(start(both, 'n', { variant: 'gold' })), [404, 'variant_not_found']);
      assert.deepEqual(await codeOf(start(await offered({ name: 'pro' }))), [403, 'trial_not_offered']);
      assert.deepEqual(await codeOf(start('unknown')), [404, 'product_not_found']);
      const productId = await offered(TRY);
      const endless = await app.admin('/createVariant', { productId, name: 'x', trialWithoutKey: true });
      assert.deepEqual([endless.status, endless.body.error], [400, 'trialWithoutKey needs defaultTrialDays']);
      const variantId = `${productId}-try`;
      const cleared = await app.admin('/updateVariant', { variantId, defaultTrialDays: null });
      assert.deepEqual([cleared.status, cleared.body.error], [400, 'trialWithoutKey needs defaultTrialDays']);
      await mustSucceed(app.admin('/updateVariant', { variantId, trialWithoutKey: false }));
      assert.deepEqual(await codeOf(start(productId)), [403, 'trial_not_offered']);
    });

    it('have a customer only where the app knows an address', async () => {
      const productId = await offered(TRY);
      const known = await mustSucceed(start(productId, 'a', { email: ' Eve@Example.com ' }));
      const nobody = await mustSucceed(start(productId, 'b'));
      const { customers } = await mustSucceed(app.admin('/listCustomers', { productId }));
      assert.deepEqual(
        customers.map(({ email }: Fields) => email),
        ['eve@example.com'],
      );
      const { licenseKey } = nobody;
      assert.deepEqual((await inspect(app, known.licenseKey)).license.email, 'Eve@Example.com');
      assert.deepEqual(await codeOf(app.admin('/mailLicense', { licenseKey })), [409, 'mail_off']);
      app.clock.move(15 * DAY_MS);
      await mustSucceed(start(productId, 'c'));
      const { verdict } = await mustSucceed(app.admin('/explainLicense', { licenseKey }));
      assert.equal(verdict.code, 'expired', 'no other license of the same customer');
    });

    it('are refused to a machine whose license was forgotten', async () => {
      const productId = await offered(TRY);
      const { licenseKey } = await mustSucceed(start(productId, 'm', { email: 'gone@example.com' }));
      await mustSucceed(app.admin('/forgetCustomer', { email: 'gone@example.com' }));
      assert.equal((await start(productId, 'm')).body.licenseKey, licenseKey);
      app.clock.move(14 * DAY_MS);
      assert.deepEqual(await codeOf(start(productId, 'm')), [403, 'trial_over']);
    });

    it('that were started stay after the product is archived, and no other starts', async () => {
      const productId = await offered(TRY);
      const { licenseKey } = await mustSucceed(start(productId, 'm'));
      await mustSucceed(app.admin('/updateProduct', { productId, status: 'archived' }));
      assert.equal((await mustSucceed(start(productId, 'm'))).licenseKey, licenseKey);
      assert.deepEqual(await codeOf(start(productId, 'other')), [409, 'product_archived']);
    });

    it('count as paid once their machine activates a sold license within 90 days', async () => {
      const productId = await offered(TRY, { name: 'pro', maxMachines: 2 });
      for (const machine of ['buyer', 'late', 'given', 'other']) await mustSucceed(start(productId, machine));
      const activated = async (machine: string, order: Fields) => {
        const licenseKey = await app.license({ productId, variant: 'pro', ...order });
        await new Machine(app, licenseKey, machine, productId).activated();
      };
      await activated('given', {});
      await activated('stranger', { purchaseId: `stranger of ${productId}` });
      const paid = () => countedBy(productId, 'trial.paid');
      assert.equal(await paid(), 0);
      app.clock.move(80 * DAY_MS);
      await activated('buyer', { purchaseId: `order of ${productId}` });
      await activated('buyer', { purchaseId: `again of ${productId}` });
      assert.equal(await paid(), 1);
      assert.equal(await paid(), 0, 'once');
      app.clock.move(11 * DAY_MS);
      await activated('late', { purchaseId: `late of ${productId}` });
      assert.equal(await paid(), 0);
    });

    it('start once for a machine that asks 20 times at once', async () => {
      const productId = await offered({ ...TRY, maxMachines: -1 });
      const answers = await Promise.all(Array.from({ length: 15 }, () => start(productId)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(new Set(answers.map(({ body }) => body.licenseKey)).size, 1);
      const { count } = await mustSucceed(app.admin('/listLicenses', { productId }));
      assert.equal(count, 1);
    });
  });

  describe(`limits of trials without a key on ${engine}`, () => {
    const LIMITS = { LATCHKEY_KEYLESS_TRIAL_RATE: '3', LATCHKEY_PRODUCT_TRIAL_RATE: '7' };
    let app: TestApp;
    before(async () => {
      app = await startBehindProxy(engine, LIMITS, await freshDatabase(engine));
    });
    after(() => app.stop());

    const start = (address: string, productId: string, machineFingerprint: string) =>
      sendFrom(app, address, '/startTrial', { productId, machineFingerprint, hostname: 'Studio' });
    async function product(slug: string): Promise<string> {
      const fields = { adminSecret: ADMIN_SECRET, productId: slug, slug, creatorId: 'ada' };
      await sendFrom(app, '192.0.2.1', '/createProduct', { ...fields, name: 'Paint' });
      const variant = { ...fields, name: 'try', defaultTrialDays: 14, trialWithoutKey: true };
      assert.equal((await sendFrom(app, '192.0.2.1', '/createVariant', variant)).status, 200);
      return slug;
    }

    it('let exactly as many start at once as a network may have, and repeats go on', async () => {
      const productId = await product('of-network');
      const answers = await atOnce(20, (at) => start('203.0.113.1', productId, `machine-${at}`));
      assert.deepEqual(statusCounts(answers), { 200: 3, 429: 17 });
      const refused = answers.find(({ status }) => status === 429);
      assert.equal(refused?.body.error, 'Too many trials from your network. Try again later.');
      assert.ok((refused?.retryAfter ?? 0) > 0);
      const first = answers.findIndex(({ status }) => status === 200);
      assert.equal((await start('203.0.113.1', productId, `machine-${first}`)).status, 200);
      assert.equal((await start('203.0.113.2', productId, 'elsewhere')).status, 200);
      app.clock.move(HOUR_MS + 60_000);
      assert.equal((await start('203.0.113.1', productId, 'later')).status, 200);
    });

    it('let exactly as many start at once as a product may have, from any networks', async () => {
      const productId = await product('of-product');
      const answers = await atOnce(20, (at) => start(`198.51.100.${at}`, productId, `machine-${at}`));
      assert.deepEqual(statusCounts(answers), { 200: 7, 429: 13 });
      const refused = answers.find(({ status }) => status === 429);
      assert.equal(refused?.body.error, 'Too many trials of this product. Try again later.');
    });
  });
}

describe('a trial without a key on two nodes of one database', () => {
  it('starts once for a machine that asks both at once', async (test) => {
    const nodes = await twoNodesFor(test);
    const [one] = nodes;
    await mustSucceed(one.admin('/createProduct', { name: 'Paint', slug: 'paint', creatorId: 'ada' }));
    const variant = { name: 'try', maxMachines: -1, defaultTrialDays: 14, trialWithoutKey: true };
    await mustSucceed(one.admin('/createVariant', { productId: 'paint', ...variant }));
    const asked = { productId: 'paint', machineFingerprint: 'machine-1', hostname: 'Studio' };
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, at) => mustSucceed((nodes[at % 2] as TestApp).send('/startTrial', asked))),
    );
    assert.equal(new Set(answers.map(({ licenseKey }) => licenseKey)).size, 1);
    assert.equal((await mustSucceed(one.admin('/listLicenses', { productId: 'paint' }))).count, 1);
  });
});
