/** Request IDs: every change shows the ID beside its result, to be quoted and looked up. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { choose } from '../support/acts.ts';
import { busyFor, failing } from '../support/failing.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { type ConsoleUnderTest, describeConsole } from '../support/open-console.ts';
import { crowdedLicense, mustSucceed } from '../support/success.ts';

const ONE = 'Copy the number of the request';
const SEVERAL = 'Copy the numbers of the requests';

/** The request IDs in the replies of one endpoint, in order, without replies made by a test. */
function answeredBy(page: Page, path: string): string[] {
  const numbers: string[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === path && response.ok()) numbers.push(response.headers()['x-request-id']!);
  });
  return numbers;
}

/** The text that a button copies. */
async function copied(place: Locator, button: string): Promise<string> {
  const page = place.page();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await place.getByRole('button', { name: button, exact: true }).click();
  // The click ends before the clipboard has the text.
  const text = await page.waitForFunction(() => navigator.clipboard.readText());
  return text.jsonValue();
}

/** Asserts that the activity log finds this kind of change by the request ID. */
async function isOf({ app }: ConsoleUnderTest, requestId: string, kind: string): Promise<void> {
  const { events } = await mustSucceed(app.admin('/listEvents', { requestId }));
  assert.deepEqual([...new Set(events.map((event: { type: string }) => event.type))], [kind], requestId);
}

describeConsole('the number of a request', (under) => {
  for (const look of LOOKS)
    it(`is shown with each of many licenses, done or refused (${look.device}, ${look.scheme})`, async () => {
      const productId = `many-${look.device}`;
      const keys: string[] = [];
      for (const name of ['ada', 'bo', 'cy'])
        keys.push(await under.app.license({ email: `${name}@example.com`, productId }));
      const page = await under.open({ ...look, at: `/licenses?product=${productId}` });
      await page.getByRole('checkbox', { name: /^Select cy@/ }).waitFor();
      for (const name of ['ada', 'bo', 'cy'])
        await page.getByRole('checkbox', { name: new RegExp(`^Select ${name}@`) }).check();
      const numbers = answeredBy(page, '/revokeLicense');
      const mend = await failing(page, '/revokeLicense', {
        as: busyFor(1),
        requestId: 'req-of-bo',
        when: (request) => request.postDataJSON().licenseKey === keys[1],
      });
      await page.getByRole('button', { name: 'Revoke', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Revoke 3' }).click();
      await dialog.getByText('2 of 3 done, 1 refused.').waitFor();
      await inspect(page);
      const line = (name: string) => dialog.getByRole('listitem').filter({ hasText: `${name}@example.com` });
      await line('bo').getByText('req-of-bo').waitFor();
      assert.equal(await copied(line('bo'), ONE), 'req-of-bo');
      const ofAda = await copied(line('ada'), ONE);
      assert.ok(numbers.includes(ofAda), ofAda);
      await isOf(under, ofAda, 'license.revoked');
      mend();
      await dialog.getByRole('button', { name: 'Try the 1 again' }).click();
      await dialog.getByText('3 of 3 done.').waitFor();
      await line('bo').getByText(numbers[2]!).waitFor();
      assert.equal(await dialog.getByText('req-of-bo').count(), 0);
      assert.deepEqual((await copied(dialog.locator(':scope'), SEVERAL)).split('\n').toSorted(), numbers.toSorted());
      await inspect(page);
    });

  it('is shown with each license that is issued', async () => {
    const page = await under.open({ at: '/licenses' });
    const numbers = answeredBy(page, '/createLicense');
    await page.getByRole('button', { name: 'Issue licenses' }).click();
    const dialog = page.getByRole('dialog', { name: 'Issue licenses' });
    // A select until the products are read: there is none.
    await dialog.getByRole('textbox', { name: 'Product' }).fill('tapehead');
    await dialog.getByLabel('E-mail addresses').fill('dora@example.com');
    await dialog.getByRole('button', { name: 'Issue 1 license' }).click();
    await dialog.getByText('1 license was issued.').waitFor();
    assert.deepEqual([await copied(dialog, ONE)], numbers);
  });

  it('is shown with a note that is written, and with one that is not', async () => {
    const licenseKey = await under.app.license({ email: 'eve@example.com', productId: 'tapehead' });
    const page = await under.open({ at: `/licenses/${licenseKey}?tab=timeline` });
    const numbers = answeredBy(page, '/addNote');
    const mend = await failing(page, '/addNote', { requestId: 'req-of-a-note' });
    await page.getByLabel('Note').fill('Called back.');
    await page.getByRole('button', { name: 'Add note' }).click();
    assert.equal(await copied(page.getByRole('alert'), ONE), 'req-of-a-note');
    mend();
    await page.getByRole('button', { name: 'Add note' }).click();
    const news = page.getByRole('region', { name: 'News' });
    await news.getByText('The note was added to license ').waitFor();
    assert.equal(await page.getByLabel('Note').inputValue(), '');
    await inspect(page);
    assert.deepEqual([await copied(news, ONE)], numbers);
    await news.getByRole('link', { name: 'Request' }).click();
    await page.getByRole('heading', { name: 'Activity', exact: true }).waitFor();
    assert.equal(await page.getByLabel('Request id').inputValue(), numbers[0]);
  });

  it('is shown for each license whose violations are resolved, and of each that is refused', async () => {
    const keys: string[] = [];
    for (const name of ['fay', 'gil']) keys.push(await crowdedLicense(under.app, `${name}@example.com`));
    const page = await under.open({ at: '/violations?type=machine_limit' });
    for (const name of ['fay', 'gil'])
      await page.getByLabel(`Select More machines than allowed of ${name}@example.com`).check();
    await page.getByRole('region', { name: 'What is selected' }).getByRole('button', { name: 'Resolve' }).click();
    const numbers: string[] = [];
    page.on('response', (response) => {
      const isTry = response.request().postData()?.includes('dryRun') ?? false;
      if (response.url().endsWith('/resolveLicense') && response.ok() && !isTry)
        numbers.push(response.headers()['x-request-id']!);
    });
    const dialog = page.getByRole('dialog', { name: 'Resolve 2 violations?' });
    await dialog.getByText('Nothing stays open.').nth(1).waitFor();
    const mend = await failing(page, '/resolveLicense', {
      requestId: 'req-of-gil',
      when: (request) => request.postDataJSON().licenseKey === keys[1],
    });
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    const ofGil = dialog.getByRole('listitem').filter({ hasText: 'gil@example.com' });
    assert.equal(await copied(ofGil, ONE), 'req-of-gil');
    await inspect(page);
    mend();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    const news = page.getByRole('region', { name: 'News' });
    await news.getByText('2 violations of 2 licenses are resolved.').waitFor();
    assert.deepEqual((await copied(news, SEVERAL)).split('\n').toSorted(), numbers.toSorted());
    assert.equal(numbers.length, 2);
    await inspect(page);
  });

  it('is shown with many codes: those that were made, and each that was refused', async () => {
    const page = await under.open({ at: '/codes' });
    const numbers = answeredBy(page, '/createDiscountCode');
    const asked: string[] = [];
    const mend = await failing(page, '/createDiscountCode', {
      requestId: (request) => `req-of-code-${asked.indexOf(request.postDataJSON().code)}`,
      when: (request) => asked.push(request.postDataJSON().code) <= 2,
    });
    await page.getByRole('button', { name: 'Many codes' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('How many').fill('4');
    await dialog.getByRole('button', { name: 'Create 4 codes' }).click();
    await dialog.getByText('2 of 4 are created, 2 were refused.').waitFor();
    const refused = dialog.getByRole('region', { name: 'Codes that were refused' }).getByRole('listitem');
    assert.deepEqual(
      (await Promise.all([copied(refused.nth(0), ONE), refused.nth(1).innerText()])).map((text) =>
        /req-of-code-\d/.test(text),
      ),
      [true, true],
    );
    await inspect(page);
    mend();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('4 of 4 are created.').waitFor();
    assert.deepEqual((await copied(dialog, SEVERAL)).split('\n').toSorted(), numbers.toSorted());
  });

  it('stands below a key that is shown once', async () => {
    const page = await under.open({ at: '/keys' });
    const numbers = answeredBy(page, '/createApiKey');
    await page.getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Creator', { exact: true }).fill('ada');
    await dialog.getByLabel('New creator').check();
    await dialog.getByLabel('Name').fill('Build server');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: 'The key of Build server' }).waitFor();
    await inspect(page);
    assert.deepEqual([await copied(dialog, ONE)], numbers);
    await isOf(under, numbers[0]!, 'api_key.created');
  });

  it('leads nowhere from news of a refusal: that request changed nothing', async () => {
    await mustSucceed(under.app.admin('/createDiscountCode', { code: 'SPRING', trialDays: 14 }));
    const page = await under.open({ at: '/codes' });
    await failing(page, '/updateDiscountCode', { as: busyFor(1), requestId: 'req-of-spring' });
    await choose(page, 'Actions of SPRING', 'Switch off');
    const news = page.getByRole('region', { name: 'News' });
    await news.getByText('req-of-spring').waitFor();
    assert.equal(await news.getByRole('link').count(), 0);
    await inspect(page);
  });
});
