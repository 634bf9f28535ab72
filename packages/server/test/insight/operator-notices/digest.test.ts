/** The digest of each week: once, whoever sends it and whenever a node is there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addSaleCounts, type SaleCount } from '../../../src/commerce/sales/sale-count-store.ts';
import type { SaleMetric } from '../../../src/commerce/sales/sale-metric.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { dueWeek, latestWeek, weekText } from '../../../src/insight/operator-notices/digest-week.ts';
import { NOTICE_KINDS } from '../../../src/insight/operator-notices/notice-kinds.ts';
import { SHOP_SETTINGS } from '../../commerce/connectors/shop.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { execute, rowsOf } from '../../support/own-connection.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { standingAt } from '../../support/tidy.ts';
import { tell } from './telling.ts';

const at = (text: string) => Date.parse(text);

describe('the week of a digest', () => {
  it('ends on the last Monday, and is told of from 08:00 UTC on', () => {
    const monday = at('2026-11-30T00:00:00.000Z');
    assert.deepEqual(latestWeek(monday + 8 * HOUR_MS), { from: monday - 7 * DAY_MS, to: monday });
    assert.equal(latestWeek(monday + 8 * HOUR_MS - 1).to, monday - 7 * DAY_MS);
    assert.equal(latestWeek(monday + 6 * DAY_MS).to, monday);
  });

  it('is due once, also if the service was away on Monday or for weeks', () => {
    const told = at('2026-11-23T08:02:00.000Z');
    const due = (moment: string) => dueWeek(told, at(moment));
    assert.equal(due('2026-11-30T07:59:59.000Z'), null);
    for (const moment of ['2026-11-30T08:00:00.000Z', '2026-11-30T21:00:00.000Z', '2026-12-03T10:00:00.000Z'])
      assert.equal(due(moment)?.to, at('2026-11-30T00:00:00.000Z'), moment);
    assert.equal(due('2026-12-22T10:00:00.000Z')?.to, at('2026-12-21T00:00:00.000Z'));
    assert.equal(dueWeek(at('2026-11-30T08:00:00.000Z'), at('2026-12-07T07:59:00.000Z')), null);
  });

  it('is named by its days', () => {
    const text = (moment: string) => weekText(latestWeek(at(moment)));
    assert.equal(text('2026-11-30T08:00:00.000Z'), '23 November to 29 November 2026');
    assert.equal(text('2027-01-04T08:00:00.000Z'), '28 December 2026 to 3 January 2027');
  });
});

for (const engine of engines)
  describe(`the digest on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine, SHOP_SETTINGS);
    /** Runs the job at a moment. */
    const tellAt = async (moment: string, kinds = NOTICE_KINDS) => {
      app.clock.move(at(moment) - app.clock.now());
      return tell(storage, standingAt(app.clock.now()), { kinds });
    };
    const digests = async () =>
      (
        await rowsOf<{ to_address: string; data: string }>(
          app.database,
          "select to_address, data from mail where kind = 'operator_digest' order by mail_id",
        )
      ).map(({ to_address: to, data }) => {
        const { subject, paragraphs } = JSON.parse(data);
        return { to, subject, text: JSON.parse(paragraphs).join('\n\n') };
      });

    it('comes on Mondays, once on several nodes and over restarts, and not for a week before its first look', async () => {
      assert.equal(await tellAt('2027-03-04T10:00:00.000Z'), 0);
      assert.equal(await tellAt('2027-03-08T07:55:00.000Z'), 0);
      const monday = '2027-03-08T08:00:00.000Z';
      const counts = await Promise.all([tellAt(monday), tellAt(monday)]);
      assert.deepEqual(counts.toSorted(), [0, 1]);
      for (const later of ['2027-03-08T08:05:00.000Z', '2027-03-14T23:00:00.000Z', '2027-03-15T07:59:00.000Z'])
        assert.equal(await tellAt(later), 0, later);
      assert.equal(await tellAt('2027-03-15T17:00:00.000Z'), 1, 'the node was away in the morning');
      assert.deepEqual(
        (await digests()).map(({ to, subject }) => [to, subject]),
        [
          ['ops@example.com', 'Latchkey staging: The week from 1 March to 7 March 2027'],
          ['ops@example.com', 'Latchkey staging: The week from 8 March to 14 March 2027'],
        ],
      );
    });

    it('does not come unless it is asked for', async () => {
      assert.equal(await tellAt('2027-03-22T09:00:00.000Z', ['mails_failed'] as never), 0);
      assert.equal(await tellAt('2027-03-22T09:05:00.000Z'), 1);
    });

    it('tells of conditions, violations, licenses that expire and full licenses, without keys and addresses', async () => {
      await tellAt('2027-03-29T07:00:00.000Z');
      await mustSucceed(app.admin('/createProduct', { name: 'Brush', slug: 'app', creatorId: 'shop' }));
      const soon = { productId: 'app', email: 'ada@shop.example', expiresAt: app.clock.at(3 * DAY_MS) };
      const licenseKey = await app.license({ ...soon, maxMachines: 1 });
      await new Machine(app, licenseKey, 'one').activated();
      const beyond = await new Machine(app, licenseKey, 'two').activate();
      assert.equal(beyond.status, 403);
      const url = 'https://hooks.example.com/';
      await mustSucceed(app.admin('/createDestination', { url, types: ['*'], creatorId: 'shop' }));
      await execute(app.database, "update destination set state = 'disabled'");
      await tellAt('2027-03-29T08:00:00.000Z');
      const { text } = (await digests()).at(-1) ?? assert.fail();
      const [five, , , , last] = licenseKey.split('-');
      assert.ok(text.includes('Needs somebody:\n- 1 destination of creators gets no events'), text);
      assert.match(
        text,
        /\n\n1 open violation: 1 of severity \d\.\nhttps:\/\/licenses\.example\.com\/console\/#\/violations\n/,
      );
      assert.ok(text.includes('\n\n1 license expires within 7 days.\n'), text);
      assert.ok(text.includes(`\n\nFullest licenses:\n- ${five}…${last} of Brush: 1 of 1`), text);
      assert.ok(!text.includes(licenseKey) && !text.includes('ada@shop.example'), text);
    });

    it('tells of the sales of its week beside those of the week before, in all and by product', async () => {
      const sold = (date: string, productId: string, metric: SaleMetric, value: number): SaleCount => ({
        ...{ productId, variant: 'pro', day: `${date}T00:00:00.000Z`, metric, value },
      });
      await storage.transaction((tx) =>
        addSaleCounts(tx, [
          sold('2027-05-09', 'app', 'purchased', 7_000),
          sold('2027-05-10', 'app', 'purchased', 8),
          sold('2027-05-17', 'app', 'purchased', 9),
          sold('2027-05-23', 'paint', 'purchased', 1),
          sold('2027-05-23', 'app', 'issued', 4),
          sold('2027-05-16', 'app', 'refunded', 2),
          sold('2027-05-24', 'app', 'purchased', 7_000),
        ]),
      );
      await tellAt('2027-05-24T07:00:00.000Z');
      await tellAt('2027-05-24T08:00:00.000Z');
      const { subject, text } = (await digests()).at(-1) ?? assert.fail();
      assert.equal(subject, 'Latchkey staging: The week from 17 May to 23 May 2027');
      const [all, products] = text.split('\n\n');
      assert.equal(
        all,
        [
          'Licenses, and those of the week before in brackets:',
          '- bought: 10 (8, +25 %)',
          '- issued in all: 4 (0)',
          '- refunded: 0 (2, −100 %)',
        ].join('\n'),
      );
      assert.equal(products, 'By product:\n- Brush: 9 bought, 4 issued in all\n- paint: 1 bought');
    });

    it('goes on after a clock that was ahead', async () => {
      await tellAt('2029-01-01T09:00:00.000Z');
      assert.equal(await tellAt('2027-04-05T09:00:00.000Z'), 0);
      app.clock.move(MINUTE_MS);
      assert.equal(await tellAt('2027-04-12T09:00:00.000Z'), 1);
    });
  });
