/**
 * A support case: find the license from the customer's text, read the reason, press one button, and the app gets in.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestApp } from '../../../server/test/support/app.ts';
import { historyWithRefusals } from '../../../server/test/support/kept-refusals.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';

const DAY = 86_400_000;

/** A call of an app. */
function activate(app: TestApp, licenseKey: string, machineFingerprint: string, hostname: string) {
  return app.send('/activate', { licenseKey, productId: 'tapehead', machineFingerprint, hostname });
}

/** A license with two machines in use, whose customer has just been refused on a third. */
async function refusedCustomer(app: TestApp, move: (ms: number) => Promise<void>, tag: string): Promise<string> {
  const key = await app.license({ email: `ada-${tag}@example.com`, productId: 'tapehead', purchaseId: `order-${tag}` });
  await activate(app, key, `${tag}-1`, `desk-${tag}`);
  await activate(app, key, `${tag}-2`, `road-${tag}`);
  await move(41 * DAY);
  await activate(app, key, `${tag}-1`, `desk-${tag}`);
  const refused = await activate(app, key, `${tag}-3`, `new-${tag}`);
  assert.equal(refused.headers['latchkey-code'], 'machine_limit');
  await historyWithRefusals(app, key, 1);
  return key;
}

/** Pastes like a person: puts the text into the clipboard and presses Ctrl V. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((value) => navigator.clipboard.writeText(value), text);
  await page.keyboard.press('Control+V');
}

/** A phone, a tablet, and computers on which the reply is higher than the screen. */
const SIZES = [
  [390, 844],
  [390, 640],
  [768, 1024],
  [1280, 800],
  [1280, 640],
] as const;

/**
 * The buttons of a dialog that something covers or that are out of sight, while the dialog is at its beginning and at
 * its end, where "Close" is beyond the upper edge.
 */
function hiddenButtonsOf(dialog: Element): string[] {
  const viewport = dialog.parentElement!;
  const hidden: string[] = [];
  for (const position of [0, viewport.scrollHeight]) {
    viewport.scrollTop = position;
    for (const button of dialog.querySelectorAll('header button, footer button, section button')) {
      const { left, top, right, bottom } = button.getBoundingClientRect();
      const isInSight = top >= 0 && bottom <= innerHeight;
      const corners = [left + 4, right - 4].flatMap((x) => [top + 4, bottom - 4].map((y) => [x, y] as const));
      const isFree = corners.every(([x, y]) => button.contains(document.elementFromPoint(x, y)));
      const mayBeOutOfSight = button.closest('header') !== null && position > 0;
      if (isInSight ? !isFree : !mayBeOutOfSight)
        hidden.push(`${button.textContent || button.getAttribute('aria-label')} at ${position}`);
    }
  }
  return hidden;
}

describeConsole('support', (under) => {
  for (const look of [{}, { device: 'phone', scheme: 'dark' }] as const)
    it(`frees a machine two keys after a pasted hostname, and the app gets in (${JSON.stringify(look)})`, async () => {
      const tag = 'device' in look ? 'phone' : 'desk';
      const { app } = under;
      const key = await refusedCustomer(app, under.move, tag);
      const page = await under.open({ at: '/licenses', ...look });
      await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
      await page.keyboard.press('/');
      await paste(page, `road-${tag}`);
      await page.getByRole('option', { name: `road-${tag}` }).waitFor();
      await inspect(page);
      await page.keyboard.press('Enter');
      const why = page.getByRole('region', { name: 'Why?' });
      await why.getByRole('heading', { name: 'Looks like an unused machine in the way' }).waitFor();
      await why.getByText(`"road-${tag}" has a slot and was last seen 41 days ago.`, { exact: true }).waitFor();
      await why.getByText(`new-${tag} cannot get in: 2 of 2 machines are in use.`).waitFor();
      await why.getByText(`new-${tag} was refused just now.`).waitFor();
      await inspect(page);
      await why.getByRole('button', { name: `Free road-${tag} (idle 41 days)` }).waitFor();
      const machines = async () => (await app.admin('/getLicense', { licenseKey: key })).body.activationCount;
      await page.keyboard.press('f');
      await page.getByText(`road-${tag} is removed in a moment.`).waitFor();
      await inspect(page);
      // Another press does nothing more, and the first one can be taken back.
      await page.keyboard.press('f');
      await hasCount(page.getByText(`road-${tag} is removed in a moment.`), 1);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Nothing was changed.').waitFor();
      await under.pass(6_000);
      assert.equal(await machines(), 2);
      await page.keyboard.press('f');
      await page.getByText(`road-${tag} is removed in a moment.`).waitFor();
      assert.equal(await machines(), 2);
      await under.pass(6_000);
      await why.getByRole('heading', { name: `new-${tag} can use this license.` }).waitFor();
      await page.getByText(`road-${tag} was removed from the license of `).waitFor();
      await inspect(page);
      assert.equal((await activate(app, key, `${tag}-3`, `new-${tag}`)).status, 200);
    });

  it('allows one more machine, and the app gets in', async () => {
    const key = await refusedCustomer(under.app, under.move, 'limit');
    const page = await under.open({ at: `/licenses/${key}` });
    await page.getByRole('button', { name: 'Allow 3 machines' }).click();
    await page.getByRole('heading', { name: 'new-limit can use this license.' }).waitFor();
    const limit = async () => (await under.app.admin('/getLicense', { licenseKey: key })).body.license.maxMachines;
    assert.equal(await limit(), 3);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change to the license of ').waitFor();
    assert.equal(await limit(), 2);
    await page.getByRole('button', { name: 'Allow 3 machines' }).click();
    await page.getByRole('heading', { name: 'new-limit can use this license.' }).waitFor();
    assert.equal((await activate(under.app, key, 'limit-3', 'new-limit')).status, 200);
  });

  it('asks before it frees a machine in use, and no key frees it', async () => {
    const { app } = under;
    const key = await app.license({ productId: 'tapehead', maxMachines: 1 });
    await activate(app, key, 'used-1', 'studio-used');
    const refused = await activate(app, key, 'used-2', 'new-used');
    assert.equal(refused.headers['latchkey-code'], 'machine_limit');
    await historyWithRefusals(app, key, 1);
    const machines = async () => {
      const { body } = await app.admin('/getLicense', { licenseKey: key });
      return body.activations.map(({ hostname }: { hostname: string }) => hostname);
    };
    const page = await under.open({ at: `/licenses/${key}` });
    const free = page.getByRole('button', { name: 'Free studio-used', exact: true });
    await free.waitFor();
    await page.keyboard.press('f');
    await free.click();
    const dialog = page.getByRole('dialog', { name: 'Remove studio-used?' });
    await dialog.getByText(/^studio-used was seen .+; its app stops at its next check\./).waitFor();
    await inspect(page);
    assert.deepEqual(await machines(), ['studio-used']);
    await dialog.getByRole('button', { name: 'Remove machine' }).click();
    await page.getByRole('heading', { name: 'new-used can use this license.' }).waitFor();
    assert.deepEqual(await machines(), []);
  });

  it('copies a reply to the customer that names the machines and no key', async () => {
    const key = await refusedCustomer(under.app, under.move, 'reply');
    const page = await under.open({ at: `/licenses/${key}` });
    await page.getByRole('button', { name: 'Copy reply' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const reply = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(reply, /^Hello,\n\nyour license for [Tt]apehead is for 2 computers at once, and all are in use: /);
    assert.match(reply, /"road-reply"/);
    assert.ok(!reply.includes(key));
  });

  it('declines, fills a template in, and keeps, changes and deletes templates', async () => {
    const key = await refusedCustomer(under.app, under.move, 'template');
    const page = await under.open({ at: `/licenses/${key}` });
    await page.getByRole('button', { name: 'Write a reply' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reply to the customer' });
    const text = dialog.getByLabel('Text', { exact: true });
    await dialog.getByLabel('Reply', { exact: true }).selectOption('Declining');
    assert.match(await text.inputValue(), /we cannot add "new-template" to them\./);
    await dialog.getByLabel('Time zone of the customer').selectOption('Asia/Tokyo');
    await inspect(page);
    await dialog.getByRole('button', { name: 'New template' }).click();
    const editor = page.getByRole('dialog', { name: 'New template' });
    await editor.getByLabel('Name').fill('Firm no');
    await editor.getByLabel('Text', { exact: true }).fill('No, {email}: {machine} is one too many of {limit}.');
    await inspect(page);
    await editor.getByRole('button', { name: 'Save template' }).click();
    await page.getByText('The template "Firm no" is saved.').waitFor();
    const stored = async () => (await under.app.admin('/listReplyTemplates', {})).body.templates;
    const own = async () => [
      ...(await stored()),
      ...(await under.app.admin('/listReplyTemplates', { creatorId: 'ada' })).body.templates,
    ];
    assert.equal((await own())[0].name, 'Firm no');
    await dialog.getByRole('option', { name: 'Template: Firm no' }).waitFor({ state: 'attached' });
    await page.waitForFunction(() => document.querySelector('textarea')?.value.startsWith('No, ada-template@'));
    assert.equal(await text.inputValue(), 'No, ada-template@example.com: "new-template" is one too many of 2.');
    await under.move(1000);
    await dialog.getByRole('button', { name: 'Change template' }).click();
    await page.getByRole('dialog', { name: 'Change template' }).getByLabel('Name').fill('Firmer no');
    await page.getByRole('button', { name: 'Save template' }).click();
    await dialog.getByRole('option', { name: 'Template: Firmer no' }).waitFor({ state: 'attached' });
    await under.move(1000);
    // The message is in the dialog, which covers everything else and keeps the focus.
    await dialog.getByText('The template "Firmer no" is saved.').waitFor();
    await inspect(page);
    await dialog.getByRole('button', { name: 'Undo' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('The template "Firm no" is as before.').waitFor();
    assert.equal((await own())[0].name, 'Firm no');
    await dialog.getByRole('option', { name: 'Template: Firm no' }).waitFor({ state: 'attached' });
    await dialog.getByRole('button', { name: 'Delete template' }).click();
    await page
      .getByRole('dialog', { name: 'Delete the template' })
      .getByRole('button', { name: 'Delete template' })
      .click();
    await dialog.getByText('The template "Firm no" was deleted.').waitFor();
    assert.deepEqual(await own(), []);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText('The template "Firm no" is back.').waitFor();
    assert.equal((await own())[0].text, 'No, {email}: {machine} is one too many of {limit}.');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The message stays in sight after the dialog.
    await page.getByText('The template "Firm no" is back.').waitFor();
  });

  for (const look of [{}, { device: 'phone', scheme: 'dark' }] as const)
    it(`has its messages above the buttons of the reply, at every size (${JSON.stringify(look)})`, async () => {
      const tag = 'device' in look ? 'news-phone' : 'news-desk';
      const key = await refusedCustomer(under.app, under.move, tag);
      const name = `Answer of ${tag}`;
      await under.app.admin('/saveReplyTemplate', { name, text: 'No, {email}.', verdict: null });
      const page = await under.open({ at: `/licenses/${key}`, ...look });
      await page.getByRole('button', { name: 'Write a reply' }).click();
      const dialog = page.getByRole('dialog', { name: 'Reply to the customer' });
      const news = dialog.getByRole('region', { name: 'News in the dialog' });
      await dialog.getByLabel('Reply', { exact: true }).selectOption(`Template: ${name}`);
      for (const text of ['Not now, {email}.', 'Never, {email}.']) {
        await under.move(1000);
        await dialog.getByRole('button', { name: 'Change template' }).click();
        await page.getByRole('dialog', { name: 'Change template' }).getByLabel('Text', { exact: true }).fill(text);
        await page.getByRole('button', { name: 'Save template' }).click();
        await news.getByText(`The template "${name}" is saved.`).last().waitFor();
      }
      const dismiss = news.getByRole('button', { name: 'Dismiss' });
      // A message stays while the pointer moves over it.
      for (const each of await dismiss.all()) await each.dispatchEvent('pointermove');
      assert.equal(await dismiss.count(), 2);
      const size = page.viewportSize()!;
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        assert.deepEqual(await dialog.evaluate(hiddenButtonsOf), [], `at ${width} x ${height}`);
      }
      await page.setViewportSize(size);
      await inspect(page);
    });

  it('finds things by each kind of text that a customer sends', async () => {
    const { app } = under;
    const key = await refusedCustomer(app, under.move, 'kinds');
    await app.admin('/createProduct', { slug: 'loom', name: 'Loom Pro', creatorId: 'ada' });
    await app.admin('/createDiscountCode', { code: 'SPRING-LOOM', productId: 'loom', trialDays: 14 });
    const page = await under.open({ at: '/licenses' });
    const cases = [
      [key, 'Licenses', `/licenses/${key}`],
      [key.slice(0, 11).toLowerCase(), 'Licenses', `/licenses/${key}`],
      ['ada-kinds@example.com', 'Licenses', `/licenses/${key}`],
      ['desk-kinds', 'Machines', `/licenses/${key}`],
      ['order-kinds', 'Purchases', `/licenses/${key}`],
      ['Loom', 'Products', '/products/loom'],
      ['SPRING-LOOM', 'Codes', '/codes/SPRING-LOOM'],
    ] as const;
    for (const [query, group, address] of cases) {
      await page.getByRole('button', { name: 'Search' }).click();
      const field = page.getByRole('combobox', { name: 'Search' });
      await field.fill(query);
      await page.getByRole('group', { name: group }).getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'hidden' }).catch(async (error: Error) => {
        const focused = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
        throw new Error(`the search for ${query} stays open, with the focus on ${focused}: ${error.message}`);
      });
      assert.equal(await page.evaluate(() => location.hash), `#${address}`, query);
    }
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    assert.ok(!kept.includes('kinds'), 'a search was kept');
  });

  it('deletes a note after a question, and the timeline keeps that it was there', async () => {
    const { app } = under;
    const key = await app.license({ email: 'noted@example.com', productId: 'tapehead' });
    await app.admin('/addNote', { licenseKey: key, text: 'Meant for another license.' });
    const page = await under.open({ at: `/licenses/${key}?tab=timeline` });
    await page.getByRole('button', { name: 'Delete note' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this note?' });
    await dialog.getByText('Meant for another license.').waitFor();
    await inspect(page);
    await dialog.getByRole('button', { name: 'Delete note' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Note by Operator, deleted since').waitFor();
    await page.getByText('A note was deleted.').waitFor();
    assert.equal(await page.getByText('Meant for another license.').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Delete note' }).count(), 0);
    await inspect(page);
  });

  it('shows a customer, changes the address, and forgets the customer', async () => {
    const { app } = under;
    const [email, newEmail] = ['ada-whole@example.com', 'ada-moved@example.com'];
    const key = await refusedCustomer(app, under.move, 'whole');
    await app.license({ email, productId: 'tapehead' });
    await app.admin('/addNote', { licenseKey: key, text: 'Called on Monday.' });
    const page = await under.open({ at: `/licenses/${key}` });
    await page.getByRole('link', { name: email }).click();
    await page.getByText('2 licenses', { exact: true }).waitFor();
    for (const name of ['Refused', 'Machines', 'Notes'])
      await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.getByText('Called on Monday.').waitFor();
    await inspect(page);

    // The address of somebody else: both would be one customer.
    await app.license({ email: 'bo-whole@example.com', productId: 'tapehead' });
    await page.getByRole('button', { name: 'Change the address' }).click();
    await page.getByLabel('New address').fill('Bo-Whole@example.com');
    await page.getByText('bo-whole@example.com is a customer already.').waitFor();
    await page.getByText(`bo-whole@example.com has 1 license. ${email} has 2 licenses and 2 machines.`).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Change', exact: true }).isDisabled());
    await inspect(page);
    await page.getByLabel('Put both together').check();
    await page.getByRole('button', { name: 'Change', exact: true }).click({ trial: true });
    await page.getByLabel('New address').fill(newEmail);
    await page.getByText('is a customer already.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.waitForURL((url) => url.hash === `#/customers/${encodeURIComponent(newEmail)}`);
    await page.getByText('2 licenses', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Forget' }).click();
    const dialog = page.getByRole('dialog', { name: 'Forget this customer' });
    await dialog.getByText('the address of 2 licenses, and of all their changes').waitFor();
    assert.ok(await dialog.getByLabel(`Also forget ${email}`).isChecked());
    const forget = dialog.getByRole('button', { name: 'Forget' });
    assert.ok(await forget.isDisabled());
    await dialog.getByLabel(`Type ${newEmail} to confirm`).fill(newEmail);
    await inspect(page);
    await forget.click();
    const done = page.getByRole('dialog', { name: 'The customer is forgotten' });
    await done.getByText(/^Replaced: 2 licenses, /).waitFor();
    await done.getByText(`Nothing in the service holds ${email} and ${newEmail} any more.`).waitFor();
    await inspect(page);
    // Somebody returns from the window into which the proof was pasted, and everything is read again.
    await under.move(60_000);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByText('There is no such customer.').waitFor();
    await hasCount(page.getByText(/(?:desk|road|new)-whole/), 0);
    await done.getByRole('button', { name: 'Done' }).click();
    await page.getByText('There is no such customer.').waitFor();
    await hasCount(page.getByText(/(?:desk|road|new)-whole/), 0);
    assert.equal((await app.admin('/getCustomer', { email: newEmail })).status, 404);
    const { license } = (await app.admin('/getLicense', { licenseKey: key })).body;
    assert.match(license.email, /^forgotten-/);
    const { events } = (await app.admin('/listEvents', { licenseKey: key })).body;
    assert.doesNotMatch(JSON.stringify(events), /ada-(?:whole|moved)@/);
  });

  it('stops forgetting after the call under way, says what was done, and goes on', async () => {
    const { app } = under;
    const email = 'ada-many@example.com';
    await Promise.all(Array.from({ length: 200 }, () => app.license({ email, productId: 'tapehead' })));
    const page = await under.open({ at: `/customers/${encodeURIComponent(email)}` });
    // Each call waits until the test lets it go.
    let arrival = Promise.withResolvers<() => void>();
    let sent = 0;
    await page.route('**/forgetCustomer', async (route) => {
      sent += 1;
      await new Promise<void>((go) => arrival.resolve(go));
      await route.continue();
    });
    const letGo = async () => {
      const go = await arrival.promise;
      arrival = Promise.withResolvers();
      go();
    };
    const open = async () => {
      await page.getByRole('button', { name: 'Forget' }).click();
      await page.getByLabel(`Type ${email} to confirm`).fill(email);
      await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click();
    };
    await open();
    const dialog = page.getByRole('dialog', { name: 'Forget this customer' });
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText('Stopping after the current step.').waitFor();
    await inspect(page);
    await letGo();
    await dialog.getByText(/^Not finished\. Replaced so far: \d\d licenses, /).waitFor();
    await inspect(page);
    assert.equal(sent, 1);

    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).waitFor();
    await page.keyboard.press('Escape');
    await letGo();
    await dialog.getByText(/^Not finished\. /).waitFor();
    assert.equal(sent, 2);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await app.admin('/getCustomer', { email })).status, 200);

    // A person who leaves the page gets a message instead.
    await open();
    await dialog.getByRole('button', { name: 'Stop' }).waitFor();
    await page.evaluate(() => location.assign('#/licenses'));
    await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
    await letGo();
    await page.getByText(`Forgetting ${email} has stopped.`).waitFor();
    await page.getByText(/^Replaced: \d+ licenses, /).waitFor();
    await inspect(page);
    assert.equal(sent, 3);
  });

  it('says that something looks like a secret, and does not repeat it', async () => {
    const { body } = await under.app.admin('/createApiKey', { name: 'shop', creatorId: 'ada' });
    const page = await under.open({ at: '/licenses' });
    await page.keyboard.press('/');
    await paste(page, body.apiKey);
    await page.getByText('This looks like a secret.').waitFor();
    await inspect(page);
  });

  it('keeps every character typed right after the key that opens the search', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
    await page.keyboard.type('/ada-kinds@example');
    await page
      .getByRole('option', { name: /ada-kinds@example.com/ })
      .first()
      .waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Search' }).inputValue(), 'ada-kinds@example');
  });
});
