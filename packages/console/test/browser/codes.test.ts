/** Trial codes: created, given away, redeemed, switched off and deleted. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { choose, dialog, downloaded } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { creatorKey } from '../support/success.ts';

describeConsole('trial codes', (under) => {
  async function product(slug: string): Promise<void> {
    await under.app.admin('/createProduct', { name: `Product ${slug}`, slug, creatorId: 'ada' });
  }

  const code = (name: string, fields: object = {}) =>
    under.app.admin('/createDiscountCode', { code: name, trialDays: 14, ...fields });

  it('show who redeemed them, each with the license that it gave', async () => {
    await product('tape');
    const page = await under.open({ at: '/codes' });
    await page.getByText('No codes yet').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'New code' }).first().click();
    await dialog(page).getByLabel('Code', { exact: true }).fill('SPRING');
    await dialog(page).getByLabel('Product').selectOption('Product tape');
    await dialog(page).getByLabel('Trial').fill('30');
    await dialog(page).getByLabel('Uses').fill('2');
    await inspect(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'SPRING' }).waitFor();
    await page.getByText('Nobody has redeemed it yet').waitFor();
    await inspect(page);
    for (const email of ['grace@example.com', 'lin@example.com']) {
      await under.move(60_000);
      const answer = await under.app.admin('/redeemTrialCode', { code: 'SPRING', email, productId: 'tape' });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
    await page.reload();
    await page.getByText('Used up').waitFor();
    await page.getByText('2 of 2').waitFor();
    const rows = page.getByRole('table', { name: 'Customers who redeemed SPRING' }).getByRole('row');
    await rows.nth(2).getByRole('link').waitFor();
    assert.match(await rows.nth(1).innerText(), /^lin@example\.com/);
    await inspect(page);
    const { lines } = await downloaded(page);
    const { body } = await under.app.admin('/listRedemptions', { code: 'SPRING' });
    assert.deepEqual(lines, [
      'customer,license,redeemed at',
      ...body.redemptions.map((each: Record<string, string>) => `${each.email},${each.licenseKey},${each.redeemedAt}`),
    ]);
    await page.getByRole('link', { name: 'lin@example.com' }).click();
    await page.waitForURL((url) => url.hash === `#/licenses/${body.redemptions[0].licenseKey}`);
  });

  it('are switched off in the list, and on again by "Undo"', async () => {
    await code('REVIEWER');
    const page = await under.open({ at: '/codes' });
    const row = page.getByRole('row').filter({ hasText: 'REVIEWER' });
    await row.getByText('Works').waitFor();
    await choose(page, 'Actions of REVIEWER', 'Switch off');
    await row.getByText('Switched off').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.getByText('Works').waitFor();
  });

  it('that are switched off at the same time each have their "Undo"', async () => {
    const names = ['EARLY', 'LATE'];
    for (const name of names) await code(name);
    const page = await under.open({ at: '/codes' });
    const bothAreAsked = Promise.withResolvers<void>();
    let asked = 0;
    await page.route('**/updateDiscountCode', async (route) => {
      asked += 1;
      if (asked === names.length) bothAreAsked.resolve();
      await bothAreAsked.promise;
      await route.continue();
    });
    for (const name of names) {
      await choose(page, `Actions of ${name}`, 'Switch off');
    }
    for (const name of names) await page.getByText(`${name} is switched off.`).waitFor();
    await hasCount(page.getByRole('button', { name: 'Undo' }), names.length);
  });

  it('are changed and deleted on their page', async () => {
    await code('FAIR', { maxUses: 5 });
    const page = await under.open({ at: '/codes/fair', device: 'phone', scheme: 'dark' });
    await page.getByRole('heading', { name: 'FAIR' }).waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog(page).getByLabel('Uses').fill('');
    await dialog(page).getByLabel('Last day').fill('2031-12-31');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('0, no limit').waitFor();
    await page.getByText('31 Dec 2031').waitFor();
    // A moment after it has closed, a dialog returns the focus to its button, which closes a menu opened meanwhile.
    await dialog(page).waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'Change' }).waitFor();
    await choose(page, 'More', 'Delete');
    await dialog(page).getByText('"Undo" creates it again.').waitFor();
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('FAIR was deleted.').waitFor();
    await page.getByRole('heading', { name: 'Trial codes' }).waitFor();
    assert.deepEqual((await under.app.admin('/listDiscountCodes', { code: 'FAIR' })).body.codes, []);
    await page.goto(`${under.origin}/console/#/codes/FAIR`);
    await page.getByText('There is no such code.').waitFor();
    await inspect(page);
  });

  it('of no product are made many at once for the creator to whom they belong', async () => {
    const page = await under.open({ at: '/codes', device: 'phone' });
    await page.getByRole('button', { name: 'Many codes' }).first().click();
    await dialog(page).getByLabel('How many').fill('3');
    await dialog(page).getByLabel('They begin with').fill('OWNED');
    await dialog(page).getByLabel('Creator', { exact: true }).fill('eve');
    await dialog(page).getByLabel('New creator').check();
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Create 3 codes' }).click();
    await dialog(page).getByText('3 of 3 are created.').waitFor();
    for (const line of (await downloaded(page)).lines.slice(1)) assert.match(line, /^OWNED-\w{5}-\w{5},,eve,14,1,$/);
    const { body } = await under.app.admin('/listDiscountCodes', { creatorId: 'eve' });
    const made: readonly { readonly code: string; readonly productId: string | null }[] = body.codes;
    assert.equal(made.length, 3);
    for (const { code: name, productId } of made) assert.ok(name.startsWith('OWNED-') && productId === null, name);
  });

  it('are made by a creator for the creator alone, and for a product by its owner: nobody is asked whose they are', async () => {
    await product('owned');
    const page = await under.open({ secret: await creatorKey(under.app, 'ada'), at: '/codes' });
    await page.getByRole('button', { name: 'Many codes' }).first().click();
    await dialog(page).getByLabel('How many').waitFor();
    assert.equal(await dialog(page).getByLabel('Creator').count(), 0);
    const owner = await under.open({ at: '/codes' });
    await owner.getByRole('button', { name: 'Many codes' }).first().click();
    await dialog(owner).getByLabel('Creator', { exact: true }).fill('eve');
    await dialog(owner).getByLabel('Product').selectOption('owned');
    await dialog(owner).getByLabel('Creator', { exact: true }).waitFor({ state: 'detached' });
  });

  it('are made thirty at once, and handed over as CSV', async () => {
    await product('many');
    const page = await under.open({ at: '/codes?product=many' });
    await page.getByRole('button', { name: 'Many codes' }).first().click();
    await dialog(page).getByLabel('How many').fill('30');
    await dialog(page).getByLabel('They begin with').fill('GIFT');
    assert.equal(await dialog(page).getByLabel('Product').inputValue(), 'many', 'the filter chose the product');
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Create 30 codes' }).click();
    await dialog(page).getByText('30 of 30 are created.').waitFor();
    await inspect(page);
    const lines = (await downloaded(page)).lines.slice(1);
    const { body } = await under.app.admin('/listDiscountCodes', { productId: 'many', limit: 100 });
    assert.deepEqual(
      lines.map((line) => line.split(',')[0]).sort(),
      body.codes.map((each: { code: string }) => each.code).sort(),
    );
    assert.equal(lines.length, 30);
    for (const line of lines) assert.match(line, /^GIFT-\w{5}-\w{5},many,,14,1,$/);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('link', { name: /^GIFT-/ })
      .first()
      .waitFor();
  });

  it('say so when a name is taken', async () => {
    await code('TWICE');
    const page = await under.open({ at: '/codes' });
    await page.getByRole('button', { name: 'New code' }).first().click();
    await dialog(page).getByLabel('Code', { exact: true }).fill('twice');
    await dialog(page).getByRole('button', { name: 'Create code' }).click();
    await dialog(page).getByRole('alert').getByText('This code exists already.').waitFor();
  });
});
