/** Meters: features that are counted (rules 14.8). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { periodAt } from '../../../src/licensing/licenses/meters.ts';
import { actionsOf, apply, assertAnswered, checkIn, explain, remedyOf } from '../../insight/explanations/explaining.ts';
import { inspect, update } from '../../support/answers.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { duplicateDatabase, engines } from '../../support/databases.ts';
import { freshFor, served, twoNodesFor } from '../../support/for-test.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

type Fields = Readonly<Record<string, unknown>>;

describe('the period of a meter', () => {
  const at = (time: string) => Date.parse(time);

  it('is one of the calendar in UTC, and never an earlier one than was reached', () => {
    const end = '2026-12-31T23:59:59.999Z';
    assert.deepEqual(periodAt('day', null, null, at(end)), {
      name: '2026-12-31',
      resetsAt: '2027-01-01T00:00:00.000Z',
    });
    assert.deepEqual(periodAt('month', null, null, at(end)), { name: '2026-12', resetsAt: '2027-01-01T00:00:00.000Z' });
    assert.deepEqual(periodAt('year', null, null, at(end)), { name: '2026', resetsAt: '2027-01-01T00:00:00.000Z' });
    assert.equal(periodAt('month', null, '2027-01', at(end)).name, '2027-01');
    assert.equal(periodAt('month', null, '2026-11', at(end)).name, '2026-12');
    // The meter counted by the day before its variant was changed.
    assert.equal(periodAt('month', null, '2027-01-31', at(end)).name, '2026-12');
  });

  it('ends with the term of the license, if it has one', () => {
    const expiresAt = '2027-05-31T00:00:00.000Z';
    assert.deepEqual(periodAt('term', expiresAt, '', 0), { name: expiresAt, resetsAt: expiresAt });
    assert.deepEqual(periodAt('term', null, null, 0), { name: '', resetsAt: null });
    assert.deepEqual(periodAt('none', expiresAt, null, 0), { name: '', resetsAt: null });
  });
});

/** A call of /consume. */
function use(machine: Machine, units: number, requestId?: string, meter = 'exports', app = machine.app) {
  const { licenseKey, fingerprint: machineFingerprint, token } = machine;
  const id = requestId === undefined ? {} : { requestId };
  return app.send('/consume', { licenseKey, machineFingerprint, token, meter, units, ...id });
}

const codeOf = async (answer: Promise<Answer>) => {
  const { status, headers } = await answer;
  return [status, headers['latchkey-code'] ?? null];
};

for (const engine of engines)
  describe(`meters on ${engine}`, () => {
    const app = startedApp(engine);
    let products = 0;

    async function metered(meters: Fields, order: Fields = {}) {
      const slug = `paint-${++products}`;
      await mustSucceed(app.admin('/createProduct', { name: 'Paint', slug, creatorId: 'ada' }));
      await mustSucceed(app.admin('/createVariant', { productId: slug, name: 'pro', meters }));
      const licenseKey = await app.license({ productId: slug, variant: 'pro', ...order });
      return { productId: slug, machine: await new Machine(app, licenseKey, 'machine-1', slug).activated() };
    }
    const MONTHLY = { exports: { limit: 50, period: 'month' } };

    it('count units until their limit, all or none, and begin anew with the period', async () => {
      const { machine } = await metered(MONTHLY);
      const { licenseKey } = machine;
      const resetsAt = periodAt('month', null, null, app.clock.now()).resetsAt;
      const rest = { success: true, meter: 'exports', limit: 50, resetsAt };
      assert.deepEqual(await mustSucceed(use(machine, 0)), { ...rest, used: 0, remaining: 50 });
      assert.deepEqual(await mustSucceed(use(machine, 45, 'a')), { ...rest, used: 45, remaining: 5 });
      const refused = await use(machine, 6, 'b');
      assert.equal(refused.status, 403);
      assert.deepEqual(refused.body, { success: false, error: 'Usage limit reached', used: 45, limit: 50, resetsAt });
      assert.deepEqual((await mustSucceed(use(machine, 5, 'b'))).remaining, 0, 'the same id after a refusal');
      assert.deepEqual(await codeOf(use(machine, 1, 'c')), [403, 'meter_limit']);
      const { usage } = await mustSucceed(app.admin('/getLicense', { licenseKey }));
      assert.deepEqual(usage, [{ meter: 'exports', used: 50, limit: 50, remaining: 0, resetsAt }]);
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
      const reached = events.filter(({ type }: Fields) => type === 'usage.limit_reached');
      assert.deepEqual(
        reached.map(({ subject, after: facts }: Answer['body']) => [subject, facts]),
        [['exports', { meter: 'exports', used: 45, limit: 50, resetsAt }]],
      );
      app.clock.move(Date.parse(String(resetsAt)) - app.clock.now());
      await machine.activated();
      assert.equal((await mustSucceed(use(machine, 50, 'd'))).remaining, 0);
    });

    it('count a request once within 48 hours and answer as then, and refuse it for other units', async () => {
      const { machine } = await metered({
        exports: { limit: 50, period: 'none' },
        renders: { limit: -1, period: 'none' },
      });
      const first = await mustSucceed(use(machine, 10, 'a'));
      await mustSucceed(use(machine, 10, 'b'));
      app.clock.move(48 * HOUR_MS - 1);
      assert.deepEqual(await mustSucceed(use(machine, 10, 'a')), first);
      assert.deepEqual(await codeOf(use(machine, 11, 'a')), [422, 'request_id_reused']);
      assert.deepEqual(await codeOf(use(machine, 10, 'a', 'renders')), [422, 'request_id_reused']);
      app.clock.move(1);
      assert.equal((await mustSucceed(use(machine, 10, 'a'))).used, 30);
      assert.deepEqual(await mustSucceed(use(machine, 1_000_000_000, 'big', 'renders')), {
        success: true,
        meter: 'renders',
        used: 1_000_000_000,
        limit: -1,
        remaining: null,
        resetsAt: null,
      });
    });

    it('are refused in the order of /validate, then for an unknown meter, and need a requestId', async () => {
      const { machine } = await metered(MONTHLY);
      assert.deepEqual(await codeOf(use(machine, 1, 'a', 'constructor')), [404, 'meter_not_found']);
      const missing = await use(machine, 1);
      assert.deepEqual([missing.status, missing.body.error], [400, 'Missing requestId']);
      for (const units of [-1, 1.5, 1_000_000_001])
        assert.equal((await use(machine, units, 'a')).status, 400, String(units));
      const other = new Machine(app, machine.licenseKey, 'machine-2', machine.productId);
      other.token = machine.token;
      assert.deepEqual(await codeOf(use(other, 1, 'a')), [401, 'token_mismatch']);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: machine.licenseKey }));
      assert.deepEqual(await codeOf(use(machine, 1, 'a', 'unknown')), [403, 'license_revoked']);
    });

    it('have the limit of the license itself, are read live from the variant, and count beyond it where it says so', async () => {
      const { machine, productId } = await metered(MONTHLY, {
        meters: { exports: { limit: 60 }, unknown: { limit: 1 } },
      });
      assert.equal((await mustSucceed(use(machine, 60, 'a'))).remaining, 0);
      const { license } = await inspect(app, machine.licenseKey);
      assert.deepEqual(license.meters, { exports: { limit: 60 }, unknown: { limit: 1 } });
      const variantId = `${productId}-pro`;
      const counting = { exports: { limit: 50, period: 'month', overage: 'count' } };
      await mustSucceed(app.admin('/updateVariant', { variantId, meters: counting }));
      await update(app, machine.licenseKey, { meters: null });
      const { used, remaining, limit } = await mustSucceed(use(machine, 7, 'b'));
      assert.deepEqual([used, remaining, limit], [67, 0, 50]);
      await mustSucceed(app.admin('/updateVariant', { variantId, meters: null }));
      assert.deepEqual(await codeOf(use(machine, 0)), [404, 'meter_not_found']);
      const { usage } = await mustSucceed(app.admin('/getLicense', { licenseKey: machine.licenseKey }));
      assert.equal(usage, undefined);
    });

    it('have limits and periods of one form; a fault names the meter', async () => {
      const { productId } = await metered(MONTHLY);
      const given = async (meters: unknown) =>
        (await app.admin('/createVariant', { productId, name: 'pro', meters })).body.error;
      assert.equal(
        await given({ a: { limit: -2, period: 'day' } }),
        'meters.a.limit must be -1 or a whole number from 0 to 1000000000000',
      );
      assert.equal(await given({ a: { limit: 1 } }), 'meters.a.period must be one of none, day, month, year, term');
      assert.equal(
        await given({ a: { limit: 1, period: 'day', overage: 'x' } }),
        'meters.a.overage must be one of refuse, count',
      );
      const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`m${at}`, { limit: 1, period: 'day' }]));
      assert.equal(await given(many), 'meters must be an object of at most 10 names');
    });

    it('of a term begin anew when a renewal moves its end, and not when staff or a plan does', async () => {
      const expiresAt = app.clock.at(10 * DAY_MS);
      const meters = { exports: { limit: 5, period: 'term' }, saves: { limit: 5, period: 'none' } };
      const purchaseId = `order ${products}`;
      const { machine, productId } = await metered(meters, { expiresAt, purchaseId });
      const { licenseKey } = machine;
      assert.equal((await mustSucceed(use(machine, 5, 'a'))).resetsAt, expiresAt);
      await mustSucceed(use(machine, 1, 's', 'saves'));
      assert.deepEqual(await codeOf(use(machine, 1, 'b')), [403, 'meter_limit']);
      const staffs = app.clock.at(40 * DAY_MS);
      for (const end of [null, staffs]) {
        await update(app, licenseKey, { expiresAt: end });
        const { used, resetsAt } = await mustSucceed(use(machine, 0));
        assert.deepEqual([used, resetsAt], [5, end]);
      }
      const sale = { email: 'ada@example.com', productId, purchaseId };
      const report = (type: string, fields: Fields) =>
        mustSucceed(app.webhook('/storefrontWebhook', { type, ...sale, ...fields }));
      await report('subscription.updated', { variant: 'pro', expiresAt: app.clock.at(20 * DAY_MS) });
      assert.deepEqual(await codeOf(use(machine, 1, 'b')), [403, 'meter_limit']);
      await report('subscription.renewed', { durationDays: 30 });
      assert.equal((await mustSucceed(use(machine, 1, 'b'))).used, 1);
      assert.equal((await mustSucceed(use(machine, 0, undefined, 'saves'))).used, 1);
    });

    it('have the limits that a purchase or a changed plan gives to the license', async () => {
      const { productId } = await metered(MONTHLY);
      const sale = { email: 'ada@example.com', productId, purchaseId: `sale ${productId}`, variant: 'pro' };
      const report = (type: string, fields: Fields) =>
        mustSucceed(app.webhook('/storefrontWebhook', { type, ...sale, ...fields }));
      const { licenseKey } = await report('purchase.completed', { meters: { exports: { limit: 70 } } });
      const machine = await new Machine(app, licenseKey, 'machine-1', productId).activated();
      assert.equal((await mustSucceed(use(machine, 70, 'a'))).remaining, 0);
      await report('subscription.updated', { features: { psd: true } });
      assert.equal((await mustSucceed(use(machine, 0))).limit, 70, 'a plan without limits leaves those of the license');
      await report('subscription.updated', { meters: { exports: { limit: 90 } } });
      assert.equal((await mustSucceed(use(machine, 0))).remaining, 20);
      assert.deepEqual((await inspect(app, licenseKey)).license.ownFeatures, { psd: true });
      const wrong = await app.webhook('/storefrontWebhook', { type: 'purchase.completed', ...sale, meters: { a: {} } });
      assert.deepEqual(
        [wrong.status, wrong.body.error],
        [400, 'meters.a.limit must be -1 or a whole number from 0 to 1000000000000'],
      );
    });

    it('begin anew at midnight of 31 December, once, also by a clock that goes back', async () => {
      const { machine } = await metered({ exports: { limit: 5, period: 'year' }, saves: { limit: 5, period: 'day' } });
      const midnight = Date.UTC(new Date(app.clock.now()).getUTCFullYear() + 1, 0, 1);
      app.clock.move(midnight - 1 - app.clock.now());
      await machine.activated();
      for (const meter of ['exports', 'saves']) {
        const { resetsAt } = await mustSucceed(use(machine, 5, `old ${meter}`, meter));
        assert.equal(resetsAt, new Date(midnight).toISOString());
        assert.deepEqual(await codeOf(use(machine, 1, `more ${meter}`, meter)), [403, 'meter_limit']);
      }
      app.clock.move(1);
      for (const meter of ['exports', 'saves'])
        assert.equal((await mustSucceed(use(machine, 4, `new ${meter}`, meter))).used, 4);
      // A repeat of a use of the former year is answered as then.
      assert.equal((await mustSucceed(use(machine, 5, 'old exports'))).used, 5);
      app.clock.move(-1);
      assert.deepEqual(await codeOf(use(machine, 2, 'back')), [403, 'meter_limit']);
      app.clock.move(1);
    });

    it('of a restored backup go on from there: a known request counts once, and a later one counts when it comes again', async (test) => {
      const source = await freshFor(test, engine);
      const machine = await served(source, async (app) => {
        await mustSucceed(app.admin('/createProduct', { name: 'Paint', slug: 'paint', creatorId: 'ada' }));
        await mustSucceed(app.admin('/createVariant', { productId: 'paint', name: 'pro', meters: MONTHLY }));
        const licenseKey = await app.license({ productId: 'paint', variant: 'pro' });
        const used = await new Machine(app, licenseKey, 'machine-1', 'paint').activated();
        await mustSucceed(use(used, 30, 'a'));
        return used;
      });
      const { database: backup } = await duplicateDatabase(source, test);
      await served(source, async (app) => {
        assert.equal((await mustSucceed(use(machine, 15, 'b', 'exports', app))).used, 45);
      });
      await served(backup, async (app) => {
        assert.equal((await mustSucceed(use(machine, 30, 'a', 'exports', app))).used, 30);
        assert.equal((await mustSucceed(use(machine, 15, 'b', 'exports', app))).used, 45);
        assert.equal((await mustSucceed(use(machine, 15, 'b', 'exports', app))).used, 45);
        assert.deepEqual(await codeOf(use(machine, 6, 'c', 'exports', app)), [403, 'meter_limit']);
      });
    });

    it('are counted among the calls, and their refusals are kept and explained', async () => {
      const { machine } = await metered(MONTHLY);
      const { licenseKey, fingerprint: machineFingerprint } = machine;
      await mustSucceed(use(machine, 49, 'a'));
      const refused = await use(machine, 3, 'b');
      await use(machine, 1, 'c', 'unknown');
      await use(machine, 1);
      await historyWithRefusals(app, licenseKey, 2);
      const { refusals } = await mustSucceed(app.admin('/listRefusals', { licenseKey, code: 'meter_limit' }));
      assert.deepEqual(
        refusals.map(({ endpoint, details }: Answer['body']) => [endpoint, details]),
        [['/consume', { meter: 'exports', used: 49, limit: 50, units: 3 }]],
      );
      const asked = { licenseKey, machineFingerprint, meter: 'exports', units: 3 };
      const check = checkIn(await explain(app, asked), '/consume');
      assertAnswered(check, refused);
      const resetsAt = periodAt('month', null, null, app.clock.now()).resetsAt;
      assert.deepEqual(check.because, { meter: 'exports', used: 49, limit: 50, units: 3, resetsAt });
      assert.match(check.sentence, /^49 of 50 units of "exports" are used, so 3 more units do not fit\. /);
      assert.deepEqual(actionsOf(check), ['adjust_usage', 'raise_limit']);
      const { verdict } = await explain(app, asked);
      assert.deepEqual([verdict.code, verdict.firstStep], ['usage_used_up', 'reply']);
      await apply(app, remedyOf(check, 'raise_limit'));
      assert.equal((await mustSucceed(use(machine, 3, 'b'))).used, 52);
      const again = checkIn(await explain(app, asked), '/consume');
      await apply(app, remedyOf(again, 'adjust_usage'));
      assert.equal((await mustSucceed(use(machine, 3, 'd'))).remaining, 0);
      const unknown = checkIn(await explain(app, { ...asked, meter: 'unknown' }), '/consume');
      assert.deepEqual([unknown.outcome, unknown.remedies], ['meter_not_found', []]);
      // Without a meter in the request, that of the newest refusal is explained, else the one with the least left.
      const { machine: fresh } = await metered({ ...MONTHLY, saves: { limit: 0, period: 'none' } });
      const byItself = await explain(app, { licenseKey: fresh.licenseKey, machineFingerprint: 'machine-1' });
      assert.deepEqual(checkIn(byItself, '/consume').because?.meter, 'saves');
      const plain = await app.license();
      const { checks } = await explain(app, { licenseKey: plain });
      assert.ok(!checks.some(({ endpoint }: Fields) => endpoint === '/consume'), 'a license without meters');
    });

    it('are corrected by staff, never below 0', async () => {
      const { machine } = await metered(MONTHLY);
      const { licenseKey } = machine;
      await mustSucceed(use(machine, 20, 'a'));
      const adjust = (units: number, meter = 'exports') => app.admin('/adjustUsage', { licenseKey, meter, units });
      assert.equal((await mustSucceed(adjust(-5))).used, 15);
      assert.equal((await mustSucceed(adjust(-100))).used, 0);
      assert.equal((await mustSucceed(adjust(70))).remaining, 0);
      assert.deepEqual(await codeOf(adjust(1, 'unknown')), [404, 'meter_not_found']);
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
      const { type, before: was, after: is } = events[0];
      assert.deepEqual(
        [type, was, is],
        ['usage.adjusted', { meter: 'exports', used: 0 }, { meter: 'exports', used: 70 }],
      );
      const eve = await Creator.of(app);
      const foreign = await eve.send('/adjustUsage', { licenseKey, meter: 'exports', units: 1 });
      assert.equal(foreign.status, 404);
    });

    it('let exactly 50 of 200 units through that are asked for at once, and a request once', async () => {
      const { machine } = await metered({ exports: { limit: 50, period: 'none' } });
      const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => use(machine, 1, `r-${at}`)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 50);
      assert.equal(answers.filter(({ status }) => status === 403).length, 150);
      assert.equal((await mustSucceed(use(machine, 0))).used, 50);
      const { machine: other } = await metered({ exports: { limit: 50, period: 'none' } });
      const repeats = await Promise.all(Array.from({ length: 50 }, () => use(other, 3, 'one')));
      assert.deepEqual(new Set(repeats.map(({ body }) => body.used)), new Set([3]));
    });
  });

describe('meters on two nodes of one database', () => {
  it('let exactly 50 of 200 units through, and count a request once that both get', async (test) => {
    const nodes = await twoNodesFor(test);
    const [one] = nodes;
    await mustSucceed(one.admin('/createProduct', { name: 'Paint', slug: 'paint', creatorId: 'ada' }));
    const meters = { exports: { limit: 50, period: 'none' }, renders: { limit: 50, period: 'none' } };
    await mustSucceed(one.admin('/createVariant', { productId: 'paint', name: 'pro', meters }));
    const licenseKey = await one.license({ productId: 'paint', variant: 'pro' });
    const machine = await new Machine(one, licenseKey, 'machine-1', 'paint').activated();
    const on = (at: number) => nodes[at % 2] as TestApp;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) => use(machine, 1, `r-${at}`, 'exports', on(at))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 50);
    const repeats = await Promise.all(Array.from({ length: 20 }, (_, at) => use(machine, 3, 'one', 'renders', on(at))));
    assert.deepEqual(new Set(repeats.map(({ body }) => body.used)), new Set([3]));
  });
});
