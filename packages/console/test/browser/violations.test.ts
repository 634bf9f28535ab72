/** The inbox of violations: evidence in words, resolving one and many after a preview, revoking with undo. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../../server/test/support/app.ts';
import { operatorKey } from '../../../server/test/support/console.ts';
import { choose } from '../support/acts.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { crowdedLicense, mustSucceed } from '../support/success.ts';

const openOf = async (app: TestApp, licenseKey: string): Promise<number> =>
  (await mustSucceed(app.admin('/listViolations', { licenseKey, open: true }))).count;
const statusOf = async (app: TestApp, licenseKey: string): Promise<string> =>
  (await mustSucceed(app.admin('/getLicense', { licenseKey }))).license.status;

describeConsole('the inbox of violations', (under) => {
  for (const look of LOOKS)
    it(`is empty in a calm shop (${look.device}, ${look.scheme})`, async () => {
      const page = await under.open({ ...look, at: '/violations' });
      await page.getByText('Nothing needs you.').waitFor();
      await inspect(page);
    });

  for (const look of LOOKS)
    it(`says what was seen, and resolves it after it said what comes of it (${look.device}, ${look.scheme})`, async () => {
      const { app } = under;
      const email = `${look.device}@example.com`;
      const licenseKey = await crowdedLicense(app, email);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'fraud' }));
      const page = await under.open({ ...look, at: `/violations?license=${licenseKey}` });
      const inbox = page.getByRole('list', { name: 'Violations', exact: true });
      await inbox.getByText('"host of laptop" was refused once: the one machine allowed was in use.').waitFor();
      assert.deepEqual(await inbox.getByRole('heading').allInnerTexts(), ['Fraud', 'More machines than allowed']);
      await inspect(page);

      await inbox.getByRole('button', { name: `Actions for Fraud of ${email}` }).click();
      await inspect(page);
      await page.getByRole('menuitem', { name: 'Resolve' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resolve this violation?' });
      await dialog.getByText('The revocation is lifted: the license is active again.').waitFor();
      await dialog.getByText('Others stay open, the most severe of level 1 of 4.').waitFor();
      assert.equal(await openOf(app, licenseKey), 2);
      assert.equal(await statusOf(app, licenseKey), 'revoked');
      await inspect(page);
      await dialog.getByRole('button', { name: 'Resolve' }).click();
      await page.getByText('1 violation of the license of ').waitFor();
      await dialog.waitFor({ state: 'detached' });
      await inbox.getByRole('heading', { name: 'Fraud' }).waitFor({ state: 'detached' });
      assert.equal(await openOf(app, licenseKey), 1);
      assert.equal(await statusOf(app, licenseKey), 'active');
      await inspect(page);
    });

  for (const look of LOOKS)
    it(`settles a fraud whose license stays revoked (${look.device}, ${look.scheme})`, async () => {
      const { app } = under;
      const email = `settled-${look.device}@example.com`;
      const licenseKey = await crowdedLicense(app, email);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'fraud' }));
      const page = await under.open({ ...look, at: `/violations?license=${licenseKey}` });
      const inbox = page.getByRole('list', { name: 'Violations', exact: true });
      await inbox.getByRole('button', { name: `Actions for Fraud of ${email}` }).click();
      await page.getByRole('menuitem', { name: 'Stays revoked' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resolve this violation?' });
      await dialog.getByText('The license stays revoked.', { exact: false }).first().waitFor();
      // Without the tick, the dialog counts in red what would be lifted.
      await dialog.getByLabel('The license stays revoked').uncheck();
      await dialog.getByText('The revocation of one license is lifted: its apps work again.').waitFor();
      await inspect(page);
      await dialog.getByLabel('The license stays revoked').check();
      await inspect(page);
      await dialog.getByRole('button', { name: 'Resolve' }).click();
      await page.getByText('1 violation of the license of ').waitFor();
      await inbox.getByRole('heading', { name: 'Fraud' }).waitFor({ state: 'detached' });
      assert.equal(await openOf(app, licenseKey), 1);
      assert.equal(await statusOf(app, licenseKey), 'revoked');
    });

  it('resolves many of many licenses at once', async () => {
    const { app } = under;
    const keys = [];
    for (const email of ['kim@example.com', 'lea@example.com', 'max@example.com'])
      keys.push(await crowdedLicense(app, email));
    const page = await under.open({ at: '/violations?type=machine_limit' });
    for (const email of ['kim@example.com', 'lea@example.com'])
      await page.getByLabel(`Select More machines than allowed of ${email}`).check();
    const bar = page.getByRole('region', { name: 'What is selected' });
    await bar.getByText('2 violations selected').waitFor();
    await inspect(page);
    await bar.getByRole('button', { name: 'Resolve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve 2 violations?' });
    await dialog.getByText('Nothing stays open. The license stays active.').first().waitFor();
    await inspect(page);
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('2 violations of 2 licenses are resolved.').waitFor();
    assert.deepEqual(await Promise.all(keys.map((key) => openOf(app, key))), [0, 0, 1]);
    await page.getByLabel('State').selectOption({ label: 'Resolved' });
    await page.getByLabel(`Select More machines than allowed of kim@example.com`).waitFor();
    assert.match(page.url(), /state=resolved/);
  });

  it('keeps refunds apart, and counts in the navigation what needs somebody', async () => {
    const { app } = under;
    const licenseKey = await crowdedLicense(app, 'quinn@example.com');
    await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'refund' }));
    const { total } = await mustSucceed(
      app.admin('/listViolations', { open: true, disputes: false, withTotal: true, limit: 1 }),
    );
    const page = await under.open({ at: `/violations?license=${licenseKey}` });
    const inbox = page.getByRole('list', { name: 'Violations', exact: true });
    await inbox.getByRole('heading', { name: 'More machines than allowed' }).waitFor();
    assert.equal(await inbox.getByRole('heading').count(), 1);
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('link', { name: `Violations ${total.count} need you` }).waitFor();
    await inspect(page);
    await page.getByLabel('Kind').selectOption({ label: 'Refund' });
    await inbox.getByRole('heading', { name: 'Refund' }).waitFor();
    assert.equal(await page.getByLabel('State').inputValue(), 'disputes');
    await inspect(page);
  });

  it('revokes the license behind a violation, and takes that back', async () => {
    const { app } = under;
    const licenseKey = await crowdedLicense(app, 'nia@example.com');
    const page = await under.open({ at: `/violations?license=${licenseKey}` });
    await choose(page, 'Actions for More machines than allowed of nia@example.com', 'Revoke license');
    const dialog = page.getByRole('dialog', { name: 'Revoke this license?' });
    await inspect(page);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The license of nia@example.com is revoked.').waitFor();
    assert.equal(await statusOf(app, licenseKey), 'revoked');
    await page.getByText('License revoked').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The license of nia@example.com is reinstated.').waitFor();
    assert.equal(await statusOf(app, licenseKey), 'active');
  });

  it('shows a viewer the evidence, but no actions', async () => {
    const { app } = under;
    const licenseKey = await crowdedLicense(app, 'pia@example.com');
    const page = await under.open({
      secret: await operatorKey(app, 'viewer'),
      at: `/violations?license=${licenseKey}`,
    });
    await page.getByText('"host of laptop" was refused once: the one machine allowed was in use.').waitFor();
    assert.equal(await page.getByRole('checkbox').count(), 0);
    await page.getByRole('button', { name: 'Actions for More machines than allowed of pia@example.com' }).click();
    assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Open license']);
    await inspect(page);
  });

  it('is walked with j, k and x, and Enter opens the license', async () => {
    const { app } = under;
    const licenseKey = await crowdedLicense(app, 'otto@example.com');
    const page = await under.open({ at: `/violations?license=${licenseKey}` });
    await page.getByRole('link', { name: 'More machines than allowed' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 violation selected').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`#/licenses/${licenseKey}`));
  });
});
