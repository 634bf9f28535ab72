/** Signing in and out, and a session that ends during work. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deriveBindingKeys } from '../../../server/src/access/console/binding.ts';
import { makeSignInCode } from '../../../server/src/access/console/sign-in-code.ts';
import { openStorage } from '../../../server/src/storage/opening/open.ts';
import { ADMIN_SECRET } from '../../../server/test/support/app.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';

const HOUR = 3_600_000;

describeConsole('signing in', (under) => {
  for (const look of [{}, { device: 'phone', scheme: 'dark' }] as const)
    it(`takes a secret, and refuses a wrong one in words (${JSON.stringify(look)})`, async () => {
      const page = await under.open({ secret: null, ...look });
      await page.getByRole('heading', { name: 'Latchkey' }).waitFor();
      assert.equal(await page.title(), 'Sign in · Latchkey');
      await inspect(page);
      await page.keyboard.type('not the secret');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('This secret or key is not accepted.').waitFor();
      await inspect(page);
      await page.getByLabel('Secret or key').fill(ADMIN_SECRET);
      await page.getByLabel('Your name').fill('Ada');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Ada' }).waitFor();
      await inspect(page);
      const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
      assert.equal(kept, '{}', 'something of the session is within reach of scripts');
      assert.equal(await page.evaluate(() => document.cookie), '', 'the cookie is within reach of scripts');
    });

  it('goes on where the link led that somebody opened before', async () => {
    const page = await under.open({ secret: null });
    await page.goto(`${under.origin}/console/#/licenses?status=active`);
    await page.getByLabel('Secret or key').fill(ADMIN_SECRET);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
    assert.equal(await page.getByLabel('Status').inputValue(), 'active');
  });

  it('opens a sign-in link, which works once', async () => {
    const storage = await openStorage(under.app.database);
    const code = await storage.transaction((tx) =>
      makeSignInCode(tx, under.app.clock.now(), deriveBindingKeys([ADMIN_SECRET])),
    );
    await storage.close();
    const link = `${under.origin}/console/#/sign-in?code=${code}`;
    const first = await under.open({ secret: null });
    await first.goto(link);
    await first.getByRole('button', { name: 'Owner' }).waitFor();
    await inspect(first);
    assert.ok(!first.url().includes(code), 'the code stayed in the address');
    const second = await under.open({ secret: null });
    await second.goto(link);
    await second.getByText('This sign-in link is no longer valid.').waitFor();
  });

  it('says that a sign-in link is spent, and takes its code out of the address', async () => {
    const page = await under.open({ secret: null });
    await page.goto(`${under.origin}/console/#/sign-in?code=gone`);
    await page.getByText('This sign-in link is no longer valid.').waitFor();
    assert.ok(!page.url().includes('gone'), page.url());
    await inspect(page);
  });

  it('ends with "Sign out", for this session only', async () => {
    const page = await under.open({ name: 'Ada' });
    const other = await under.open({ name: 'Bo' });
    await page.getByRole('button', { name: 'Ada' }).click();
    await inspect(page);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Secret or key').waitFor();
    await other.reload();
    await other.getByRole('button', { name: 'Bo' }).waitFor();
  });

  it('asks to sign in again in a dialog, and loses nothing that was typed', async () => {
    await under.app.admin('/createProduct', { slug: 'app', name: 'App', creatorId: 'ada' });
    const page = await under.open({ at: '/licenses' });
    const variants = page.waitForResponse('**/listVariants');
    await page.getByRole('button', { name: 'Issue licenses' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Issue licenses' });
    await dialog.getByLabel('E-mail addresses').fill('cy@example.com');
    await variants;
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    const isAsked = again.waitFor();
    // The write is the first call to meet the ended session, because reads wait for the question.
    await page.route(/\/(list|get|explain)[A-Z]\w*$/, async (route) => {
      await isAsked;
      await route.continue();
    });
    await under.move(13 * HOUR);
    await dialog.getByRole('button', { name: 'Issue 1 license' }).click();
    await isAsked;
    await inspect(page);
    await again.getByLabel('Secret or key').fill(ADMIN_SECRET);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByText('1 license was issued.').waitFor();
    await inspect(page);
    const { body } = await under.app.admin('/listLicenses', { email: 'cy@example.com' });
    assert.equal(body.count, 1);
  });
});
