/** The list of customers, and the searches that lead to one of them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';

describeConsole('the customers', (under) => {
  /** Searches as a person types, and opens the first hit. */
  async function searchFor(page: Page, text: string, group: string) {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search' }).fill(text);
    await page.getByRole('group', { name: group }).getByRole('option').first().waitFor();
    await inspect(page);
    await page.keyboard.press('Enter');
  }

  it('are listed by address, found by its beginning and by product, and lead to their pages', async () => {
    for (const email of ['Ada.Lovelace@studio.example', 'ada.lovelace@studio.example', 'bo@studio.example'])
      await under.app.license({ email, productId: 'tapehead' });
    await under.app.license({ email: 'cy@other.example', productId: 'other-app' });
    const page = await under.open({ at: '/' });
    await page.getByRole('link', { name: 'Customers', exact: true }).click();
    await hasCount(page.getByRole('row'), 4);
    await page.getByRole('cell', { name: '2 licenses' }).waitFor();
    await inspect(page);
    await page.getByLabel('Address begins with').fill('ADA.');
    await page.keyboard.press('Enter');
    await hasCount(page.getByRole('row'), 2);
    assert.match(page.url(), /address=ADA\./);
    await page.getByLabel('Address begins with').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No customer fits.').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Show all customers' }).click();
    await hasCount(page.getByRole('row'), 4);
    await page.getByRole('cell', { name: 'ada.lovelace@studio.example' }).click();
    await page.getByRole('heading', { name: /ada\.lovelace@studio\.example/ }).waitFor();
    await page.getByRole('link', { name: 'Customers', exact: true }).first().click();
    await page.waitForURL((url) => url.hash.startsWith('#/customers'));
  });

  it('are found by last name, by domain, by the end of a key, and by the number of an order', async () => {
    const key = await under.app.license({
      email: 'grace.hopper@navy.example',
      productId: 'tapehead',
      purchaseId: 'ORD-70931',
    });
    const page = await under.open({ at: '/customers' });
    const [, , , fourth, last] = key.split('-');
    const isOpen = () => page.waitForURL((url) => url.hash.startsWith(`#/licenses/${key}`));
    for (const [text, group] of [
      ['hopper', 'Licenses'],
      ['navy.example', 'Licenses'],
      [`${fourth} ${last}`, 'Licenses'],
      ['70931', 'Purchases'],
    ] as const) {
      await searchFor(page, text, group);
      await isOpen();
      await page.goto(`${under.origin}/console/#/customers`);
      await page.getByRole('heading', { name: 'Customers' }).waitFor();
    }
  });
});
