/** The system: the running node, its warnings, and all signed-in people. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { DAY_MS } from '../../../server/src/ground/base/clock.ts';
import { freshDatabase } from '../../../server/test/support/databases.ts';
import { execute } from '../../../server/test/support/own-connection.ts';
import type { GetSystemReply } from '../../src/api/contract.ts';
import { dialog } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { failing } from '../support/failing.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';

/** The section under a heading. */
const part = (page: Page, heading: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading, level: 2 }) });

/** Changes the service's reply, for example to describe another machine. */
async function answering(page: Page, change: (system: GetSystemReply) => object): Promise<void> {
  await page.route('**/getSystem', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: change(await answer.json()) });
  });
  await page.reload();
}

describeConsole(
  'the system',
  (under) => {
    for (const look of [{}, { device: 'phone', scheme: 'dark' }] as const)
      it(`tells what runs, and how it stands (${JSON.stringify(look)})`, async () => {
        const page = await under.open({ at: '/system', ...look });
        const { body } = await under.app.admin('/getSystem');
        await page.getByText('Ready', { exact: true }).waitFor();
        const service = part(page, 'Service');
        for (const text of [
          body.service.version,
          process.versions.node,
          body.service.hostname,
          '15 minutes',
          'staging',
        ])
          await service.getByText(text, { exact: true }).waitFor();
        await service.getByText('The header cf-ipcountry').waitFor();
        const database = part(page, 'Database');
        await database.getByText(`SQLite ${body.database.version}`).waitFor();
        await database.getByText(body.database.location, { exact: true }).waitFor();
        await database.getByText(body.database.migration.name).waitFor();
        const certificate = part(page, 'Certificate');
        await certificate.getByText('localhost, 127.0.0.1, ::1').waitFor();
        await certificate.getByText('Self-signed by the service').waitFor();
        const kept = part(page, 'Retention');
        await kept.getByText('100 days', { exact: true }).waitFor();
        await kept.getByText('14 days by the hour, 3 years by the day').waitFor();
        await part(page, 'Signed in').getByText('You, here').waitFor();
        await page.getByText('A session ends 12 hours after its last call').waitFor();
        assert.equal(await page.getByRole('link', { name: 'Read more' }).count(), 0, 'nothing is to be done');
        await inspect(page);
        for (const name of ['Reference', 'openapi.json']) {
          const address = await page.getByRole('main').getByRole('link', { name }).getAttribute('href');
          const { pathname } = new URL(address ?? '', page.url());
          assert.equal((await under.app.send(pathname, undefined, { method: 'GET' })).status, 200, name);
        }
      });

    it('tells who gets e-mails about the service, and of what', async () => {
      const page = await under.open({ at: '/system' });
      const mails = part(page, 'E-mails to the operator');
      await mails.getByText('Nobody is told by e-mail when something needs you.').waitFor();
      await inspect(page);
      const told = { addresses: ['ops@example.com', 'you@example.com'], kinds: ['mails_failed', 'digest'] };
      const having = (sendsMail: boolean) => (system: GetSystemReply) => ({
        ...system,
        setup: { ...system.setup, sendsMail, operatorMails: told },
      });
      await answering(page, having(true));
      await mails.getByText('ops@example.com, you@example.com', { exact: true }).waitFor();
      await mails.getByText('failed e-mails, the week, on Mondays', { exact: true }).waitFor();
      await inspect(page);
      await answering(page, having(false));
      await mails.getByText('Nobody is told: this node has no mail server.').waitFor();
      await inspect(page);
    });

    it('warns of a certificate that ends, and of one that has ended, in words and by a mark', async () => {
      const page = await under.open({ at: '/system', device: 'phone' });
      const { certificate } = (await under.app.admin('/getSystem')).body;
      await under.move((certificate.daysLeft - 12) * DAY_MS);
      // The session has ended by now.
      const later = await under.open({ at: '/system' });
      await later.getByText('The certificate ends in 12 days.').waitFor();
      await later.getByText('Restart the service: it creates a new certificate').waitFor();
      await hasCount(part(later, 'Certificate').locator('svg'), 1, 'its end has a mark');
      await inspect(later);
      const link = await later.getByRole('link', { name: 'Read more' }).getAttribute('href');
      const { pathname, hash } = new URL(link ?? '', later.url());
      const docs = await under.app.send(pathname, undefined, { method: 'GET' });
      assert.ok(
        docs.status === 200 && docs.body.includes(`id="${hash.slice(1)}"`),
        'it leads to a place in the reference',
      );
      await under.move(14 * DAY_MS);
      const last = await under.open({ at: '/system', scheme: 'dark' });
      await last.getByText(/^The certificate ended on /).waitFor();
      await last.getByText('Apps and browsers refuse to connect.').waitFor();
      await inspect(last);
      await page.close();
    });

    it('warns of tables that a newer version has changed', async () => {
      await execute(
        under.app.database,
        "insert into schema_migration (version, name, applied_at, older_nodes) values (9999, '9999_later', '2027-01-02T03:04:05.678Z', 'go on')",
      );
      const page = await under.open({ at: '/system' });
      await page.getByText('A newer version has changed the database.').waitFor();
      await page.getByText(/Update this node: it keeps working meanwhile/).waitFor();
      await part(page, 'Database').getByText('9999_later').waitFor();
      await inspect(page);
      await execute(under.app.database, 'delete from schema_migration where version = 9999');
    });

    it('warns of a full disk, and of clocks that differ', async () => {
      const page = await under.open({ at: '/system' });
      await answering(page, (system) => ({
        ...system,
        database: {
          ...system.database,
          engine: 'postgres',
          location: 'latchkey on db.example.com:5432',
          time: new Date(Date.parse(system.service.time) - 7_000).toISOString(),
          diskFreeBytes: 4_000_000_000,
          diskTotalBytes: 50_000_000_000,
        },
      }));
      await page.getByText('The disk is nearly full: 4 GB of 50 GB are free.').waitFor();
      await page.getByText("The database's clock is 7 seconds behind that of the service.").waitFor();
      await page.getByText('Synchronise the clocks of both machines').waitFor();
      await part(page, 'Database').getByText('Differs').waitFor();
      await inspect(page);
    });

    it('names the facts that are with a proxy or PostgreSQL', async () => {
      const page = await under.open({ at: '/system', device: 'phone' });
      await answering(page, (system) => ({
        ...system,
        certificate: null,
        countries: { header: null, file: null, fileBuiltAt: null },
        database: {
          ...system.database,
          engine: 'postgres',
          diskFreeBytes: null,
          diskTotalBytes: null,
          time: system.service.time,
        },
      }));
      await page.getByText('A proxy in front of the service terminates HTTPS').waitFor();
      await page.getByText('Not known, no source is set').waitFor();
      await part(page, 'Database').getByText('As that of the service').waitFor();
      assert.equal(await page.getByText('Free on its disk').count(), 0);
      await inspect(page);
    });

    it('keeps space for data that is loading, and says when it cannot be read', async () => {
      const page = await under.open({ at: '/nowhere' });
      const held = Promise.withResolvers<void>();
      const mend = await failing(page, '/getSystem', { when: () => held.promise.then(() => true) });
      await page.goto(`${under.origin}/console/#/system`);
      await part(page, 'Database').getByText('Engine').waitFor();
      await inspect(page);
      held.resolve();
      await page.getByText('The service failed.').waitFor();
      await part(page, 'Signed in').getByText('You, here').waitFor();
      await inspect(page);
      mend();
      await page.getByRole('button', { name: 'Try again' }).click();
      await part(page, 'Database').getByText('SQLite').waitFor();
      await hasCount(page.getByText('The service failed.'), 0);
    });

    it("ends somebody else's session", async () => {
      const bo = await under.open({ name: 'Bo' });
      const page = await under.open({ name: 'Ada', at: '/system' });
      await page.getByRole('button', { name: 'End the session of Bo' }).click();
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'End session' }).click();
      await page.getByText('Bo is signed out.').waitFor();
      await page.getByRole('button', { name: 'End the session of Bo' }).waitFor({ state: 'detached' });
      await bo.reload();
      await bo.getByLabel('Secret or key').waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Ada' }).waitFor();
    });
  },
  {
    LATCHKEY_CONSOLE_LABEL: 'staging',
    LATCHKEY_EVENT_RETENTION: '100d',
    LATCHKEY_COUNTRY_HEADER: 'CF-IPCountry',
  },
  {},
  // The journeys replace the answer about a database on PostgreSQL.
  () => freshDatabase('sqlite'),
);
