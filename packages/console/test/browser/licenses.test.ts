/** The list of licenses: filters in the address, many at once, and issuing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { choose, downloaded } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { busyFor, failing } from '../support/failing.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';

const DAY = 86_400_000;

describeConsole('the list of licenses', (under) => {
  it('explains licenses and how to issue the first, if there is none', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByText('No licenses yet').waitFor();
    const line = await page
      .getByText(/X-Admin-Secret: \$ADMIN_SECRET/)
      .first()
      .innerText();
    assert.ok(line.includes(`--cacert '${join(under.app.directory, 'tls-cert.pem')}'`), line);
    await inspect(page);
  });

  it('issues one license by the keyboard alone, filled in by its variant', async () => {
    await under.app.admin('/createProduct', { slug: 'tapehead', name: 'Tapehead', creatorId: 'ada' });
    await under.app.admin('/createVariant', { productId: 'tapehead', name: 'year', maxMachines: 3, durationDays: 365 });
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Issue licenses' });
    await dialog.getByLabel('Variant').waitFor();
    // The only product and its only variant are chosen.
    assert.equal(await dialog.getByLabel('Product').inputValue(), 'tapehead');
    assert.equal(await dialog.getByLabel('Variant').inputValue(), 'year');
    assert.equal(await dialog.getByLabel('Days', { exact: true }).inputValue(), '365');
    await dialog.getByLabel('E-mail addresses').fill('ada@example.com');
    await inspect(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog.getByText('1 license was issued.').waitFor();
    await inspect(page);
    const { body } = await under.app.admin('/listLicenses', { email: 'ada@example.com', detail: true });
    const [license] = body.licenses;
    assert.deepEqual([body.count, license.variant, license.maxMachines], [1, 'year', 3]);
    // The clock of the browser runs while the clock of the service stands still.
    const late = Date.parse(license.expiresAt) - under.app.clock.now() - 365 * DAY;
    assert.ok(late >= 0 && late < DAY, license.expiresAt);
  });

  it('leaves the choice among several products and variants, and takes back the only variant', async () => {
    const { app } = under;
    await app.admin('/createProduct', { slug: 'duo', name: 'Duo', creatorId: 'ada' });
    for (const name of ['one', 'two']) await app.admin('/createVariant', { productId: 'duo', name });
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('button', { name: 'Issue licenses' }).click();
    const dialog = page.getByRole('dialog', { name: 'Issue licenses' });
    await dialog.getByRole('option', { name: 'Duo' }).waitFor({ state: 'attached' });
    assert.equal(await dialog.getByLabel('Product').inputValue(), '');
    await dialog.getByLabel('Product').selectOption('duo');
    await dialog.getByRole('option', { name: 'two' }).waitFor({ state: 'attached' });
    assert.equal(await dialog.getByLabel('Variant').inputValue(), '');
    await dialog.getByLabel('Product').selectOption('tapehead');
    await dialog.getByRole('option', { name: 'year' }).waitFor({ state: 'attached' });
    assert.equal(await dialog.getByLabel('Variant').inputValue(), 'year');
    await dialog.getByLabel('Variant').selectOption({ label: 'None in particular' });
    await dialog.getByLabel('E-mail addresses').fill('plain@example.com');
    await dialog.getByRole('button', { name: 'Issue 1 license' }).click();
    await dialog.getByText('1 license was issued.').waitFor();
    const { body } = await app.admin('/listLicenses', { email: 'plain@example.com', detail: true });
    assert.deepEqual([body.count, body.licenses[0].variant, body.licenses[0].expiresAt], [1, 'indie', null]);
  });

  it('issues 50 licenses for a pasted list, and gives them as CSV that reads back', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('button', { name: 'Issue licenses' }).click();
    const dialog = page.getByRole('dialog', { name: 'Issue licenses' });
    await dialog.getByLabel('Product').selectOption('tapehead');
    const list = Array.from({ length: 25 }, (_, index) => `studio${index}@example.com`).join('\n');
    await dialog.getByLabel('E-mail addresses').fill(list);
    await dialog.getByLabel('Licenses each').fill('2');
    await dialog.getByRole('button', { name: 'Issue 50 licenses' }).click();
    await dialog.getByText('50 licenses were issued.').waitFor();
    await inspect(page);
    const [titles, ...lines] = (await downloaded(page)).lines;
    assert.equal(titles, 'E-mail,Key,Product,Variant,Expires');
    assert.equal(lines.length, 50);
    for (const line of lines) {
      const [email, licenseKey] = line.split(',');
      const { body } = await under.app.admin('/getLicense', { licenseKey });
      assert.equal(body.license.email, email);
    }
  });

  it('refuses nonsensical licenses, beside the field', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('button', { name: 'Issue licenses' }).click();
    const dialog = page.getByRole('dialog', { name: 'Issue licenses' });
    await dialog.getByLabel('E-mail addresses').fill('no address');
    await dialog.getByText('"no" is not an e-mail address.').waitFor();
    await dialog.getByLabel('Licenses each').fill('501');
    await dialog.getByText('A whole number; at most 500 licenses at once.').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Issue', exact: true }).isDisabled());
    await inspect(page);
  });

  it('keeps filters, pages and views in the address', async () => {
    for (let number = 0; number < 51; number++)
      await under.app.license({ email: `paged${number}@example.com`, productId: 'tapehead' });
    await under.app.license({
      email: 'soon@example.com',
      productId: 'tapehead',
      expiresAt: under.app.clock.at(5 * DAY),
    });
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('Page 1').waitFor();
    await page.getByLabel('E-mail', { exact: true }).fill('paged7@example.com');
    await page.keyboard.press('Enter');
    await page.waitForURL(/email=paged7/);
    await page.getByRole('cell', { name: 'paged7@example.com', exact: true }).waitFor();
    // The previous rows stay in sight until the new ones arrive.
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    await hasCount(page.getByRole('row'), 2);
    await page.getByLabel('Which').selectOption('expiring-7');
    await page.getByRole('link', { name: /…/ }).first().waitFor();
    await page.waitForURL((url) => url.hash === '#/licenses?view=expiring-7');
    await page.getByRole('cell', { name: 'soon@example.com', exact: true }).waitFor();
    await inspect(page);
    await choose(page, 'Views', 'Save this view…');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.reload();
    await page.goto(`${under.origin}/console/#/licenses`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Expiring within 7 days', exact: true }).click();
    await page.waitForURL(/view=expiring-7/);
    await page.goto(`${under.origin}/console/#/licenses?email=nobody@example.com`);
    await page.getByText('No license fits.').waitFor();
    await inspect(page);
  });

  it('revokes 30 at once after their number is typed, and says which two were refused', async () => {
    const { app } = under;
    await app.admin('/createProduct', { slug: 'many', name: 'Many', creatorId: 'ada' });
    const keys: string[] = [];
    for (let number = 0; number < 30; number++)
      keys.push(await app.license({ email: `m${number}@example.com`, productId: 'many' }));
    const page = await under.open({ at: '/licenses?product=many' });
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await page.getByText('30 licenses selected').waitFor();
    await inspect(page);
    const tried: string[] = [];
    const seen: string[] = [];
    // Two of them are refused the first time, as by a busy service.
    await failing(page, '/revokeLicense', {
      as: busyFor(1),
      when: (request) => {
        const { licenseKey } = request.postDataJSON();
        seen.push(request.headers()['idempotency-key']!);
        return keys.indexOf(licenseKey) % 15 === 3 && !tried.includes(licenseKey) && tried.push(licenseKey) > 0;
      },
    });
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke 30 licenses' });
    assert.ok(await dialog.getByRole('button', { name: 'Revoke 30' }).isDisabled());
    await dialog.getByLabel('Type 30 to confirm').fill('30');
    await dialog.getByRole('button', { name: 'Revoke 30' }).click();
    await dialog.getByText('28 of 30 done, 2 refused.').waitFor();
    await hasCount(dialog.getByText('The service has too much to do at the moment.'), 2);
    await inspect(page);
    await dialog.getByRole('button', { name: 'Try the 2 again' }).click();
    await dialog.getByText('30 of 30 done.').waitFor();
    assert.equal(seen.length, 32, 'what had succeeded was sent again');
    assert.equal(new Set(seen).size, 30, 'a second try came with another Idempotency-Key');
    const { body } = await app.admin('/listLicenses', { productId: 'many', status: 'revoked' });
    assert.equal(body.count, 30);
  });

  it('extends each license from its own end, passes over those without one, and names those out of sight', async () => {
    const { app } = under;
    await app.admin('/createProduct', { slug: 'ends', name: 'Ends', creatorId: 'ada' });
    const issue = (email: string, order: { readonly expiresAt?: string }) =>
      app.license({ email, productId: 'ends', ...order });
    const soon = await issue('soon@ends.example', { expiresAt: app.clock.at(5 * DAY) });
    const past = await issue('past@ends.example', { expiresAt: app.clock.at(-5 * DAY) });
    const endless = await issue('endless@ends.example', {});
    const endOf = async (licenseKey: string) => (await app.admin('/getLicense', { licenseKey })).body.license.expiresAt;
    const page = await under.open({ at: '/licenses?product=ends' });
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await page.getByLabel('E-mail', { exact: true }).fill('soon@ends.example');
    await page.keyboard.press('Enter');
    const bar = page.getByRole('region', { name: 'Selected licenses' });
    await bar.getByText('3 licenses selected, 2 not shown').waitFor();
    await bar.getByRole('button', { name: 'Only those shown' }).waitFor();
    await inspect(page);
    await bar.getByRole('button', { name: 'Extend' }).click();
    const dialog = page.getByRole('dialog', { name: 'Extend 3 licenses' });
    await hasCount(dialog.getByText('(not shown)'), 2);
    await dialog.getByText(/1 has no end and stays as it is\./).waitFor();
    await inspect(page);
    // One extension is made, but its answer is lost the first time.
    let lost = 0;
    await failing(page, '/updateLicense', {
      when: async (request) => {
        if (request.postDataJSON().licenseKey !== soon || lost++ > 0) return false;
        const sent = await page.request.post(request.url(), {
          headers: await request.allHeaders(),
          data: request.postDataJSON(),
        });
        assert.equal(sent.status(), 200);
        return true;
      },
    });
    await dialog.getByRole('button', { name: 'Extend 2' }).click();
    await dialog.getByText('1 extended, 1 has no end, 1 refused.').waitFor();
    await dialog.getByRole('button', { name: 'Try the 1 again' }).click();
    await dialog.getByText('2 extended, 1 has no end.').waitFor();
    await inspect(page);
    assert.equal(await endOf(soon), app.clock.at(35 * DAY), 'extended twice');
    // The clock of the browser runs while the clock of the service stands still.
    const late = Date.parse(await endOf(past)) - Date.parse(app.clock.at(30 * DAY));
    assert.ok(late >= 0 && late < DAY, `${late} ms after 30 days from now`);
    assert.equal(await endOf(endless), null);
  });

  it('moves through rows by j and k, selects by x, and opens by Enter', async () => {
    const page = await under.open({ at: '/licenses?product=many' });
    // Placeholder rows have no link.
    await page.getByRole('row').nth(2).getByRole('link').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 license selected').waitFor();
    const opened = await page.getByRole('row').nth(2).getByRole('link').getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.hash === opened);
  });

  it('works on a phone, in the dark', async () => {
    const page = await under.open({ at: '/licenses?product=many', device: 'phone', scheme: 'dark' });
    await page.getByText('m3@example.com').waitFor();
    await page.getByRole('button', { name: 'Filters (1)' }).click();
    await inspect(page);
    await page.getByRole('button', { name: 'Navigation' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Licenses' }).waitFor();
    await inspect(page);
  });
});
