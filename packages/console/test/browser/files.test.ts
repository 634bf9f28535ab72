/** Lists as CSV files: each list has one, with all its entries, and no entry becomes a formula. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../../server/test/support/app.ts';
import { operatorKey } from '../../../server/test/support/console.ts';
import { Machine } from '../../../server/test/support/machine.ts';
import { downloaded } from '../support/acts.ts';
import { busyFor, failing } from '../support/failing.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { creatorKey, mustSucceed, orderSeats } from '../support/success.ts';

/** More entries than a page of a list shows. */
const MANY = 60;
/** The beginning of names that a spreadsheet would run. */
const FORMULA = '=1+1 ';

/** Entries in every list. Returns the key of a license with machines, seats and a violation. */
async function fillLists(app: TestApp): Promise<string> {
  const admin = (path: string, fields: Readonly<Record<string, unknown>>) => mustSucceed(app.admin(path, fields));
  for (let number = 1; number <= MANY; number += 1) {
    await admin('/createProduct', { name: `${FORMULA}${number}`, slug: `product-${number}`, creatorId: 'ada' });
    await admin('/createDiscountCode', { code: `CODE${number}`, trialDays: 14, creatorId: 'ada' });
    await creatorKey(app, 'ada', `${FORMULA}${number}`);
    await orderSeats(app, { courseTitle: `${FORMULA}${number}` });
  }
  await admin('/createVariant', { productId: 'product-1', name: `${FORMULA}full` });
  await admin('/createDestination', { url: 'https://shop.example.com/latchkey', types: ['*'] });
  await operatorKey(app, 'support', `${FORMULA}Ada`);
  const order = { email: 'ada@example.com', productId: 'product-1', licenseType: 'floating', maxConcurrent: 2 };
  const licenseKey = await app.license(order);
  for (const name of ['one', 'two', 'three']) {
    const machine = new Machine(app, licenseKey, name);
    machine.productId = 'product-1';
    await machine.activate();
  }
  await admin('/revokeLicense', { licenseKey: await app.license({ productId: 'product-1' }), reason: 'fraud' });
  return licenseKey;
}

describeConsole('lists as files', (under) => {
  it('have all entries of each list, and make none of them a formula', async () => {
    const licenseKey = await fillLists(under.app);
    const page = await under.open({ at: '/licenses' });
    for (const [at, file, count, title] of [
      ['/licenses', 'licenses', 2, /^Key,E-mail,Product,Variant,/],
      ['/violations?state=all', 'violations', 1, /^id,type,/],
      ['/seats', 'seats', 2, /^licenseKey,email,productId,fingerprint,/],
      ['/products', 'products', MANY, /^productId,name,/],
      ['/products/product-1', 'variants-of-product-1', 1, /^variantId,|^name,|variantId/],
      ['/codes', 'trial-codes', MANY, /^code,/],
      ['/orders', 'orders', MANY, /^id,courseSlug,courseTitle,/],
      ['/destinations', 'destinations', 1, /^destinationId,/],
      ['/keys', 'api-keys', MANY, /^hash,name,creatorId,/],
      ['/keys?tab=people', 'operator-keys', 1, /name/],
      ['/system', 'console-sessions', 1, /^sessionId,/],
      [`/licenses/${licenseKey}?tab=machines`, `machines-of-${licenseKey}`, 2, /fingerprint/],
    ] as const) {
      await page.goto(`${under.origin}/console/#${at}`);
      // Otherwise the button of the list before could be pressed.
      await page.reload();
      const { name, lines } = await downloaded(page);
      assert.equal(name, `${file}.csv`);
      assert.match(lines[0] ?? '', title, at);
      assert.equal(lines.length, count + 1, `${at}: ${lines.slice(0, 3).join(' ')}`);
      assert.doesNotMatch(lines.join('\n'), /(?:^|,)"?=/m, at);
    }
    await page.goto(`${under.origin}/console/#/products`);
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    await inspect(page);
  });

  it('end after 10,000 entries, and say so', async () => {
    const page = await under.open({ at: '/products' });
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    let calls = 0;
    await page.route('**/listProducts', async (route) => {
      const { limit, cursor } = route.request().postDataJSON();
      assert.deepEqual([limit, cursor], [1000, calls === 0 ? undefined : `after ${calls}`]);
      calls += 1;
      const products = Array.from({ length: limit }, (_, index) => ({ productId: `${calls}-${index}` }));
      await route.fulfill({ json: { success: true, products, count: limit, nextCursor: `after ${calls}` } });
    });
    const { lines } = await downloaded(page);
    assert.deepEqual([lines.length, calls], [10_001, 10]);
    await page.getByText('The file holds the first 10,000.').waitFor();
  });

  it('are not made after a refusal, which is shown', async () => {
    const page = await under.open({ at: '/products', device: 'phone', scheme: 'dark' });
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    let isSaved = false;
    page.on('download', () => {
      isSaved = true;
    });
    await failing(page, '/listProducts', { as: busyFor(1) });
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await page.getByText('The service has too much to do at the moment.').first().waitFor();
    assert.equal(isSaved, false);
    await inspect(page);
  });
});
