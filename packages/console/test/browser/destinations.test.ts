/** Destinations: created, tested, failing, paused and resumed, with a real HTTPS receiver. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { PUBLIC_ADDRESSES } from '../../../server/src/webhooks/destinations/address-policy.ts';
import type { TestApp } from '../../../server/test/support/app.ts';
import { operatorKey } from '../../../server/test/support/console.ts';
import { execute } from '../../../server/test/support/own-connection.ts';
import { certificateOf, type Receiver, startReceiver } from '../../../server/test/support/receiver.ts';
import { choose, dialog } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

const ADDRESS = '127.1.0.7';
const directory = await mkdtemp(join(tmpdir(), 'latchkey-destinations-'));
const certificate = await certificateOf([], [ADDRESS]);
const ca = join(directory, 'ca.pem');
await writeFile(ca, certificate.cert);

/** Adds newer destinations of a creator, which a person paused. */
async function addPaused(app: TestApp, count: number): Promise<void> {
  const at = app.clock.at();
  const ids = Array.from({ length: count }, (_, index) => `dst_~${index}`);
  const fixed = `'bo', 'https://b.example/', '["*"]', 'null', 0, 0, 50, 'sealed', 'paused', 'by_person', '${at}', '${at}'`;
  await execute(
    app.database,
    `insert into destination (destination_id, creator_id, url, types, product_ids, include_license_keys,
       include_personal_data, requests_per_second, secret, state, state_reason, created_at, updated_at)
     values ${ids.map((id) => `('${id}', ${fixed})`).join()};
     insert into destination_progress (destination_id, position, failures)
     values ${ids.map((id) => `('${id}', 0, 0)`).join()}`,
  );
}

describeConsole(
  'destinations',
  (under) => {
    let receiver: Receiver;
    before(async () => {
      receiver = await startReceiver(ADDRESS, certificate);
    });
    after(async () => {
      await receiver?.close();
      await rm(directory, { recursive: true, force: true });
    });

    const answerWith = (status: number) => {
      receiver.answer = (_request, response) => response.writeHead(status).end();
    };
    /** Creates a destination through the service's endpoint. */
    const destination = async (description: string, fields: object = {}) => {
      const url = new URL(`/${encodeURIComponent(description)}`, receiver.url).href;
      const body = { url, types: ['license.created'], description, ...fields };
      return (await mustSucceed(under.app.admin('/createDestination', body))).destinationId as string;
    };

    it('are created with a secret that is shown once and verifies a test', async () => {
      const page = await under.open({ at: '/' });
      await page.getByRole('link', { name: 'Destinations' }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('d');
      await page.getByText('No destinations yet').waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'New destination' }).first().click();
      await dialog(page).getByLabel('Address').fill(receiver.url);
      await dialog(page).getByLabel('Description').fill('Mailing list');
      await dialog(page).getByLabel('Events').selectOption('Only the chosen kinds');
      await dialog(page).getByLabel('Licenses').check();
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Create destination' }).click();
      await page.getByRole('heading', { name: 'The secret of Mailing list' }).waitFor();
      const secret = (await dialog(page).getByRole('code').first().innerText()).trim();
      assert.match(secret, /^whsec_/);
      await dialog(page).getByRole('tab', { name: 'Python' }).click();
      await dialog(page).getByText('def is_genuine').waitFor();
      await inspect(page);
      await dialog(page).getByLabel('I saved it').check();
      await dialog(page).getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { name: 'Mailing list', level: 1 }).waitFor();
      await page.getByText('No event was sent yet.').waitFor();
      assert.ok(!(await page.content()).includes(secret), 'the secret is still in the page');
      await page.getByRole('button', { name: 'Test' }).click();
      await dialog(page).getByLabel('Type').selectOption('license.revoked');
      await dialog(page).getByRole('button', { name: 'Send test' }).click();
      await page.getByRole('heading', { name: 'license.revoked' }).waitFor();
      await dialog(page).getByText('Delivered').waitFor();
      await dialog(page).getByText('A test is not stored').waitFor();
      await inspect(page);
      const [test] = await receiver.hasReceived(1);
      const event = new Webhook(secret).verify(test!.body, test!.headers as Record<string, string>);
      assert.equal((event as { type: string }).type, 'license.revoked');
      await page.keyboard.press('Escape');
      await page.getByText('All events are sent.').waitFor();
      await page.getByText('1 delivered').waitFor();
      const [, destinationId = ''] = /destinations\/([^?]+)/.exec(page.url()) ?? [];
      await mustSucceed(under.app.admin('/deleteDestination', { destinationId }));
    });

    it('that fail say why and what waits, and send everything once the receiver answers', async () => {
      answerWith(503);
      const id = await destination('Shop');
      await under.app.license({ email: 'bo@example.com' });
      const page = await under.open({ at: `/destinations/${id}`, device: 'phone', scheme: 'dark' });
      await page.getByText(/^Failing since .*: the receiver answers 503\. /).waitFor();
      await page.getByRole('tab', { name: 'Failed attempts' }).click();
      await page.getByRole('link', { name: 'license.created' }).click();
      await dialog(page).getByText('Answered 503').waitFor();
      await dialog(page)
        .getByText(/"productId": "app"/)
        .waitFor();
      await inspect(page);
      await page.keyboard.press('Escape');
      await hasCount(dialog(page), 0);
      await addPaused(under.app, 100);
      const overview = await under.open({ at: '/products' });
      await overview.getByText(/Events do not reach Shop/).waitFor();
      await inspect(overview);
      await overview.goto(`${under.origin}/console/#/destinations`);
      await overview.getByLabel('State').selectOption('failing');
      await hasCount(overview.getByRole('row').filter({ hasText: 'Paused by a person' }), 0);
      await overview.getByRole('link', { name: 'Shop', exact: true }).waitFor();
      answerWith(204);
      await page.getByRole('button', { name: 'Try now with a test' }).click();
      await dialog(page).getByRole('button', { name: 'Send test' }).click();
      await dialog(page).getByText('Delivered').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('All events are sent.').waitFor();
      await mustSucceed(under.app.admin('/deleteDestination', { destinationId: id }));
    });

    it('are paused, changed, given a new secret, resumed and deleted', async () => {
      answerWith(204);
      const id = await destination('Accounts');
      const page = await under.open({ at: `/destinations/${id}` });
      await page.getByRole('button', { name: 'Pause' }).click();
      await dialog(page).getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused by a person.').first().waitFor();
      await inspect(page);
      await under.app.license();
      await choose(page, 'More', 'Change');
      await dialog(page).getByLabel('Description').fill('Accounting');
      await dialog(page).getByLabel('Send personal data').check();
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Accounting', level: 1 }).waitFor();
      await choose(page, 'More', 'New secret');
      await dialog(page).getByRole('button', { name: 'Make a new secret' }).click();
      await dialog(page).getByText('The former one signs until').waitFor();
      await dialog(page).getByLabel('I saved it').check();
      await dialog(page).getByRole('button', { name: 'Done' }).click();
      await page.getByText('Former secret signs until').waitFor();
      const before = receiver.received.length;
      await page.getByRole('button', { name: 'Resume' }).click();
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Resume' }).click();
      await page.getByText('All events are sent.').waitFor();
      const arrived = (await receiver.hasReceived(before + 1)).slice(before);
      assert.match(arrived[0]!.body, /ada@example\.com/);
      await page.getByRole('link', { name: 'license.created' }).click();
      await dialog(page).getByRole('button', { name: 'Send again' }).click();
      await dialog(page).getByRole('button', { name: 'Send again' }).click();
      await page.getByText('1 event is sent again.').waitFor();
      const again = (await receiver.hasReceived(before + 2)).slice(before);
      assert.equal(again[1]!.headers['webhook-id'], again[0]!.headers['webhook-id']);
      await page.goto(`${under.origin}/console/#/destinations/${id}`);
      await choose(page, 'More', 'Replay events');
      await dialog(page).getByLabel('Since the beginning of').fill(under.app.clock.at().slice(0, 10));
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Replay' }).click();
      await page.getByText('Past events are sent to ').waitFor();
      await receiver.hasReceived(before + 3);
      await page.goto(`${under.origin}/console/#/activity`);
      await page
        .getByRole('button', { name: /^Details: A license was issued/ })
        .first()
        .click();
      await page.getByRole('link', { name: 'Accounting' }).waitFor();
      await page.getByText('Delivered').first().waitFor();
      await inspect(page);
      await page.goto(`${under.origin}/console/#/destinations/${id}`);
      await choose(page, 'More', 'Delete');
      await dialog(page).getByRole('button', { name: 'Delete destination' }).click();
      await page.getByRole('heading', { name: 'Destinations', level: 1 }).waitFor();
      await hasCount(page.getByRole('link', { name: 'Accounting' }), 0);
    });

    it('show a viewer no button, and support only tests', async () => {
      const id = await destination('Roles');
      for (const [role, buttons] of [
        ['viewer', []],
        ['support', ['Test']],
      ] as const) {
        const page = await under.open({ secret: await operatorKey(under.app, role), at: `/destinations/${id}` });
        await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor();
        const changing = page.getByRole('main').getByRole('button', { name: /^(Test|Pause|Resume|More)/ });
        assert.deepEqual(await changing.allInnerTexts(), buttons);
      }
    });
  },
  { LATCHKEY_DELIVERY_CA_FILE: ca },
  { deliveryAddresses: { ...PUBLIC_ADDRESSES, testAddresses: [ADDRESS] } },
);
