/** Signing in with an account of an identity provider, and a console that takes no admin secret. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { HOUR_MS } from '../../../server/src/ground/base/clock.ts';
import { operatorKey } from '../../../server/test/support/console.ts';
import { type RunningProvider, settingsOf, startProvider } from '../../../server/test/support/real-provider.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';

const PEOPLE = {
  ada: { name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true, groups: ['owners'] },
  nobody: { name: 'Nobody', email: 'nobody@example.com', email_verified: true },
};
let provider: RunningProvider;
after(() => provider?.stop());

describeConsole(
  'signing in with an account of a provider',
  (under) => {
    for (const look of [{}, { device: 'phone', scheme: 'dark' }] as const)
      it(`leads to the provider, back to the screen that was left, and out again (${JSON.stringify(look)})`, async () => {
        const page = await under.open({ secret: null, isNew: true, ...look });
        await page.goto(`${under.origin}/console/#/system`);
        const button = page.getByRole('link', { name: 'Sign in with Example' });
        await button.waitFor();
        await inspect(page);
        await button.click();
        await page.getByRole('link', { name: 'ada' }).click();
        await page.getByRole('heading', { name: 'System', exact: true }).waitFor();
        await page.getByText('Organization account').first().waitFor({ state: 'attached' });
        await inspect(page);
        const { body } = await under.app.admin('/listConsoleSessions');
        assert.deepEqual(
          [body.sessions[0].name, body.sessions[0].signedInBy, body.sessions[0].role],
          ['Ada Lovelace (ada@example.com)', 'provider', 'owner'],
        );
        assert.equal(await page.evaluate(() => document.cookie), '');
        assert.equal(await page.evaluate(() => JSON.stringify({ ...sessionStorage })), '{}');
        await page.getByRole('button', { name: 'Ada Lovelace' }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await page.getByRole('button', { name: 'Yes, sign me out' }).click();
        await page.getByRole('link', { name: 'Sign in with Example' }).waitFor();
        const ended = await under.app.admin('/listConsoleSessions');
        assert.equal(ended.body.count, 0);
        await page.getByRole('link', { name: 'Sign in with Example' }).click();
        // The provider asks again, because its own session has ended, too.
        await page.getByRole('link', { name: 'nobody' }).waitFor();
      });

    it('says why a person is refused, and keeps it in Activity', async () => {
      const page = await under.open({ secret: null, isNew: true });
      await page.getByRole('link', { name: 'Sign in with Example' }).click();
      await page.getByRole('link', { name: 'nobody' }).click();
      await page.getByRole('alert').getByText('Your account has no role here.').waitFor();
      await inspect(page);
      assert.equal(page.url(), `${under.origin}/console/#/`);
      const owner = await under.open({ at: '/activity' });
      const text = 'Nobody (nobody@example.com) was refused: no role.';
      await owner.getByText(text).first().waitFor();
      await inspect(owner);
    });

    it('signs in again in another tab, and the first one goes on with what was typed', async () => {
      const page = await under.open({ at: '/keys?tab=people' });
      await page.getByRole('button', { name: 'New operator key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New operator key' });
      await dialog.getByLabel('Name').fill('Lin');
      await under.move(13 * HOUR_MS);
      await dialog.getByRole('button', { name: 'Create key' }).click();
      const again = page.getByRole('dialog', { name: 'Sign in again' });
      const link = again.getByRole('link', { name: 'Sign in with Example in another tab' });
      await link.waitFor();
      await inspect(page);
      const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
      await tab.getByRole('link', { name: 'ada' }).click();
      await tab.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
      await tab.close();
      await page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await page.getByRole('heading', { name: 'The key of Lin' }).waitFor();
      const { body } = await under.app.admin('/listEvents', { types: ['operator_key.created'] });
      assert.equal(body.events[0].actor.keyName, 'Ada Lovelace (ada@example.com)');
    });
  },
  async (origin) => {
    provider = await startProvider(origin, PEOPLE);
    return settingsOf(provider, origin, 'owner:groups=owners');
  },
);

describeConsole(
  'a console that takes no admin secret',
  (under) => {
    it('asks for a key only, and lets one in', async () => {
      const page = await under.open({ secret: null, isNew: true, device: 'phone' });
      await page.getByText("An operator key or a creator's API key.").waitFor();
      assert.equal(await page.getByLabel('Your name').count(), 0);
      await inspect(page);
      await page.getByLabel('Secret or key').fill('admin-secret-of-the-tests');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('The admin secret does not sign in here.').waitFor();
      await inspect(page);
      await page.getByLabel('Secret or key').fill(await operatorKey(under.app, 'owner', 'Bea'));
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Bea' }).waitFor();
    });
  },
  { LATCHKEY_CONSOLE_SECRET_SIGN_IN: 'off' },
);
