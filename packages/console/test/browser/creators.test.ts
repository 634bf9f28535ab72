/** Creators are picked among those that are known, wherever one is typed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

/** The choices of a field. They are read when it has the focus. */
async function choicesOf(page: Page, field: Locator, expected: number): Promise<readonly string[]> {
  await field.focus();
  const id = await field.getAttribute('list');
  const options = page.locator(`datalist[id="${id}"] option`);
  await options.nth(expected - 1).waitFor({ state: 'attached' });
  return options.evaluateAll((all) => all.map((option) => (option as HTMLOptionElement).value));
}

/** Opens a screen from another one, which stays until the new one is loaded and may have a field of the same name. */
async function go(page: Page, address: string, title: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

describeConsole('creators', (under) => {
  it('are known by their products, keys, codes and orders, in each form and filter', async () => {
    const { app } = under;
    await mustSucceed(app.admin('/createProduct', { name: 'Reverb', slug: 'reverb', creatorId: 'lumen' }));
    await mustSucceed(app.admin('/createApiKey', { name: 'Build server', creatorId: 'ada' }));
    await mustSucceed(app.admin('/createDiscountCode', { code: 'SPRING', trialDays: 14, creatorId: 'nova' }));
    const known = ['ada', 'lumen', 'nova'];
    for (const look of LOOKS) {
      const page = await under.open({ ...look, at: '/products' });
      for (const [at, title] of [
        ['/products', 'Products'],
        ['/codes', 'Trial codes'],
        ['/destinations', 'Destinations'],
        ['/orders', 'Orders'],
        ['/keys', 'Keys'],
        ['/brand', 'Brand'],
      ] as const) {
        await go(page, `${under.origin}/console/#${at}`, title);
        if (look.device === 'phone') await page.getByRole('button', { name: 'Filters', exact: true }).click();
        assert.deepEqual(await choicesOf(page, page.getByLabel('Creator', { exact: true }), 3), known, at);
      }
      for (const [at, title, button] of [
        ['/products', 'Products', 'New product'],
        ['/codes', 'Trial codes', 'New code'],
        ['/destinations', 'Destinations', 'New destination'],
        ['/keys', 'Keys', 'New API key'],
      ] as const) {
        await go(page, `${under.origin}/console/#${at}`, title);
        await page.getByRole('button', { name: button }).first().click();
        const field = page.getByRole('dialog').getByLabel('Creator', { exact: true });
        assert.deepEqual(await choicesOf(page, field, 3), known, `${button}`);
        await inspect(page);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    }
  });

  it('may be new, and are among the known ones from then on', async () => {
    const page = await under.open({ at: '/products' });
    await page.getByRole('button', { name: 'New product' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Delay');
    // A mistyped name makes nobody: the form waits for a tick.
    await dialog.getByLabel('Creator', { exact: true }).fill('lumem');
    await dialog.getByText('Nothing belongs to lumem yet.').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Create product' }).isDisabled());
    await inspect(page);
    await dialog.getByLabel('Creator', { exact: true }).fill('studio-north');
    await dialog.getByText('Nothing belongs to studio-north yet.').waitFor();
    assert.equal(await dialog.getByLabel('New creator').isChecked(), false);
    await dialog.getByLabel('New creator').check();
    await dialog.getByRole('button', { name: 'Create product' }).click();
    await page.getByRole('heading', { name: 'Delay', exact: true }).waitFor();
    const { products } = await mustSucceed(under.app.admin('/listProducts', { productId: 'delay' }));
    assert.equal(products[0].creatorId, 'studio-north');
    await go(page, `${under.origin}/console/#/products`, 'Products');
    const choices = await choicesOf(page, page.getByLabel('Creator', { exact: true }), 4);
    assert.deepEqual(choices, ['ada', 'lumen', 'nova', 'studio-north']);
  });

  it('are found by their beginning where there are more than one reply holds', async () => {
    const page = await under.open({ at: '/products' });
    await page.route('**/listCreators', async (route) => {
      const { beginning } = route.request().postDataJSON();
      const creators = beginning === undefined ? ['ada'] : [`${beginning} of many`];
      await route.fulfill({ json: { success: true, creators, count: 1, nextCursor: 'more' } });
    });
    await page.getByRole('button', { name: 'New product' }).first().click();
    const field = page.getByRole('dialog').getByLabel('Creator', { exact: true });
    await field.fill('');
    assert.deepEqual(await choicesOf(page, field, 1), ['ada']);
    await field.fill('ze');
    await page.locator('datalist option[value="ze of many"]').waitFor({ state: 'attached' });
  });
});
