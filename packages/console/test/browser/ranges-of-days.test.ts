/** The lists that are bounded by days: the same choice in each, in its address, by keyboard and on a phone. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { Machine } from '../../../server/test/support/machine.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { crowdedLicense, mustSucceed, orderSeats } from '../support/success.ts';

/** E-mails are queued and not sent. */
const MAILS = {
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1',
  LATCHKEY_MAIL_FROM: 'licenses@shop.example',
  LATCHKEY_DELIVERIES: 'off',
};
const DAY_MS = 86_400_000;

interface Ranged {
  /** The event whose days are chosen. */
  readonly what: string;
  readonly at: string;
  /** An entry of the list. */
  entry(page: Page): Locator;
  /** The words of a list that the filters leave empty. */
  readonly empty: string;
}

const LISTS: readonly Ranged[] = [
  {
    ...{ what: 'First seen', at: '/violations?product=app', empty: 'No violation fits.' },
    entry: (page) => page.getByRole('link', { name: 'More machines than allowed' }).first(),
  },
  {
    ...{ what: 'Queued', at: '/mails', empty: 'No e-mail fits.' },
    entry: (page) => page.getByText('early@example.com').first(),
  },
  {
    ...{ what: 'Bought', at: '/orders', empty: 'No order fits.' },
    entry: (page) => page.getByRole('link', { name: 'Mixing for small rooms' }).first(),
  },
  {
    ...{ what: 'Changed', at: '/activity?product=app', empty: 'Nothing that fits was changed.' },
    entry: (page) => page.getByText('A license was issued to early@example.com for app.').first(),
  },
  {
    ...{ what: 'Refused', at: '/activity?show=refusals&product=app', empty: 'No refusal fits.' },
    entry: (page) => page.getByRole('table', { name: 'Refusals' }).getByText('laptop').first(),
  },
];

describeConsole(
  'a range of days',
  (under) => {
    before(async () => {
      const { app } = under;
      const early = await crowdedLicense(app, 'early@example.com');
      await mustSucceed(app.admin('/mailLicense', { licenseKey: early }));
      await orderSeats(app, {});
      await under.move(3 * DAY_MS);
      const late = await app.license({ email: 'late@example.com' });
      const machine = new Machine(app, late, 'copy');
      await mustSucceed(machine.activate());
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: late, reason: 'fraud' }));
      await mustSucceed(app.admin('/mailLicense', { licenseKey: await app.license({ email: 'third@example.com' }) }));
    });

    for (const { what, at, entry, empty } of LISTS)
      for (const look of LOOKS)
        it(`bounds ${at}, in its address and by keyboard (${look.device}, ${look.scheme})`, async () => {
          const page = await under.open({ ...look, at });
          await entry(page).waitFor();
          const openFilters = async () => {
            if (look.device === 'phone') await page.getByRole('button', { name: /^Filters/ }).click();
          };
          await openFilters();
          const choice = page.getByLabel(what, { exact: true });
          assert.deepEqual((await choice.getByRole('option').allInnerTexts()).at(-1), `${what} between two days`);
          await choice.focus();
          await page.keyboard.press('End');
          await page.getByLabel(`${what} from`).fill('2100-01-01');
          await page.getByText(empty).waitFor();
          await page.waitForURL(/days=2100-01-01\.\.$/);
          await inspect(page);
          await page.getByLabel(`${what} from`).fill('');
          await page.getByLabel(`${what} to`).fill('2100-01-01');
          await entry(page).waitFor();
          await inspect(page);
          await page.reload();
          await entry(page).waitFor();
          await openFilters();
          assert.equal(await page.getByLabel(`${what} to`).inputValue(), '2100-01-01');
          await page.getByRole('button', { name: 'Clear', exact: true }).click();
          await hasCount(page.getByLabel(`${what} to`), 0);
          assert.doesNotMatch(page.url(), /days=/);
        });

    it('of violations leaves what was seen before, and the oldest come first', async () => {
      const day = (days: number) => under.app.clock.at(days * DAY_MS).slice(0, 10);
      const page = await under.open({ at: '/violations?state=open' });
      const titles = page.getByRole('list', { name: 'Violations', exact: true }).getByRole('heading');
      await titles.nth(1).waitFor();
      assert.deepEqual(await titles.allInnerTexts(), ['Fraud', 'More machines than allowed']);
      await page.getByLabel('Order').selectOption({ label: 'Oldest first' });
      await titles.first().getByText('More machines than allowed').waitFor();
      assert.deepEqual(await titles.allInnerTexts(), ['More machines than allowed', 'Fraud']);
      assert.match(page.url(), /sort=oldest/);
      await page.goto(`${under.origin}/console/#/violations?state=open&days=..${day(-2)}`);
      await hasCount(titles, 1);
      await page.getByRole('heading', { name: 'More machines than allowed' }).waitFor();
      await page.goto(`${under.origin}/console/#/violations?state=open&days=${day(-1)}..`);
      await page.getByRole('heading', { name: 'Fraud' }).waitFor();
      await hasCount(titles, 1);
    });

    it('goes with a recipient of e-mails, which excludes a state and a license', async () => {
      const page = await under.open({ at: '/mails?state=waiting' });
      const rows = page.getByRole('row').filter({ hasText: '@example.com' });
      await hasCount(rows, 2);
      await page.getByLabel('Recipient').fill('EARLY@example.com');
      await page.keyboard.press('Enter');
      await hasCount(rows, 1);
      await rows.getByText('early@example.com').waitFor();
      await page.waitForURL(/mails\?to=EARLY%40example\.com$/);
      await page.getByLabel('Queued', { exact: true }).selectOption('3');
      await page.waitForURL(/days=3/);
      await page.getByLabel('Recipient').fill('early@');
      await page.keyboard.press('Enter');
      await page.getByText('The address of a recipient must be given whole.').waitFor();
      await page.getByLabel('State').selectOption('Waiting');
      await page.waitForURL(/state=waiting/);
      assert.equal(await page.getByLabel('Recipient').inputValue(), '');
      await inspect(page);
    });
  },
  MAILS,
);
