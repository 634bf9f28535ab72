/** The first screen: the first steps of a new installation, and figures that match the recorded events. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN_SECRET, type TestApp } from '../../../server/test/support/app.ts';
import { Machine } from '../../../server/test/support/machine.ts';
import { hasCount } from '../support/count.ts';
import { gateBefore } from '../support/gate.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { creatorKey, mustSucceed } from '../support/success.ts';

const COUNTRIES = { LATCHKEY_COUNTRY_HEADER: 'cf-ipcountry' };
/** Writes figures at once instead of once a minute. */
const AT_ONCE = { memory: { countIntervalMs: 10, refusalIntervalMs: 10 } };
const DAY_MS = 86_400_000;
const from = (country: string) => ({ headers: { 'cf-ipcountry': country } });

/**
 * Four active licenses, one of them about to expire and two of them full, and one that is revoked for fraud; five
 * machines in two countries, two of them with live seats; three refusals of two kinds.
 */
async function fillShop(app: TestApp): Promise<void> {
  await mustSucceed(app.admin('/createProduct', { name: 'Tapehead', slug: 'tapehead', creatorId: 'ada' }));
  await mustSucceed(app.admin('/createProduct', { name: 'Modula', slug: 'modula', creatorId: 'bo' }));
  const license = (email: string, more: Readonly<Record<string, unknown>> = {}) =>
    app.license({ email, productId: 'tapehead', ...more });
  const activate = (licenseKey: string, fingerprint: string, country: string, status = 200) => {
    const machine = new Machine(app, licenseKey, fingerprint);
    machine.productId = 'tapehead';
    return mustSucceed(machine.activate(from(country)), status);
  };
  const pair = await license('ada@example.com', { maxMachines: 2 });
  await activate(pair, 'one', 'DE');
  await activate(pair, 'two', 'DE');
  await activate(pair, 'three', 'FR', 403);
  await activate(pair, 'three', 'FR', 403);
  const seats = await license('studio@example.com', { licenseType: 'floating', maxConcurrent: 2, maxMachines: 5 });
  await activate(seats, 'four', 'DE');
  await activate(seats, 'five', 'FR');
  const soon = await license('soon@example.com', { expiresAt: app.clock.at(10 * DAY_MS) });
  await activate(soon, 'six', 'DE');
  await license('other@example.com', { productId: 'modula' });
  const bad = await license('bad@example.com');
  await mustSucceed(app.admin('/revokeLicense', { licenseKey: bad, reason: 'fraud' }));
  await mustSucceed(app.send('/verify', { licenseKey: bad, productId: 'tapehead' }), 403);
  // The service records calls asynchronously, soon after each.
  for (;;) {
    const { refusalsByCode } = await mustSucceed(app.admin('/getOverview', { days: 1 }));
    const { countries } = await mustSucceed(app.admin('/getCountries'));
    const refused = refusalsByCode.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    const { count: usedFromGermany } = await mustSucceed(app.admin('/listLicenses', { country: 'DE' }));
    const { count: usedFromFrance } = await mustSucceed(app.admin('/listLicenses', { country: 'FR' }));
    if (refused === 3 && countries.length === 2 && usedFromGermany === 3 && usedFromFrance === 1) return;
  }
}

describeConsole('an installation without licenses', (under) => {
  /** Opens the overview, which asks whether the installation is new and gets no answer before `licenses.open()`. */
  async function openUndecided() {
    const page = await under.open({ secret: null, isNew: true });
    // No screen is loaded ahead.
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
    });
    await page.reload();
    const licenses = await gateBefore(page, '**/listLicenses');
    await page.getByLabel('Secret or key').fill(ADMIN_SECRET);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await licenses.reached;
    return { page, licenses };
  }

  it('shows nothing of the overview before the first steps', async () => {
    const { page, licenses } = await openUndecided();
    await page.getByRole('status', { name: 'Reading the overview' }).waitFor();
    assert.equal(await page.getByText('Active licenses').count(), 0);
    assert.equal(await page.getByRole('figure').count(), 0);
    await inspect(page);
    licenses.open();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    assert.equal(new URL(page.url()).hash, '#/start');
  });

  it('leads nobody to the first steps who is on the way to another screen', async () => {
    const { page, licenses } = await openUndecided();
    const files = await gateBefore(page, '**/console/assets/**');
    await page.getByRole('navigation').getByRole('link', { name: 'E-mails' }).click();
    await files.reached;
    const answered = page.waitForResponse('**/listLicenses');
    licenses.open();
    await (await answered).finished();
    // The overview, which stays until the file of the screen is there, has decided after two frames.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)))),
    );
    files.open();
    await page.getByRole('heading', { name: 'E-mails', exact: true }).waitFor();
    assert.equal(new URL(page.url()).hash, '#/mails');
    await inspect(page);
    // Who turns back has seen nothing of the shop yet.
    await page.goBack();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    const { products } = await mustSucceed(under.app.admin('/listProducts', { includeAll: true }));
    const { count } = await mustSucceed(under.app.admin('/listLicenses'));
    assert.deepEqual([products, count], [[], 0]);
  });
});

describeConsole('a new installation', (under) => {
  /** The code blocks of the last step: the lines of JavaScript, then the call with curl. */
  const linesOf = async (page: Page) => {
    await page.getByText('Waiting for the first check…').waitFor();
    return page.locator('pre').allInnerTexts();
  };

  it('shows a list of first steps, which opens their dialogs and stays until an app has checked', async () => {
    const { app } = under;
    const page = await under.open();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await inspect(page);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a product' }).click();
    await dialog.getByLabel('Name').fill('My app');
    assert.equal(await dialog.getByLabel('Creator').inputValue(), 'operator');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add a variant' }).click();
    await dialog.getByLabel('Name').fill('full');
    await page.keyboard.press('Enter');
    await page.getByText('full: 2 machines').waitFor();
    await page.getByRole('button', { name: 'Issue a license' }).click();
    await dialog.getByLabel('Your e-mail address').fill('ada@example.com');
    await inspect(page);
    await page.keyboard.press('Enter');
    const [program, call] = await linesOf(page);
    const { licenses } = await mustSucceed(app.admin('/listLicenses'));
    const [{ key: licenseKey, productId, variant, maxMachines }] = licenses;
    assert.deepEqual([licenses.length, productId, variant, maxMachines], [1, 'my-app', 'full', 2]);
    const certificate = join(app.directory, 'tls-cert.pem');
    for (const part of [`https://localhost:${app.port}`, 'my-app', licenseKey, certificate]) {
      assert.ok(program?.includes(part), `${program} without ${part}`);
      assert.ok(call?.includes(part), `${call} without ${part}`);
    }
    await inspect(page);

    // The first screen leads here as long as no app has checked.
    await page.getByRole('link', { name: 'Skip to the overview' }).click();
    await page.getByRole('link', { name: 'Expire within 30 days: 0' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await linesOf(page);

    const machine = { licenseKey, productId, machineFingerprint: 'one', hostname: 'studio-pc' };
    await mustSucceed(app.send('/activate', machine));
    await under.pass(3_000);
    await page.getByText(/^First check \d+ s ago, from studio-pc$/).waitFor();
    await inspect(page);
    await page.getByRole('link', { name: 'Open the overview' }).click();
    await page.getByRole('link', { name: 'Expire within 30 days: 0' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Expire within 30 days: 0' }).waitFor();
  });

  it('goes on after the first check with the steps before customers come', async () => {
    const { app } = under;
    const page = await under.open({ at: '/start' });
    await page.getByRole('heading', { name: 'Before customers come' }).waitFor();
    const step = (title: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) });
    const people = step('Give each person an own way in');
    await people.getByRole('link', { name: 'Make a key' }).waitFor();
    await inspect(page);
    const mail = step('Connect your mail server');
    await mail.getByText('LATCHKEY_SMTP_URL=').waitFor();
    await mail.getByRole('button', { name: 'Skip Connect your mail server' }).click();
    await mail.getByText('Skipped in this browser').waitFor();
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    assert.equal(focused, 'Take up Connect your mail server');
    await inspect(page);
    await mustSucceed(app.admin('/createOperatorKey', { name: 'Ada', role: 'support' }));
    writeFileSync(join(app.directory, 'last-backup'), '');
    await page.reload();
    await people.getByText('1 key of a person').waitFor();
    await step('Make a backup each day').getByText('Last backup').waitFor();
    await mail.getByText('Skipped in this browser').waitFor();
    for (const guide of await page.getByRole('main').locator('a[href^="../docs/"]').all()) {
      const { pathname } = new URL((await guide.getAttribute('href')) ?? '', page.url());
      assert.equal((await app.send(pathname, undefined, { method: 'GET' })).status, 200, pathname);
    }

    // The System screen names the open steps.
    await page.goto(`${under.origin}/console/#/system`);
    const left = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Before customers come' }) });
    await left.getByText('Not set up yet: the pages for customers.').waitFor();
    await inspect(page);
    await left.getByRole('link', { name: 'Open the first steps' }).click();
    await mail.getByRole('button', { name: 'Take up Connect your mail server' }).click();
    await mail.getByText('LATCHKEY_SMTP_URL=').waitFor();
    await page.goto(`${under.origin}/console/#/system`);
    await left.getByText('Not set up yet: a mail server, the pages for customers.').waitFor();
  });

  it('fits a phone, in dark colours', async () => {
    const page = await under.open({ device: 'phone', scheme: 'dark', at: '/start' });
    await page.getByText(/^First check .*studio-pc$/).waitFor();
    await inspect(page);
  });
});

describeConsole(
  'the overview',
  (under) => {
    it('shows the figures of the shop, each with the list behind it', async () => {
      await fillShop(under.app);
      for (const look of LOOKS) {
        const page = await under.open(look);
        for (const name of [
          'Active licenses: 4',
          'Expire within 30 days: 1',
          'Violations that need you: 2',
          'Live seats: 2',
          'Refusals in 24 hours: 3',
        ])
          await page.getByRole('link', { name, exact: true }).waitFor();
        await page.getByRole('link', { name: '1 severe' }).waitFor();
        const refusals = page.getByRole('figure', { name: 'Refusals by reason' });
        assert.match(
          (await refusals.getByRole('list').innerText()).replaceAll(/\s+/g, ' '),
          /No free machine 2.*License revoked or key replaced 1/,
        );
        const machines = page.getByRole('figure', { name: 'New machines' });
        await machines.getByRole('img', { name: /: New machines 5$/ }).waitFor();
        const map = page.getByRole('table', { name: 'Machines by country' });
        await map.getByRole('row', { name: 'Germany' }).waitFor({ state: 'attached' });
        assert.deepEqual(
          (await map.getByRole('row').allInnerTexts()).slice(1).map((text) => text.split(/\s+/)),
          [
            ['Germany', '4', '4'],
            ['France', '1', '1'],
          ],
        );
        assert.match(
          (await page.getByRole('img', { name: /^Machines called from 2 countries/ }).getAttribute('aria-label')) ?? '',
          /most from Germany/,
        );
        await map.getByRole('link', { name: 'Germany' }).click();
        const licenses = page.getByRole('table', { name: 'Licenses, the newest first' });
        for (const email of ['ada@example.com', 'studio@example.com', 'soon@example.com'])
          await licenses.getByRole('checkbox', { name: email }).waitFor();
        await hasCount(licenses.getByRole('checkbox', { name: /@example\.com/ }), 3);
        if (look.device === 'phone') await page.getByRole('button', { name: 'Filters (1)' }).click();
        const country = page.getByLabel('Country');
        assert.equal(await country.locator('option:checked').innerText(), 'Germany');
        await inspect(page);
        await country.selectOption({ label: 'France' });
        await hasCount(licenses.getByRole('checkbox', { name: /@example\.com/ }), 1);
        await page.getByLabel('Status').selectOption({ label: 'Revoked' });
        await licenses.getByRole('checkbox', { name: 'bad@example.com' }).waitFor();
        assert.equal(await country.inputValue(), '');
        await page.goto(`${under.origin}/console/#/licenses?country=FR`);
        await hasCount(licenses.getByRole('checkbox', { name: /@example\.com/ }), 1);
        await licenses.getByRole('link').first().click();
        await page.getByRole('tab', { name: 'Countries' }).click();
        const ofLicense = page.getByRole('table', { name: 'Machines by country' });
        await ofLicense.getByRole('link', { name: 'France' }).waitFor();
        assert.deepEqual(
          (await ofLicense.getByRole('row').allInnerTexts()).slice(1).map((text) => text.split(/\s+/)),
          [
            ['Germany', '1', '0'],
            ['France', '1', '0'],
          ],
        );
        await page.getByRole('img', { name: /^Machines called from 2 countries/ }).waitFor();
        await inspect(page);
        await ofLicense.getByRole('link', { name: 'France' }).click();
        await hasCount(licenses.getByRole('checkbox', { name: /@example\.com/ }), 1);
        await page.goto(`${under.origin}/console/#/`);
        const full = page.getByRole('table', { name: 'Licenses that are nearly full' });
        await full.getByRole('link', { name: 'ada@example.com' }).waitFor();
        await full.getByRole('link', { name: 'studio@example.com' }).waitFor();
        await page.getByRole('link', { name: 'A license was revoked because of fraud.' }).waitFor();
        await inspect(page);
        await page.getByRole('link', { name: '1 severe' }).click();
        await page.getByRole('heading', { name: 'Violations', exact: true }).waitFor();
        await page.getByRole('link', { name: 'Fraud' }).waitFor();
        await hasCount(page.getByRole('list', { name: 'Violations' }).getByRole('heading'), 1);
        await page.goBack();
        await page.getByRole('link', { name: 'Live seats: 2' }).click();
        await page.getByText('All 2 seats are in use.').waitFor();
        await page.goBack();
        await page.getByRole('link', { name: 'ada@example.com' }).first().waitFor();
      }
    });

    it('shows the machines of each product over time, in all countries or in one that the address keeps', async () => {
      for (const look of LOOKS) {
        const page = await under.open(look);
        const chart = page.getByRole('figure', { name: 'Machines by product' });
        await chart.getByRole('img', { name: /\(UTC\), so far: tapehead 5$/ }).waitFor();
        assert.match(await chart.getByText(/^The most machines were 5: /).innerText(), /\(UTC\), so far\.$/);
        await chart.getByRole('link', { name: 'tapehead' }).waitFor();
        await inspect(page);
        const country = chart.getByLabel('Country');
        assert.deepEqual(await country.getByRole('option').allInnerTexts(), ['All countries', 'France', 'Germany']);
        await country.selectOption({ label: 'France' });
        await chart.getByRole('img', { name: /\(UTC\), so far: tapehead 1$/ }).waitFor();
        await page.reload();
        await chart.getByRole('img', { name: /\(UTC\), so far: tapehead 1$/ }).waitFor();
        assert.equal(await country.inputValue(), 'FR');
        await chart.getByText('Show as table').click();
        const rows = chart.getByRole('row');
        await hasCount(rows, 31);
        assert.match(await rows.last().innerText(), /\t1$/);
        await inspect(page);
        await page.getByRole('button', { name: '1 year' }).click();
        await chart.getByRole('img', { name: /\(UTC\), so far: tapehead 1$/ }).waitFor();
        // A single day has no course.
        await page.getByRole('button', { name: '24 h' }).click();
        await page.getByRole('img', { name: /^Machines called from 2 countries/ }).waitFor();
        await hasCount(chart, 0);
      }
    });

    it('keeps the time and the product in the address, and shows figures of that product only', async () => {
      const page = await under.open();
      await page.getByRole('button', { name: '24 h' }).click();
      await page.getByLabel('Product').selectOption({ label: 'Modula' });
      await page.getByRole('link', { name: 'Active licenses: 1', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Violations that need you: 0', exact: true }).waitFor();
      assert.match(page.url(), /days=1/);
      assert.match(page.url(), /product=modula/);
      await page.reload();
      await page.getByRole('link', { name: 'Active licenses: 1', exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: '24 h' }).getAttribute('aria-pressed'), 'true');
      for (const title of ['7 days', '90 days', '1 year']) {
        await page.getByRole('button', { name: title }).click();
        await page.getByRole('figure', { name: 'New machines' }).getByText('Show as table').waitFor();
      }
      await inspect(page);
    });

    it('shows a creator the figures of their own products only', async () => {
      const page = await under.open({ secret: await creatorKey(under.app, 'bo') });
      await page.getByRole('link', { name: 'Active licenses: 1', exact: true }).waitFor();
      for (const name of ['Violations that need you: 0', 'Live seats: 0', 'Refusals in 24 hours: 0'])
        await page.getByRole('link', { name, exact: true }).waitFor();
      await page.getByText('No license is nearly full.').waitFor();
      await page.getByRole('link', { name: 'A license was issued to other@example.com for modula.' }).waitFor();
      assert.equal(await page.getByText('tapehead').count(), 0);
      assert.equal(await page.getByText('ada@example.com').count(), 0);
      await inspect(page);
      await page.goto(`${under.origin}/console/#/seats`);
      await page.getByText('Nobody holds a seat at this moment.').waitFor();
      await page.goto(`${under.origin}/console/#/violations`);
      await page.getByText('Nothing needs you.').waitFor();
      await page.goto(`${under.origin}/console/#/activity`);
      await page.getByText('A license was issued to other@example.com for modula.').waitFor();
      assert.equal(await page.getByText('tapehead').count(), 0);
    });

    it('asks a creator of many products which of them is meant, and of some for a shorter time', async () => {
      const create = (slug: string) =>
        mustSucceed(under.app.admin('/createProduct', { name: slug, slug, creatorId: 'cleo' }));
      for (let number = 1; number <= 4; number += 1) await create(`cleo-${number}`);
      await under.app.license({ email: 'one@example.com', productId: 'cleo-1' });
      const page = await under.open({ secret: await creatorKey(under.app, 'cleo'), at: '/?days=365' });
      await page.getByText('such a long time is shown for one product only').waitFor();
      await page.getByRole('figure', { name: 'New machines' }).waitFor();
      await inspect(page);
      for (let number = 5; number <= 31; number += 1) await create(`cleo-${number}`);
      for (const at of ['/', '/seats', '/violations', '/activity']) {
        await page.goto(`${under.origin}/console/#${at}`);
        await page.reload();
        await page.getByRole('alert').getByText('You own many products.').first().waitFor();
        await page.getByLabel('Product').waitFor();
        await inspect(page);
      }
      await page.goto(`${under.origin}/console/#/`);
      await page.getByLabel('Product').selectOption('cleo-1');
      await page.getByRole('link', { name: 'A license was issued to one@example.com for cleo-1.' }).waitFor();
    });

    for (const [locale, timeZone, zone] of [
      ['de-DE', 'America/Los_Angeles', /GMT-[78]/],
      ['ar-EG', 'Asia/Tokyo', /GMT\+9/],
    ] as const)
      it(`speaks one language in a browser of ${locale}, and names the zone ${timeZone}`, async () => {
        const page = await under.open({ isNew: true, locale, timeZone });
        await page.getByRole('link', { name: /^Active licenses: \d$/ }).waitFor();
        const last = page.getByRole('figure', { name: 'New machines' }).getByRole('img').last();
        assert.match((await last.getAttribute('aria-label')) ?? '', /day,? \d+ \w+ \(UTC\), so far: New machines 5$/);
        const times = page.getByRole('main').locator('time');
        await times.first().waitFor();
        assert.match((await times.first().getAttribute('title')) ?? '', zone);
        const said = await page.getByRole('main').innerText();
        assert.match(said, /\d+ (?:second|minute|hour|day)s? ago|just now/);
        assert.doesNotMatch(said, /\p{Script=Arabic}|[٠-٩]|\bvor \d/u);
        await inspect(page);
      });

    it('is printed with whole charts, dark on white', async () => {
      const page = await under.open({ scheme: 'dark' });
      await page.getByRole('button', { name: /Owner$/ }).click();
      await page.getByRole('menuitem', { name: 'Dark appearance' }).click();
      const chart = page.getByRole('figure', { name: 'New machines' });
      await chart.getByRole('img').last().waitFor();
      await page.emulateMedia({ media: 'print' });
      // The drawings are scaled to the paper, for which nothing is drawn anew.
      await page.waitForFunction(() => {
        const drawings = [...document.querySelectorAll('figure div > svg[viewBox]')];
        const isScaled = drawings.every((each) => getComputedStyle(each).position === 'static');
        return drawings.length === 8 && isScaled && getComputedStyle(document.body).color === 'rgb(27, 34, 37)';
      });
      await hasCount(page.getByRole('button', { name: 'Dark appearance' }), 0);
    });

    it('lets the keyboard walk through the bars of a chart, and shows the same as a table', async () => {
      const page = await under.open();
      const chart = page.getByRole('figure', { name: 'New machines' });
      const last = chart.getByRole('img').last();
      await last.focus();
      await page.keyboard.press('ArrowLeft');
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      assert.match((await focused()) ?? '', /: none$/);
      await page.keyboard.press('End');
      assert.match((await focused()) ?? '', /: New machines 5$/);
      await inspect(page);
      await chart.getByText('Show as table').click();
      const rows = chart.getByRole('row');
      await hasCount(rows, 31);
      const today = rows.last();
      assert.match(await today.innerText(), /\t5$/);
      await inspect(page);
      await today.getByRole('link').click();
      await page.getByRole('heading', { name: 'Activity', exact: true }).waitFor();
      await page.getByText('host of four was activated in Germany.').waitFor();
      await hasCount(page.getByRole('list').getByText('was activated'), 5);
    });
  },
  COUNTRIES,
  AT_ONCE,
);
