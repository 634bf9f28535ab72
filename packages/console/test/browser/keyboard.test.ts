/** The console without a mouse: actions on the selection, and the way back. The focus is never lost. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { hasCount } from '../support/count.ts';
import { gateBefore } from '../support/gate.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

describeConsole('the keyboard', (under) => {
  before(async () => {
    await mustSucceed(under.app.admin('/createProduct', { name: 'Tapehead', slug: 'tapehead', creatorId: 'studio' }));
    for (const name of ['ada', 'bob', 'cleo']) {
      await under.app.license({ email: `${name}@example.com`, productId: 'tapehead' });
      // Lists are ordered newest first.
      under.app.clock.move(1_000);
    }
    const revoked = await under.app.license({ email: 'dora@example.com', productId: 'tapehead' });
    await mustSucceed(under.app.admin('/revokeLicense', { licenseKey: revoked, reason: 'fraud' }));
  });

  it('goes back from a license to its row in the list that it was opened from', async () => {
    const page = await under.open({ at: '/licenses?status=active' });
    await page.getByText('bob@example.com').waitFor();
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Extend' }).waitFor();
    await page.keyboard.press('t');
    await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
    assert.match(page.url(), /#\/licenses\?status=active$/);
    await page
      .getByRole('row')
      .filter({ has: page.locator('a:focus') })
      .getByText('bob@example.com')
      .waitFor();
    await inspect(page);
    await page.keyboard.press('j');
    assert.match(await focusedRow(page), /ada@example\.com/);
  });

  it('goes up a level if there is no list to return to, and stays at the top', async () => {
    const { body } = await under.app.admin('/listLicenses', { email: 'ada@example.com' });
    const page = await under.open({ at: `/licenses/${body.licenses[0].key}` });
    await page.getByRole('button', { name: 'Extend' }).waitFor();
    await page.goto('about:blank');
    await page.goto(`${under.origin}/console/#/licenses/${body.licenses[0].key}`);
    await page.getByRole('button', { name: 'Extend' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('ada@example.com').waitFor();
    assert.match(page.url(), /#\/licenses$/);
  });

  it('leaves the focus to an open search when a screen arrives late', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByText('ada@example.com').waitFor();
    const search = page.getByRole('combobox', { name: 'Search' });
    // The search is a file, too.
    await page.getByRole('button', { name: 'Search' }).click();
    await search.press('Escape');
    await search.waitFor({ state: 'hidden' });
    const files = await gateBefore(page, '**/console/assets/**');
    await page.getByRole('navigation').getByRole('link', { name: 'E-mails' }).click();
    await files.reached;
    await page.getByRole('button', { name: 'Search' }).click();
    await search.fill('bob@example.com');
    // The dialog takes a lost focus back, but keys pressed until then would be lost.
    const losses = await page.evaluateHandle(() => {
      const lost: (string | null)[] = [];
      document.addEventListener('focusin', ({ target }) => lost.push((target as Element).textContent));
      return lost;
    });
    files.open();
    await page.locator('h1', { hasText: 'E-mails' }).waitFor({ state: 'attached' });
    await search.press('End');
    assert.deepEqual(await losses.jsonValue(), []);
  });

  it('leaves Escape to dialogs, menus and fields', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByText('ada@example.com').waitFor();
    for (const key of ['j', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Extend' }).waitFor();
    const address = page.url();
    await page.keyboard.press('e');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('.');
    await page.getByRole('menu').waitFor();
    await inspect(page);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'More');
    await page.keyboard.press('t');
    await page.getByLabel('Note').focus();
    await page.keyboard.press('Escape');
    assert.equal(page.url().split('?')[0], address);
    assert.equal(await page.getByLabel('Note').evaluate((field) => field === document.activeElement), true);
  });

  it('opens the menu of a row by a dot, and that of the page on the page of one thing', async () => {
    const page = await under.open({ at: '/violations' });
    await page.getByRole('link', { name: 'Fraud' }).waitFor();
    for (const key of ['j', '.']) await page.keyboard.press(key);
    const entry = page.getByRole('menuitem', { name: 'Open license' });
    await entry.waitFor();
    await page.keyboard.press('Escape');
    await entry.waitFor({ state: 'detached' });
    await page.keyboard.press('k');
    assert.equal(await focused(page), 'Fraud');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Extend' }).waitFor();
    await page.keyboard.press('.');
    await page.getByRole('menuitem', { name: 'Change e-mail address' }).waitFor();
  });

  it('selects a row by a dot, moves to its actions, and back when no row is selected', async () => {
    const page = await under.open({ at: '/licenses?status=active' });
    await page.getByText('cleo@example.com').waitFor();
    for (const key of ['j', 'j', '.']) await page.keyboard.press(key);
    const bar = page.getByRole('region', { name: 'Selected licenses' });
    await bar.getByText('1 license selected').waitFor();
    await page.locator(':focus', { hasText: 'Extend' }).waitFor();
    await inspect(page);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Extend 1 license' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator(':focus', { hasText: 'Extend' }).waitFor();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    assert.match(await focusedRow(page), /bob@example\.com/);
  });

  it('lists both keys, and switches the dot off with the other single keys, but not Escape', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByText('ada@example.com').waitFor();
    for (const key of ['j', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Extend' }).waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Actions for the selection').waitFor();
    await help.getByText('Back to the list').waitFor();
    await help.getByLabel('Single-key shortcuts are on').uncheck();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('.');
    await hasCount(page.getByRole('menu'), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
  });

  it('shows the request id of each change, which leads to its changes', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByText('ada@example.com').waitFor();
    for (const key of ['j', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Extend' }).waitFor();
    const answer = page.waitForResponse('**/reinstateLicense');
    await page.getByRole('button', { name: 'Reinstate' }).first().press('Enter');
    const dialog = page.getByRole('dialog');
    // A dialog takes the focus just after it opens, which could be between the focus of the button and the key.
    await dialog.and(page.locator(':focus-within')).waitFor();
    await dialog.getByRole('button', { name: 'Reinstate' }).press('Enter');
    const requestId = (await answer).headers()['x-request-id']!;
    const news = page.getByRole('region', { name: 'News' });
    await news.getByText(requestId).waitFor();
    await inspect(page);
    await news.getByRole('button', { name: 'Copy the number of the request' }).press('Enter');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), requestId);
    await news.getByRole('link', { name: 'Request' }).press('Enter');
    await page.getByRole('heading', { name: 'Activity', exact: true }).waitFor();
    await page.getByRole('main').getByText('A license was reinstated.').waitFor();
    assert.equal(await page.getByLabel('Request id').inputValue(), requestId);
  });
});

/** The text of the focused element. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => (document.activeElement as HTMLElement).innerText.trim());
}

/** The text of the focused row. */
function focusedRow(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement!.closest<HTMLElement>('[data-key]')?.innerText ?? 'no row');
}
