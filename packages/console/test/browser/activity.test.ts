/** The list of changes: actor, event, values before and after, filters, and the CSV file. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Machine } from '../../../server/test/support/machine.ts';
import { askToUndo, downloaded } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { seeFailureAndGoOn } from '../support/failing.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

const DAY_MS = 86_400_000;

describeConsole('the list of activity', (under) => {
  for (const look of LOOKS)
    it(`tells what was changed by whom, from what to what (${look.device}, ${look.scheme})`, async () => {
      const { app } = under;
      const email = `${look.device}@example.com`;
      const licenseKey = await app.license({ email, maxMachines: 2 });
      await mustSucceed(new Machine(app, licenseKey, 'desk').activate());
      const changed = await app.admin('/updateLicense', { licenseKey, maxMachines: 3 });
      const requestId = String(changed.headers['x-request-id']);
      const page = await under.open({ ...look, at: `/activity?license=${licenseKey}` });
      await page.getByText(`A license was issued to ${email} for app.`).waitFor();
      await page.getByText('host of desk was activated.').waitFor();
      await page.getByText('Machines allowed: 2 → 3').waitFor();
      await page.getByRole('heading', { name: 'Today' }).waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'Details: A license was changed.' }).click();
      const differs = page.getByRole('table', { name: 'Changed fields' });
      assert.match(
        (await differs.getByRole('row').last().innerText()).replaceAll(/\s+/g, ' '),
        /^Machines allowed 2 3$/,
      );
      await page.getByText(requestId).waitFor();
      await inspect(page);
      const machines = async () => (await app.admin('/getLicense', { licenseKey })).body.license.maxMachines;
      const undo = page.getByRole('dialog', { name: 'Undo this change' });
      const press = async () => {
        await page.getByRole('button', { name: 'Undo', exact: true }).click();
        await undo.getByText(/^Machines allowed: 3 → 2\./).waitFor();
        await undo.getByRole('button', { name: 'Undo' }).click();
      };
      await press();
      await undo.waitFor({ state: 'detached' });
      assert.equal(await machines(), 2);
      await page.getByText('Machines allowed: 3 → 2').waitFor();
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxMachines: 8 }));
      await press();
      await undo.getByText(/changed meanwhile by the operator: maxMachines from 3 to 8/).waitFor();
      await inspect(page);
      assert.equal(await machines(), 8);
    });

  it('is filtered by kind, actor and request, which all stand in the address', async () => {
    const { app } = under;
    const licenseKey = await app.license({ email: 'filters@example.com' });
    await mustSucceed(new Machine(app, licenseKey, 'filtered').activate());
    const revoked = await app.admin('/revokeLicense', { licenseKey });
    const page = await under.open({ at: '/activity' });
    const happened = page.getByRole('list').getByText('host of filtered was activated.');
    await happened.waitFor();
    await page.getByLabel('What happened').selectOption({ label: 'Revoked, reinstated and replaced' });
    await happened.waitFor({ state: 'detached' });
    await page.getByText('A license was revoked.').waitFor();
    assert.match(page.url(), /kind=revoked/);
    await page.getByRole('button', { name: 'Clear' }).click();
    await happened.waitFor();
    await page.getByLabel('Who').selectOption({ label: 'Apps' });
    await page.getByText('A license was revoked.').waitFor({ state: 'detached' });
    await happened.waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Request id').fill(String(revoked.headers['x-request-id']));
    await page.keyboard.press('Enter');
    await happened.waitFor({ state: 'detached' });
    await hasCount(page.getByRole('button', { name: /^Details/ }), 1);
    await page.getByRole('link', { name: /…/ }).click();
    await page.waitForURL(new RegExp(`#/licenses/${licenseKey}`));
    await page.goBack();
    await page.getByText('A license was revoked.').waitFor();
    await page.getByLabel('Who').selectOption({ label: 'Storefront' });
    await page.getByText('Nothing that fits was changed.').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await happened.waitFor();
  });

  it('has exact times with their zone on paper, in each row', async () => {
    const licenseKey = await under.app.license({ email: 'paper@example.com' });
    const page = await under.open({ isNew: true, timeZone: 'Asia/Tokyo', at: `/activity?license=${licenseKey}` });
    const time = page.getByRole('listitem').locator('time');
    await time.first().waitFor();
    const shown = () =>
      time.first().evaluate((each) => [getComputedStyle(each).fontSize, getComputedStyle(each, '::after').content]);
    assert.equal((await shown())[1], 'none');
    await page.emulateMedia({ media: 'print' });
    const [size, paper = ''] = await shown();
    assert.equal(size, '0px');
    assert.match(paper, /^"\d+ \w+ \d{4}, \d\d:\d\d GMT\+9"$/);
  });

  it('reports a failure with the request id, and goes on when the service is back', async () => {
    const page = await under.open({ device: 'phone', at: '/activity' });
    await page
      .getByRole('button', { name: /^Details/ })
      .first()
      .waitFor();
    await seeFailureAndGoOn(
      page,
      '/listEvents',
      () => page.reload(),
      () =>
        page
          .getByRole('button', { name: /^Details/ })
          .first()
          .waitFor(),
    );
  });

  it('is divided by days, has pages, and is downloaded as a whole', async () => {
    const { app } = under;
    await under.move(2 * DAY_MS);
    for (let count = 0; count < 60; count += 1)
      await app.license({ email: `=many${count}@example.com`, productId: 'many' });
    const page = await under.open({ at: '/activity?product=many' });
    await page.getByText('A license was issued to =many59@example.com for many.').waitFor();
    await hasCount(page.getByRole('button', { name: /^Details/ }), 50);
    const { name, lines } = await downloaded(page);
    assert.equal(name, 'activity.csv');
    assert.equal(lines.length, 61);
    assert.equal(lines[0], 'Time,What,Who,License,Product,Changes,Request');
    assert.match(lines[1] ?? '', /^[-\d]+T[\d:.]+Z,A license was issued to =many59@example\.com for many\.,Operator,/);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('A license was issued to =many0@example.com for many.').waitFor();
    await hasCount(page.getByRole('button', { name: /^Details/ }), 10);
    await inspect(page);
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('A license was issued to =many59@example.com for many.').waitFor();
    await page.getByLabel('Changed', { exact: true }).selectOption('..');
    await page.getByLabel('Changed to').fill(new Date(app.clock.now() - DAY_MS).toISOString().slice(0, 10));
    await page.getByText('Nothing that fits was changed.').waitFor();
  });

  it('takes a new address and a revocation back once, in the tab that comes first', async () => {
    const { app } = under;
    const licenseKey = await app.license({ email: 'tabs@example.com' });
    await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: 'moved@example.com' }));
    await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
    const license = async () => (await app.admin('/getLicense', { licenseKey })).body.license;
    const tabs = [];
    for (const sentence of ['A license got the e-mail address moved@example.com.', 'A license was revoked']) {
      for (const name of ['Ada', 'Bea']) {
        const page = await under.open({ name, at: `/activity?license=${licenseKey}` });
        tabs.push({ page, dialog: await askToUndo(page, sentence) });
      }
    }
    const [moved, movedToo, revoked, revokedToo] = tabs;
    await moved!.dialog.getByText('The license gets the address tabs@example.com again.').waitFor();
    await inspect(moved!.page);
    await moved!.dialog.getByRole('button', { name: 'Undo' }).click();
    await moved!.dialog.waitFor({ state: 'detached' });
    await movedToo!.dialog.getByRole('button', { name: 'Undo' }).click();
    await movedToo!.dialog.getByText(/changed meanwhile by .*Ada.*: email from moved@example\.com to tabs@/).waitFor();
    assert.deepEqual([(await license()).email, (await license()).status], ['tabs@example.com', 'revoked']);
    await revoked!.dialog.getByText('violations of the highest level are resolved, which cannot be undone').waitFor();
    await revoked!.dialog.getByRole('button', { name: 'Undo' }).click();
    await revoked!.dialog.waitFor({ state: 'detached' });
    await revokedToo!.dialog.getByRole('button', { name: 'Undo' }).click();
    await revokedToo!.dialog.getByText(/changed meanwhile by .*Ada.*: revocation from plain to none/).waitFor();
    assert.equal((await license()).status, 'active');
  });
});
