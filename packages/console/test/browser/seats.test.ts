/** The board of live seats: their holders, and how seats become free by time or by hand. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { operatorKey } from '../../../server/test/support/console.ts';
import { Machine } from '../../../server/test/support/machine.ts';
import { choose } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

const MINUTE_MS = 60_000;
/** The interval of the board's reads. It also reads when the tab becomes visible again. */
const RENEWED_MS = 10_000;
const comeBack = (page: Page) =>
  page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));

describeConsole('the board of seats', (under) => {
  for (const look of LOOKS)
    it(`says that nobody holds a seat (${look.device}, ${look.scheme})`, async () => {
      const page = await under.open({ ...look, at: '/seats' });
      await page.getByText('Nobody holds a seat at this moment.').waitFor();
      await inspect(page);
    });

  for (const look of LOOKS)
    it(`shows who holds seats, frees one, and moves with the clock (${look.device}, ${look.scheme})`, async () => {
      const { app } = under;
      const email = `studio-${look.device}@example.com`;
      const licenseKey = await app.license({ email, licenseType: 'floating', maxConcurrent: 2, maxMachines: 5 });
      const [one, two, three] = ['one', 'two', 'three'].map((name) => new Machine(app, licenseKey, name));
      await mustSucceed(one!.activate());
      await mustSucceed(two!.activate());
      await mustSucceed(three!.activate(), 403);
      const page = await under.open({ ...look, at: `/seats?license=${licenseKey}` });
      const pool = page.getByRole('region', { name: `Seats of ${email}` });
      await pool.getByText('All 2 seats are in use.').waitFor();
      await inspect(page);

      await pool.getByRole('button', { name: 'Actions of host of one' }).click();
      await inspect(page);
      await page.getByRole('menuitem', { name: 'End session' }).click();
      const dialog = page.getByRole('dialog', { name: 'End the session of host of one?' });
      await dialog.getByText('Its seat is free at once.').waitFor();
      await inspect(page);
      await dialog.getByRole('button', { name: 'End session' }).click();
      await pool.getByText('1 of 2 seats is in use.').waitFor();
      await page.getByText('The seat of host of one on license ').waitFor();
      await hasCount(pool.getByText('host of one'), 0);

      await mustSucceed(three!.activate());
      if (look.device === 'phone') {
        await under.move(MINUTE_MS);
        await comeBack(page);
      } else {
        await under.pass(RENEWED_MS);
      }
      await pool.getByText('host of three').waitFor();
      await pool.getByText('All 2 seats are in use.').waitFor();

      await choose(page, 'Actions of host of three', 'Remove machine');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove machine' }).click();
      await pool.getByText('1 of 2 seats is in use.').waitFor();
      await mustSucceed(three!.validate(), 403);

      await under.move(20 * MINUTE_MS);
      await comeBack(page);
      await page.getByText('No license in use fits.').waitFor();
      await inspect(page);
    });

  it('shows a viewer who holds seats, and nothing to free them with', async () => {
    const { app } = under;
    const licenseKey = await app.license({ email: 'seen@example.com', licenseType: 'floating', maxConcurrent: 1 });
    await mustSucceed(new Machine(app, licenseKey, 'seen').activate());
    const page = await under.open({ secret: await operatorKey(app, 'viewer'), at: `/seats?license=${licenseKey}` });
    await page.getByText('host of seen').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Actions of/ }).count(), 0);
    await inspect(page);
  });

  it('shows those that are full, and further machines when they are asked for', async () => {
    const { app } = under;
    const crowd = await app.license({
      email: 'crowd@example.com',
      licenseType: 'floating',
      maxConcurrent: 30,
      maxMachines: 30,
    });
    // More than the limit of 15 activations within an hour, which is therefore lifted in between.
    for (let name = 0; name < 24; name += 1) {
      if (name === 14) await mustSucceed(app.admin('/liftActivationLimit', { licenseKey: crowd }));
      await mustSucceed(new Machine(app, crowd, `crowd-${String(name).padStart(2, '0')}`).activate());
    }
    const full = await app.license({ email: 'full@example.com', licenseType: 'floating', maxConcurrent: 1 });
    await mustSucceed(new Machine(app, full, 'alone').activate());
    const page = await under.open({ at: '/seats' });
    const pool = page.getByRole('region', { name: 'Seats of crowd@example.com' });
    await pool.getByText('24 of 30 seats are in use.').waitFor();
    await hasCount(pool.getByText(/^host of crowd/), 20);
    await pool.getByRole('button', { name: 'Show more machines' }).click();
    await pool.getByText('host of crowd-23').waitFor();
    await hasCount(pool.getByText(/^host of crowd/), 24);
    // Where a page is scrolled to, the header may cover half a button.
    await page.evaluate(() => scrollTo(0, 0));
    await inspect(page);
    await page.getByLabel('How full').selectOption({ label: 'Full' });
    await pool.waitFor({ state: 'detached' });
    await page
      .getByRole('region', { name: 'Seats of full@example.com' })
      .getByText('The one seat is in use.')
      .waitFor();
    assert.match(page.url(), /full=100/);
  });
});
