/** A customer gets a new key in a real browser: the question, the way back, the key itself, and the next one. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { findBrowser, NO_BROWSER, openBrowser } from '../../support/browser.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { excessWidthOf, findingsOf } from '../../support/inspect-page.ts';
import { startedApp } from '../../support/started-app.ts';
import { linkFor, PUBLIC_URL, SELF_SERVICE } from './shop.ts';

const program = await findBrowser();
const PHONE = { width: 390, height: 844 };

for (const engine of engines)
  describe(`a new key in a browser on ${engine}`, { skip: program === null && NO_BROWSER }, () => {
    const app = startedApp(engine, SELF_SERVICE);
    let browser: Browser;
    before(async () => {
      browser = await openBrowser(program!);
    });
    after(() => browser.close());

    it('is made after a question only, shown at once, and once in 30 days', async () => {
      const email = 'leaked@example.com';
      const licenseKey = await app.license({ email });
      const page = await browser.newPage({ viewport: PHONE });
      const inspect = async () => {
        assert.deepEqual(await findingsOf(page), []);
        assert.equal(await excessWidthOf(page), 0);
      };
      await page.goto((await linkFor(app, { email })).replace(PUBLIC_URL, `https://localhost:${app.port}`));
      await page.locator('main button').click();
      await page.locator('main a.button').click();
      await page.getByRole('heading', { name: 'Your computers' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Get a new key' }).count(), 0);
      await mustSucceed(app.admin('/updateBrand', { name: 'Tapehead', allowsNewKeys: true }));
      await page.reload();
      const ask = async () => {
        await page.getByRole('link', { name: 'Get a new key' }).click();
        await page.getByRole('heading', { name: /^Get a new key for app/ }).waitFor();
      };
      await ask();
      await inspect();
      await page.getByRole('link', { name: 'Keep the old key' }).click();
      await page.getByRole('heading', { name: 'Your computers' }).waitFor();
      assert.equal((await mustSucceed(app.admin('/getLicense', { licenseKey }))).license.status, 'active');
      await ask();
      await page.getByRole('button', { name: 'Get a new key' }).click();
      await page.getByRole('status').getByText('Your license has a new key.').waitFor();
      await inspect();
      const { license } = await mustSucceed(app.admin('/getLicense', { licenseKey }));
      assert.deepEqual(
        [license.status, await page.locator('details .key').textContent()],
        ['revoked', license.replacedBy],
      );
      assert.ok(await page.locator('details .key').isVisible());
      await page.getByText('You can get another new key from').waitFor();
      // A reload repeats nothing.
      await page.reload();
      const { license: present } = await mustSucceed(app.admin('/getLicense', { licenseKey: license.replacedBy }));
      assert.equal(present.replacedBy, undefined);
      await page.close();
    });
  });
