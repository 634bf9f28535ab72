/** A customer gets a license file in a real browser: the question, the page with the file, and the saved file. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { requestOf } from '../../licensing/license-files/offline-request.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../support/browser.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { linkFor, PUBLIC_URL, SELF_SERVICE } from './shop.ts';

const program = await findBrowser();

for (const engine of engines)
  describe(`a license file in a browser on ${engine}`, { skip: program === null && NO_BROWSER }, () => {
    const app = startedApp(engine, { ...SELF_SERVICE, LATCHKEY_SELF_SERVICE_FILES: 'on' });
    let browser: Browser;
    before(async () => {
      browser = await openBrowser(program!);
    });
    after(() => browser.close());

    it('is made after a question only, saved from the page, and shown at its computer', async () => {
      const email = 'island@example.com';
      const licenseKey = await app.license({ email, maxMachines: 2 });
      const filesMade = async () => (await app.admin('/listLicenseFiles', { licenseKey })).body.files.length;
      const page = await browser.newPage({ acceptDownloads: true });
      await page.goto((await linkFor(app, { email })).replace(PUBLIC_URL, `https://localhost:${app.port}`));
      await page.locator('main button').click();
      await page.locator('main a.button').click();
      const ask = async () => {
        await page.getByLabel('Request of the program').fill(requestOf({ licenseKey, hostname: 'Island' }));
        await page.getByRole('button', { name: 'Get the file' }).click();
        await page.getByRole('heading', { name: 'Get a file for “Island”?' }).waitFor();
      };
      await ask();
      await page.getByRole('link', { name: 'Get no file' }).click();
      await page.getByRole('heading', { name: 'Your computers' }).waitFor();
      assert.equal(await filesMade(), 0);
      await ask();
      await page.getByText('You have 2 of 2 files left within 365 days.').waitFor();
      await page.getByRole('button', { name: 'Get the file' }).click();
      await page.getByRole('heading', { name: 'The file for “Island” is ready' }).waitFor();
      assert.equal(await filesMade(), 1);
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Save the file' }).click(),
      ]);
      assert.equal(saved.suggestedFilename(), 'license.lic');
      const file = await readFile(await saved.path(), 'utf8');
      assert.match(file, /^-----BEGIN LATCHKEY LICENSE-----\n/);
      assert.equal(await page.getByLabel('Text of the file').inputValue(), file);
      await page.getByRole('link', { name: 'Computers of this license' }).click();
      await page.getByText('It works without a connection until').waitFor();
      assert.equal(await page.getByText('Running now').count(), 0);
      await page.close();
    });
  });
