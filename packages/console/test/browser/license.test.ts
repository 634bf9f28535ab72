/** Changes of one license: each is made like a person would, and verified at the service. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { requestOf } from '../../../server/test/licensing/license-files/offline-request.ts';
import { operatorKey } from '../../../server/test/support/console.ts';
import { choose, downloaded } from '../support/acts.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { creatorKey } from '../support/success.ts';

const DAY = 86_400_000;

/** E-mails are queued and not sent. */
const MAILS_AND_PAGES = {
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1',
  LATCHKEY_MAIL_FROM: 'licenses@shop.example',
  LATCHKEY_DELIVERIES: 'off',
  LATCHKEY_SELF_SERVICE: 'on',
  LATCHKEY_PUBLIC_URL: 'https://licenses.shop.example',
};

describeConsole(
  'a license',
  (under) => {
    const issue = (order: Readonly<Record<string, unknown>> = {}) =>
      under.app.license({ email: 'ada@example.com', productId: 'tapehead', ...order });
    const read = async (licenseKey: string) =>
      (await under.app.admin('/getLicense', { licenseKey, history: true })).body;
    const activate = (licenseKey: string, machineFingerprint: string) =>
      under.app.send('/activate', {
        licenseKey,
        productId: 'tapehead',
        machineFingerprint,
        hostname: machineFingerprint,
      });
    const verify = async (licenseKey: string) =>
      (await under.app.send('/verify', { licenseKey, productId: 'tapehead' })).status;
    const more = (page: Page, action: string) => choose(page, 'More', action);

    it('is revoked with its consequence in numbers, and taken back by one press', async () => {
      const key = await issue();
      await activate(key, 'desk');
      const page = await under.open({ at: `/licenses/${key}` });
      await page.getByRole('heading', { name: /can use this license/ }).waitFor();
      await more(page, 'Revoke');
      await page.getByRole('dialog').getByText('1 machine stops working with the next check.').waitFor();
      await inspect(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
      await page.getByText(/^The license of .* is revoked\.$/).waitFor();
      await inspect(page);
      assert.equal(await verify(key), 403);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText(/^The license of .* is reinstated\.$/).waitFor();
      assert.equal(await verify(key), 200);
    });

    it('that a chargeback revoked is reinstated from the answer to "why"', async () => {
      const key = await issue();
      await activate(key, 'desk');
      await under.app.admin('/revokeLicense', { licenseKey: key, reason: 'refund' });
      const page = await under.open({ at: `/licenses/${key}`, device: 'phone', scheme: 'dark' });
      const why = page.getByRole('region', { name: 'Why?' });
      const dialog = page.getByRole('dialog');
      await why.getByText('The license was revoked because its purchase was refunded.').waitFor();
      await inspect(page);
      await why.getByRole('button', { name: 'Lift the revocation only' }).click();
      await dialog.getByText('This cannot be undone.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await why.getByRole('button', { name: 'Reinstate' }).click();
      await dialog.getByRole('button', { name: 'Reinstate', disabled: false }).waitFor();
      // The dialog was opened for the refund.
      await under.app.admin('/revokeLicense', { licenseKey: key, reason: 'chargeback' });
      await dialog.getByRole('button', { name: 'Reinstate' }).click();
      await dialog.getByText('changed meanwhile by the operator: revocation from refund to chargeback').waitFor();
      await inspect(page);
      assert.equal(await verify(key), 403);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await why.getByText("The license was revoked because the customer's bank took the payment back.").waitFor();
      await inspect(page);
      await why.getByRole('button', { name: 'Reinstate' }).click();
      await dialog.getByText('the bank took the payment back: make sure that this is settled').waitFor();
      await inspect(page);
      await dialog.getByRole('button', { name: 'Reinstate' }).click();
      await why.getByRole('heading', { name: 'desk can use this license.' }).waitFor();
      assert.equal(await verify(key), 200);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText(/ is revoked again\.$/).waitFor();
      assert.equal(await verify(key), 403);
    });

    it('shows the effect before its violations are resolved', async () => {
      const key = await issue({ maxMachines: 1 });
      await activate(key, 'desk');
      await activate(key, 'road');
      await under.app.admin('/revokeLicense', { licenseKey: key, reason: 'fraud' });
      const page = await under.open({ at: `/licenses/${key}?tab=violations` });
      await page.getByRole('checkbox', { name: 'Select More machines than allowed' }).uncheck();
      await inspect(page);
      await page.getByRole('button', { name: 'Resolve 1', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Afterwards the license is active, with threat level 1.').waitFor();
      await dialog.getByText('It is revoked now.').waitFor();
      assert.equal((await read(key)).license.status, 'revoked', 'the preview changed something');
      await inspect(page);
      await dialog.getByRole('button', { name: 'Resolve' }).click();
      await page.getByText('1 violation of the license of ').waitFor();
      const { license } = await read(key);
      assert.deepEqual([license.status, license.threatLevel], ['active', 1]);
    });

    it('keeps a violation that arrives while the question about the others is open', async () => {
      const key = await issue();
      await under.app.admin('/revokeLicense', { licenseKey: key, reason: 'fraud' });
      const page = await under.open({ at: `/licenses/${key}?tab=violations` });
      await page.getByRole('button', { name: 'Resolve 1', exact: true }).click();
      await page.getByRole('dialog').getByText('Afterwards the license is active, with threat level 0.').waitFor();
      await under.app.admin('/revokeLicense', { licenseKey: key, reason: 'refund' });
      await under.pass(16_000);
      await page.locator('li').filter({ hasText: 'Refund' }).first().waitFor();
      await page.getByRole('dialog', { name: 'Resolve 1 violation' }).getByRole('button', { name: 'Resolve' }).click();
      await page.getByText('Afterwards the license is revoked, with threat level 4.').waitFor();
      const { license, violations } = await read(key);
      const open = violations.filter(({ resolvedAt }: { resolvedAt: unknown }) => resolvedAt === null);
      assert.deepEqual([license.status, open.map(({ type }: { type: string }) => type)], ['revoked', ['refund']]);
    });

    it('is extended by days after its end, and made to last for ever', async () => {
      const expiresAt = under.app.clock.at(10 * DAY);
      const key = await issue({ expiresAt });
      const page = await under.open({ at: `/licenses/${key}` });
      await page.getByRole('heading', { name: /can use this license/ }).waitFor();
      await page.keyboard.press('e');
      const dialog = page.getByRole('dialog', { name: 'Extend' });
      await dialog.getByLabel('Days').fill('20');
      await inspect(page);
      await under.app.admin('/updateLicense', { licenseKey: key, maxMachines: 7 });
      await dialog.getByRole('button', { name: /^Extend to / }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal((await read(key)).license.expiresAt, under.app.clock.at(30 * DAY));
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The change to the license of ').waitFor();
      const { license } = await read(key);
      assert.deepEqual([license.expiresAt, license.maxMachines], [expiresAt, 7], "another's limit stays");
      await page.getByRole('button', { name: 'Extend', exact: true }).click();
      await dialog.getByLabel('Ends').selectOption('day');
      await dialog.getByLabel('Day', { exact: true }).fill(under.app.clock.at(-DAY).slice(0, 10));
      await dialog.getByText(/choose a later day/).waitFor();
      assert.ok(await dialog.getByRole('button', { name: 'Extend', exact: true }).isDisabled(), 'a shorter extension');
      await dialog.getByLabel('Ends').selectOption('never');
      await dialog.getByRole('button', { name: 'Make it last for ever' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal((await read(key)).license.expiresAt, null);
    });

    it('without an end has nothing to extend, and gets an end by another action alone', async () => {
      const key = await issue();
      const page = await under.open({ at: `/licenses/${key}` });
      await page.getByRole('button', { name: 'Extend', exact: true }).click();
      const nothing = page.getByRole('dialog', { name: 'Extend' });
      await nothing.getByText('The license never expires, so there is nothing to extend.').waitFor();
      await inspect(page);
      await nothing.getByRole('button', { name: 'Close' }).last().click();
      await more(page, 'Set an end date');
      const dialog = page.getByRole('dialog', { name: 'Set an end date' });
      assert.ok(await dialog.getByRole('button', { name: 'Set the end' }).isDisabled(), 'an end nobody has chosen');
      await dialog.getByLabel('Last day').fill('2035-06-30');
      await inspect(page);
      await dialog.getByRole('button', { name: /^Let it end on / }).click();
      await dialog.waitFor({ state: 'detached' });
      // The end of the day in the time zone of the browser.
      assert.match((await read(key)).license.expiresAt, /^2035-(?:06-30|07-01)T/);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The change to the license of ').waitFor();
      assert.equal((await read(key)).license.expiresAt, null);
    });

    it('gets other limits, another type, another address, and a note', async () => {
      const key = await issue({ email: 'cy@example.com' });
      const page = await under.open({ at: `/licenses/${key}` });
      await page.getByRole('button', { name: 'Limits' }).click();
      await page.getByRole('dialog').getByLabel('Machines', { exact: true }).fill('7');
      await under.app.admin('/updateLicense', { licenseKey: key, maxMachines: 4 });
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText('License was changed meanwhile by the operator: maxMachines from 2 to 4').waitFor();
      await inspect(page);
      assert.equal((await read(key)).license.maxMachines, 4);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Limits' }).click();
      await page
        .getByRole('dialog')
        .getByText(/^The license is for 4 machines;/)
        .waitFor();
      await page.getByRole('dialog').getByLabel('Machines', { exact: true }).fill('7');
      await inspect(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText(/^The license of .* is for 7 machines\.$/).waitFor();

      await more(page, 'Change type or variant');
      await page.getByRole('dialog').getByLabel('Type').selectOption('floating');
      await page.getByRole('dialog').getByLabel('Seats at once').fill('4');
      await inspect(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText(/^The license of .* is floating, variant indie\.$/).waitFor();

      await more(page, 'Change e-mail address');
      await page.getByRole('dialog').getByLabel('New address').fill('cyd@example.com');
      await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
      await page.getByText('The license of cy@example.com got the address cyd@example.com.').waitFor();

      await page.getByRole('tab', { name: 'Timeline' }).click();
      await page.getByLabel('Note').fill('Agreed on the phone.');
      await page.getByRole('button', { name: 'Add note' }).click();
      await page.getByText('Agreed on the phone.').first().waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Note by' }).waitFor();
      await inspect(page);

      const { license, history } = await read(key);
      assert.deepEqual(
        [license.maxMachines, license.licenseType, license.maxConcurrent, license.email],
        [7, 'floating', 4, 'cyd@example.com'],
      );
      assert.equal(history[0].event.after.text, 'Agreed on the phone.');
    });

    it('has its key mailed to its customer in a language, three times a day', async () => {
      const key = await issue({ email: 'ada-mail@example.com' });
      const page = await under.open({ at: `/licenses/${key}` });
      const dialog = page.getByRole('dialog');
      const mail = () => dialog.getByRole('button', { name: 'Mail', exact: true }).click();
      await more(page, 'Mail the key');
      await dialog
        .getByText(/mailed to ada-mail@example\.com, the address of the license, and to nobody else/)
        .waitFor();
      await dialog.getByLabel('Language of the e-mail').selectOption('de');
      await inspect(page);
      await mail();
      await page.getByText('The key is on its way to ada-mail@example.com.').waitFor();
      const { mails } = (await under.app.admin('/listMails', { licenseKey: key })).body;
      assert.deepEqual(
        mails.map(({ kind, to }: { kind: string; to: string }) => [kind, to]),
        [['keys', 'ada-mail@example.com']],
      );
      for (const language of ['fr', 'es']) await under.app.admin('/mailLicense', { licenseKey: key, language });
      await more(page, 'Mail the key');
      await mail();
      await dialog.getByText('This address has got three e-mails within a day.').waitFor();
      await inspect(page);
    });

    it('has a link made with which its customer signs in once', async () => {
      const key = await issue({ email: 'ada-link@example.com' });
      const page = await under.open({ at: `/licenses/${key}` });
      const dialog = page.getByRole('dialog');
      await more(page, 'Link for the customer');
      await dialog.getByText(/signs ada-link@example\.com in once/).waitFor();
      await dialog.getByLabel('Works for').selectOption('1 day');
      await inspect(page);
      await dialog.getByRole('button', { name: 'Make the link' }).click();
      await dialog
        .getByText(
          /^It works once, within 1 day, and is shown only now\. Send it to ada-link@example\.com and to nobody else\.$/,
        )
        .waitFor();
      await dialog.getByText(/^https:\/\/licenses\.shop\.example\/my\/enter\?c=[\w-]{43}$/).waitFor();
      await inspect(page);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      const { event } = (await read(key)).history[0];
      assert.equal(event.type, 'customer_link.created');
      assert.equal(event.after.expiresAt, under.app.clock.at(86_400_000));
    });

    it('shows its machines in pages, and removes one of them', async () => {
      const key = await issue({ maxMachines: -1 });
      for (let number = 10; number < 62; number++) {
        if (number % 14 === 0) under.app.clock.move(3_700_000);
        assert.equal((await activate(key, `pc-${number}`)).status, 200);
      }
      const page = await under.open({ at: `/licenses/${key}` });
      await page.getByText('52 in all').waitFor();
      // The buttons stay in place while a menu is open.
      const menu = page.getByRole('button', { name: 'More', exact: true });
      const place = await menu.boundingBox();
      await menu.click();
      await page.getByRole('menuitem', { name: 'Mail the key' }).waitFor();
      assert.deepEqual(await menu.boundingBox(), place);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('cell', { name: 'pc-61', exact: true }).waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'Actions of pc-61' }).click();
      await inspect(page);
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('pc-61 was removed from license ').waitFor();
      assert.equal((await read(key)).activationCount, 51);
      await more(page, 'Remove all machines');
      const dialog = page.getByRole('dialog');
      assert.ok(await dialog.getByRole('button', { name: 'Remove 51' }).isDisabled());
      await dialog.getByLabel('Type 51 to confirm').fill('51');
      await dialog.getByRole('button', { name: 'Remove 51' }).click();
      await page.getByText('No machine yet').waitFor();
      assert.equal((await read(key)).activationCount, 0);
    });

    it('has each of two machines named that are removed at once', async () => {
      const key = await issue({ maxMachines: 2 });
      for (const machine of ['old-desk', 'old-road']) await activate(key, machine);
      await under.move(8 * DAY);
      const page = await under.open({ at: `/licenses/${key}` });
      const both = Promise.withResolvers<void>();
      await page.route('**/releaseActivation', async (route) => {
        if (route.request().postData()?.includes('old-road')) both.resolve();
        await both.promise;
        await route.continue();
      });
      for (const machine of ['old-desk', 'old-road']) {
        await choose(page, `Actions of ${machine}`, 'Remove');
      }
      assert.equal((await read(key)).activationCount, 2);
      await under.pass(6_000);
      for (const machine of ['old-desk', 'old-road'])
        await page.getByText(`${machine} was removed from license `).waitFor();
      assert.equal((await read(key)).activationCount, 0);
    });

    it('gets a file for a machine without a connection, from the request that its app wrote', async () => {
      const key = await issue();
      const page = await under.open({ at: `/licenses/${key}?tab=files` });
      await page.getByText('No license file yet').waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'Make a license file' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel("The app's request").fill(requestOf({ productId: 'tapehead', licenseKey: key }));
      await dialog.getByLabel('Good for').fill('90');
      await inspect(page);
      await dialog.getByRole('button', { name: 'Make the file' }).click();
      await page.getByRole('dialog', { name: 'The license file is ready' }).waitFor();
      await inspect(page);
      assert.match((await downloaded(page, 'Download')).text, /^-----BEGIN LATCHKEY LICENSE-----\n/);
      await page.getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('cell', { name: 'Far away' }).waitFor();
      await page.getByRole('cell', { name: 'No connection' }).waitFor();
      assert.equal((await read(key)).activations[0].hostname, 'Far away');
    });

    it('says that it does not exist, or belongs to somebody else, in the same words', async () => {
      await under.app.admin('/createProduct', { slug: 'loom', name: 'Loom', creatorId: 'bo' });
      await under.app.admin('/createProduct', { slug: 'tapehead', name: 'Tapehead', creatorId: 'ada' });
      const foreign = await issue();
      const page = await under.open({ secret: await creatorKey(under.app, 'bo'), at: `/licenses/${foreign}` });
      await page.getByText('There is no such license.').waitFor();
      await inspect(page);
      const foreignText = await page.getByRole('main').innerText();
      await page.goto(`${under.origin}/console/#/licenses/AAAAA-BBBBB-CCCCC-DDDDD-EEEEE`);
      await page.getByText('There is no such license.').waitFor();
      assert.equal(await page.getByRole('main').innerText(), foreignText);
      await page.goto(`${under.origin}/console/#/licenses`);
      await page.getByText('No licenses yet').waitFor();
      // A creator has no admin secret.
      await page.getByText('-H "X-API-Key: $API_KEY"').waitFor();
      await inspect(page);
    });

    it('shows a viewer no buttons that change it, and support none but its own', async () => {
      const key = await issue();
      await activate(key, 'desk');
      const viewer = await under.open({ secret: await operatorKey(under.app, 'viewer'), at: `/licenses/${key}` });
      await viewer.getByRole('heading', { name: 'desk can use this license.' }).waitFor();
      for (const name of ['Extend', 'Limits', 'More'])
        assert.equal(await viewer.getByRole('button', { name, exact: true }).count(), 0, name);
      await inspect(viewer);
      const full = await issue({ maxMachines: 1, expiresAt: under.app.clock.at(10 * DAY) });
      for (const machine of ['desk', 'road']) await activate(full, machine);
      const support = await under.open({ secret: await operatorKey(under.app, 'support'), at: `/licenses/${full}` });
      await support.getByRole('button', { name: 'Free desk' }).waitFor();
      for (const name of ['Limits', 'Allow 2 machines'])
        assert.equal(await support.getByRole('button', { name }).count(), 0, name);
      await support.getByRole('button', { name: 'Extend' }).click();
      const dialog = support.getByRole('dialog', { name: 'Extend' });
      await dialog.getByText('Your role extends a license by at most 30 days within 30 days.').waitFor();
      await inspect(support);
      await dialog.getByLabel('Days').fill('31');
      await dialog.getByText('At most 30 days.').waitFor();
      assert.ok(await dialog.getByRole('button', { name: 'Extend', exact: true }).isDisabled());
      await dialog.getByLabel('Days').fill('30');
      await dialog.getByRole('button', { name: /^Extend to / }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal((await read(full)).license.expiresAt, under.app.clock.at(40 * DAY));
      await support.getByRole('button', { name: 'More', exact: true }).click();
      await support.getByRole('menuitem', { name: 'Revoke' }).waitFor();
      for (const name of ['Change type or variant', 'Set an end date'])
        assert.equal(await support.getByRole('menuitem', { name }).count(), 0, name);
    });
  },
  MAILS_AND_PAGES,
);
