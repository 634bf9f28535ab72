/** What sells: the figures of a period against the period before, their charts, and the licenses behind them. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openStorage } from '../../../server/src/storage/opening/open.ts';
import { countNow } from '../../../server/test/commerce/sales/shop.ts';
import { operatorKey } from '../../../server/test/support/console.ts';
import { plainStorage } from '../../../server/test/support/storages.ts';
import { downloaded } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { creatorKey, mustSucceed } from '../support/success.ts';

const DAY_MS = 86_400_000;
const NOTHING = 'Nothing was sold in this time.';

/** The tile of a figure, which the legends of charts are none of. */
const tile = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('paragraph').getByText(title, { exact: true }) });

describeConsole('a shop without sales', (under) => {
  for (const look of LOOKS)
    it(`says so (${look.device}, ${look.scheme})`, async () => {
      const page = await under.open({ ...look, at: '/sales' });
      await page.getByText(NOTHING).waitFor();
      await inspect(page);
    });
});

describeConsole('the sales of a shop', (under) => {
  let ada: string;
  before(async () => {
    const { app } = under;
    const report = (type: string, productId: string, purchaseId: string, more: object = {}) => {
      const email = `${purchaseId}@example.com`;
      return mustSucceed(app.webhook('/storefrontWebhook', { type, email, productId, purchaseId, ...more }));
    };
    const bought = (productId: string, purchaseId: string, variant: string, more: object = {}) =>
      report('purchase.completed', productId, purchaseId, { variant, ...more });
    await mustSucceed(app.admin('/createProduct', { name: 'Tapehead', slug: 'tapehead', creatorId: 'ada' }));
    await mustSucceed(app.admin('/createProduct', { name: 'Modula', slug: 'modula', creatorId: 'bo' }));
    await mustSucceed(app.admin('/createDiscountCode', { code: 'TRY', productId: 'tapehead', trialDays: 14 }));
    ada = await creatorKey(app, 'ada');
    for (const order of ['o-1', 'o-2']) await bought('tapehead', order, 'pro', { durationDays: 365 });
    app.clock.move(40 * DAY_MS);
    for (const email of ['o-5@example.com', 'never@example.com'])
      await mustSucceed(app.send('/redeemTrialCode', { code: 'TRY', productId: 'tapehead', email }));
    app.clock.move(2 * DAY_MS);
    for (const order of ['o-3', 'o-4', 'o-5']) await bought('tapehead', order, 'pro');
    await bought('modula', 'o-6', 'indie');
    await report('subscription.renewed', 'tapehead', 'o-1', { durationDays: 365 });
    await report('purchase.refunded', 'tapehead', 'o-4');
    await report('purchase.disputed', 'modula', 'o-6');
    await app.license({ productId: 'tapehead', variant: 'press' });
    const storage = plainStorage(await openStorage(app.database));
    await countNow(app, storage);
    await storage.close();
  });

  for (const look of LOOKS)
    it(`are shown in figures and charts, by product and variant (${look.device}, ${look.scheme})`, async () => {
      const page = await under.open({ ...look, at: '/sales' });
      for (const [title, ...texts] of [
        ['Bought', '4', '+100%, 2 in the 30 days before.', '1 more issued without a purchase.'],
        ['Renewed', '1', 'None in the 30 days before.'],
        ['Trials begun', '2'],
        ['Trials that were bought', '1', '50% of the trials begun.'],
        ['Money went back', '2', '1 refund. 1 chargeback. 50% of the licenses bought.'],
      ] as const)
        for (const text of texts) await tile(page, title).getByText(text).first().waitFor();
      for (const title of ['New and renewed licenses', 'Money went back', 'Trials'])
        await page.getByRole('figure', { name: title, exact: true }).waitFor();
      const table = page.getByRole('table', { name: 'Sales by product and variant, 30 days' });
      await hasCount(table.getByRole('row'), 1 + 4);
      await table.getByRole('row', { name: /^Tapehead pro 3 \+50%/ }).waitFor();
      await inspect(page);
    });

  it('lead to the licenses of a variant, and to the changes of a day', async () => {
    const page = await under.open({ at: '/' });
    await page.getByRole('link', { name: 'Sales', exact: true }).click();
    await page.getByRole('link', { name: 'Tapehead pro' }).click();
    await page.waitForURL((url) => url.hash === '#/licenses?product=tapehead&variant=pro');
    await page.getByText('o-5@example.com').waitFor();
    await page.goBack();
    const chart = page.getByRole('figure', { name: 'New and renewed licenses' });
    await chart.getByText('Show as table').click();
    await chart.getByRole('link', { name: /so far$/ }).click();
    await page.waitForURL((url) => url.hash.startsWith('#/activity?kind=license.created&days='));
  });

  it('follow the time and the product, and are a file', async () => {
    const page = await under.open({ at: '/sales' });
    for (const [title, bought] of [
      ['7 days', '4'],
      ['1 year', '6'],
      ['3 years', '6'],
    ] as const) {
      await page.getByRole('button', { name: title }).click();
      await tile(page, 'Bought').getByText(bought, { exact: true }).waitFor();
    }
    await inspect(page);
    await page.getByLabel('Product').selectOption('Modula');
    await tile(page, 'Bought').getByText('1', { exact: true }).waitFor();
    assert.match(page.url(), /product=modula/);
    const { name, lines } = await downloaded(page);
    assert.equal(name, 'sales.csv');
    assert.match(lines[0] ?? '', /^productId,product,variant,issued,purchased,renewed,/);
    assert.match(lines[1] ?? '', /^modula,Modula,indie,1,1,0,0,0,1,/);
    assert.equal(lines.length, 2);
  });

  it('are seen by a viewer, and by a creator the own ones alone', async () => {
    const viewer = await under.open({ secret: await operatorKey(under.app, 'viewer'), at: '/sales' });
    await tile(viewer, 'Bought').getByText('4', { exact: true }).waitFor();
    const creator = await under.open({ secret: ada, at: '/sales' });
    await tile(creator, 'Bought').getByText('3', { exact: true }).waitFor();
    await hasCount(creator.getByText('Modula'), 0);
    await inspect(creator);
  });
});
