/** The list of refusals: from a figure to its list, filters in the address, and from a line to its license. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../../server/test/support/app.ts';
import { historyWithRefusals } from '../../../server/test/support/kept-refusals.ts';
import { Machine } from '../../../server/test/support/machine.ts';
import { downloaded } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { seeFailureAndGoOn } from '../support/failing.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { creatorKey, mustSucceed } from '../support/success.ts';

const DAY_MS = 86_400_000;
const AT_ONCE = { memory: { countIntervalMs: 10, refusalIntervalMs: 10 } };

/** A license for one machine, with refusals of two others, three of them for the first. Returns its key. */
async function crowded(app: TestApp, tag: string, productId = 'tapehead'): Promise<string> {
  const licenseKey = await app.license({ email: `${tag}@example.com`, productId, maxMachines: 1 });
  const activate = (name: string, status: number) => {
    const machine = new Machine(app, licenseKey, `${name}-${tag}`);
    machine.productId = productId;
    return mustSucceed(machine.activate(), status);
  };
  await activate('bound', 200);
  for (let times = 0; times < 3; times += 1) await activate('first', 403);
  app.clock.move(1000);
  await activate('second', 403);
  await historyWithRefusals(app, licenseKey, 4);
  return licenseKey;
}

describeConsole(
  'the list of refusals',
  (under) => {
    it('says that there are none as long as no app was refused', async () => {
      await mustSucceed(under.app.admin('/createProduct', { name: 'Tapehead', slug: 'tapehead', creatorId: 'ada' }));
      await mustSucceed(under.app.admin('/createProduct', { name: 'Modula', slug: 'modula', creatorId: 'bo' }));
      for (const look of LOOKS) {
        const page = await under.open({ ...look, at: '/activity' });
        await page.getByRole('tab', { name: 'Refusals' }).click();
        await page.getByText('No app was refused.').waitFor();
        assert.match(page.url(), /#\/activity\?show=refusals$/);
        await inspect(page);
      }
    });

    for (const look of LOOKS)
      it(`shows machine, reason, how often and when, and opens the license for that machine (${look.device}, ${look.scheme})`, async () => {
        const tag = look.device ?? 'desktop';
        const licenseKey = await crowded(under.app, tag);
        const page = await under.open({ ...look, at: `/activity?show=refusals&license=${licenseKey}` });
        const rows = page.getByRole('table', { name: 'Refusals' }).getByRole('row');
        const first = rows.filter({ hasText: `host of first-${tag}` });
        await first.getByText('All machines of the license are in use. The limit was 1.').waitFor();
        await hasCount(rows, 3);
        if (look.device === 'desktop') {
          assert.match(await first.innerText(), /Activate/);
          await hasCount(first.getByRole('cell', { name: '3', exact: true }), 1);
          await first.getByText(`${tag}@example.com`, { exact: true }).waitFor();
        } else await first.getByText(`${tag}@example.com · 3 times`).waitFor();
        await inspect(page);
        await first.getByRole('link', { name: `host of first-${tag}` }).click();
        // About this machine, not the one that was refused last.
        const why = page.getByRole('region', { name: 'Why?' });
        await why.getByText(`host of first-${tag} cannot get in: 1 of 1 machine is in use.`).waitFor();
        await inspect(page);
        await page.goBack();
        await first.waitFor();
      });

    it('is filtered by reason, product, license, machine and period, which all stand in the address', async () => {
      const { app } = under;
      await under.move(2 * DAY_MS);
      const licenseKey = await crowded(app, 'filters', 'modula');
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      await mustSucceed(app.send('/verify', { licenseKey, productId: 'modula' }), 403);
      await historyWithRefusals(app, licenseKey, 5);
      const page = await under.open({ at: '/activity?show=refusals' });
      const table = page.getByRole('table', { name: 'Refusals' });
      const revoked = table.getByText('The license is revoked.');
      await revoked.waitFor();
      await page.getByLabel('Reason').selectOption({ label: 'No free machine' });
      await revoked.waitFor({ state: 'detached' });
      assert.match(page.url(), /code=machine_limit/);
      await page.getByLabel('Product').selectOption({ label: 'Modula' });
      await table.getByText('desktop@example.com', { exact: true }).first().waitFor({ state: 'detached' });
      await page.getByLabel('Fingerprint').fill('second-filters');
      await page.keyboard.press('Enter');
      await table.getByText('host of first-filters').waitFor({ state: 'detached' });
      await hasCount(table.getByRole('row'), 2);
      await inspect(page);
      await page.getByLabel('Reason').selectOption({ label: 'Machine not known' });
      await page.getByText('No refusal fits.').waitFor();
      assert.match(decodeURIComponent(page.url()), /code=invalid_token,token_mismatch,machine_not_activated/);
      await inspect(page);
      await page.getByRole('button', { name: 'Clear the filters' }).click();
      await revoked.waitFor();
      assert.match(page.url(), /show=refusals$/);
      await page.getByLabel('Refused', { exact: true }).selectOption('..');
      await page.getByLabel('Refused to').fill(new Date(app.clock.now() - DAY_MS).toISOString().slice(0, 10));
      await revoked.waitFor({ state: 'detached' });
      await table.getByText('desktop@example.com', { exact: true }).first().waitFor();
      // Filters that both lists share survive the switch; the reason does not.
      await page.getByLabel('Reason').selectOption({ label: 'No free machine' });
      await page.getByRole('tab', { name: 'Changes' }).click();
      await page
        .getByRole('button', { name: /^Details/ })
        .first()
        .waitFor();
      assert.match(page.url(), /days=/);
      assert.doesNotMatch(page.url(), /show=|code=/);
      await page.goBack();
      await table.getByText('desktop@example.com', { exact: true }).first().waitFor();
    });

    it('opens from the figures of the overview, with the same period and reason', async () => {
      const { app } = under;
      await under.move(3 * DAY_MS);
      const licenseKey = await crowded(app, 'overview');
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      await mustSucceed(app.send('/verify', { licenseKey, productId: 'tapehead' }), 403);
      for (let refused = 0; refused < 5; ) {
        const { refusalsByCode } = await mustSucceed(app.admin('/getOverview', { days: 1 }));
        refused = refusalsByCode.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
      }
      await historyWithRefusals(app, licenseKey, 5);
      const page = await under.open();
      const rows = page.getByRole('table', { name: 'Refusals' }).getByRole('row');
      await page.getByRole('link', { name: 'Refusals in 24 hours: 5', exact: true }).click();
      await rows.getByText('The license is revoked.').waitFor();
      await hasCount(rows, 4);
      assert.match(page.url(), /show=refusals&days=/);
      await page.goBack();
      const chart = page.getByRole('figure', { name: 'Refusals by reason' });
      await chart.getByRole('link', { name: 'License revoked' }).click();
      await rows.getByText('The license is revoked.').first().waitFor();
      assert.match(page.url(), /code=license_revoked%2Clicense_replaced&days=/);
      await page.getByRole('link', { name: 'An app' }).first().waitFor();
      await page.goBack();
      // A bar stands for a period and any reason.
      await chart.getByText('Show as table').click();
      await chart.getByRole('rowheader').last().getByRole('link').click();
      await rows.getByText('The license is revoked.').first().waitFor();
      assert.match(page.url(), /show=refusals&days=.+\.\..+/);
      await hasCount(rows, 4);
    });

    it('has pages, and is downloaded as a whole', async () => {
      const { app } = under;
      await under.move(DAY_MS);
      for (let license = 0; license < 3; license += 1) {
        const licenseKey = await app.license({
          email: `=many${license}@example.com`,
          productId: 'many',
          licenseType: 'site',
        });
        for (let index = 0; index < 20; index += 1) {
          const machine = new Machine(app, licenseKey, `machine ${license} ${index}`);
          machine.token = 'nonsense';
          await mustSucceed(machine.heartbeat(), 401);
          app.clock.move(1000);
        }
        await historyWithRefusals(app, licenseKey, 20);
      }
      const page = await under.open({ at: '/activity?show=refusals&product=many' });
      const rows = page.getByRole('table', { name: 'Refusals' }).getByRole('row');
      await rows.getByText('The token is not good.').first().waitFor();
      await hasCount(rows, 51);
      const { name, lines } = await downloaded(page);
      assert.equal(name, 'refusals.csv');
      assert.equal(lines.length, 61);
      assert.match(lines[0] ?? '', /^Last,First,Times,Why,Code,Told the app,Call,Machine,Fingerprint,License,/);
      assert.match(lines[1] ?? '', /,1,The token is not good\.,invalid_token,Invalid token,\/heartbeat,,machine 2 19,/);
      assert.match(lines[1] ?? '', /,'=many2@example\.com,many,/);
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('Page 2').waitFor();
      await rows.nth(11).waitFor({ state: 'detached' });
      await hasCount(rows, 11);
      await inspect(page);
      await page.getByRole('button', { name: 'Previous' }).click();
      await rows.nth(50).waitFor();
    });

    it('looks further back where nothing on a page fits', async () => {
      const page = await under.open({ at: '/activity' });
      await page.getByRole('tab', { name: 'Refusals' }).waitFor();
      await page.route('**/listRefusals', (route) =>
        route.request().postDataJSON().cursor === undefined
          ? route.fulfill({ json: { success: true, refusals: [], count: 0, nextCursor: 'of the service' } })
          : route.fulfill({ json: { success: true, refusals: [], count: 0 } }),
      );
      await page.getByRole('tab', { name: 'Refusals' }).click();
      await page.getByText('Nothing on this page fits.').waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'Look further back' }).click();
      await page.getByText('No refusal fits.').waitFor();
      assert.match(page.url(), /cursor=of/);
    });

    it('reports a failure, and goes on when the service is back', async () => {
      const page = await under.open({ device: 'phone', at: '/activity' });
      await page.getByRole('tab', { name: 'Refusals' }).waitFor();
      await seeFailureAndGoOn(
        page,
        '/listRefusals',
        () => page.getByRole('tab', { name: 'Refusals' }).click(),
        () => page.getByRole('table', { name: 'Refusals' }).getByRole('link').first().waitFor(),
      );
    });

    it('shows a creator refusals for their own products only', async () => {
      const page = await under.open({ secret: await creatorKey(under.app, 'bo'), at: '/activity?show=refusals' });
      const table = page.getByRole('table', { name: 'Refusals' });
      await table.getByText('filters@example.com', { exact: true }).first().waitFor();
      assert.equal(await page.getByText('tapehead').count(), 0);
      assert.equal(await page.getByText('desktop@example.com', { exact: true }).count(), 0);
      await inspect(page);
    });

    it('is not needed to find a machine that was only refused: its name in the search opens "Why?" for it', async () => {
      const licenseKey = await crowded(under.app, 'pasted');
      const page = await under.open({ at: '/licenses' });
      await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: 'Search' }).fill('HOST OF first-pas');
      await page.getByRole('option', { name: /host of first-pasted.*refused.*by hostname/ }).waitFor();
      await inspect(page);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.hash === `#/licenses/${licenseKey}?machine=first-pasted`);
      const why = page.getByRole('region', { name: 'Why?' });
      await why.getByText('host of first-pasted cannot get in: 1 of 1 machine is in use.').waitFor();
      await page.getByLabel('Machine', { exact: true }).selectOption({ label: 'host of second-pasted' });
      await why.getByText('host of second-pasted cannot get in: 1 of 1 machine is in use.').waitFor();
      assert.match(page.url(), /machine=second-pasted/);
      await inspect(page);
    });
  },
  {},
  AT_ONCE,
);
