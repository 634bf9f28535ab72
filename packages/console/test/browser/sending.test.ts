/** E-mails to customers from where they are written: a reply, keys that are issued, and many at once. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Machine } from '../../../server/test/support/machine.ts';
import { rowsOf } from '../../../server/test/support/own-connection.ts';
import { busyFor, failing } from '../support/failing.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

/** E-mails are queued and not sent. */
const MAILS = {
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:9',
  LATCHKEY_MAIL_FROM: 'licenses@example.com',
  LATCHKEY_DELIVERIES: 'off',
};

interface QueuedMail {
  readonly kind: string;
  readonly to_address: string;
  readonly language: string;
  readonly data: { readonly subject?: string; readonly text?: string };
}

describeConsole(
  'e-mails to customers',
  (under) => {
    const queued = async (condition: string): Promise<readonly QueuedMail[]> =>
      (await rowsOf(under.app.database, `select * from mail where ${condition} order by to_address`)).map((row) => ({
        ...(row as unknown as QueuedMail),
        data: JSON.parse(String(row.data)),
      }));

    it('send a reply in the language of the last e-mail, and show it on the timeline', async () => {
      await mustSucceed(under.app.admin('/createProduct', { slug: 'tapehead', name: 'Tapehead', creatorId: 'ada' }));
      const brand = { creatorId: 'ada', name: 'Tapehead Audio', supportAddress: 'help@tapehead.example' };
      await mustSucceed(under.app.admin('/updateBrand', brand));
      for (const look of LOOKS) {
        const email = `refused-${look.device}@example.com`;
        const licenseKey = await under.app.license({ email, productId: 'tapehead', maxMachines: 1 });
        await new Machine(under.app, licenseKey, 'desk', 'tapehead').activated();
        await new Machine(under.app, licenseKey, 'road', 'tapehead').activate();
        await mustSucceed(under.app.admin('/mailLicense', { licenseKey, language: 'de' }));
        const page = await under.open({ ...look, at: `/licenses/${licenseKey}` });
        await page.getByRole('button', { name: 'Write a reply' }).click();
        const dialog = page.getByRole('dialog', { name: 'Reply to the customer' });
        const sender = `To ${email}. It leaves in the name of ${brand.name}; answers go to ${brand.supportAddress}.`;
        await dialog.getByText(sender).waitFor();
        const subject = dialog.getByLabel('Subject');
        await page.waitForFunction(() => document.querySelector('select:has(option[value=de])') !== null);
        await dialog.getByLabel('Language of the e-mail').and(page.locator('select')).waitFor();
        await page.waitForFunction(() =>
          [...document.querySelectorAll('input')].some(({ value }) => value === 'Ihre Lizenz für Tapehead'),
        );
        await inspect(page);
        const text = dialog.getByLabel('Text', { exact: true });
        await text.fill('');
        assert.ok(await dialog.getByRole('button', { name: 'Send' }).isDisabled());
        await subject.fill('Your new computer');
        await text.fill('Hello Ada,\n\nthe old computer is free now.');
        await dialog.getByRole('button', { name: 'Send' }).click();
        await page.getByText(`The reply to ${email} is on its way.`).waitFor();
        await page.getByRole('tab', { name: 'Timeline' }).click();
        await page.getByText(`E-mail to ${email}: Reply.`).waitFor();
        await inspect(page);
        const [reply, ...more] = await queued(`kind = 'reply' and to_address = '${email}'`);
        assert.deepEqual(
          [reply?.language, reply?.data, more],
          ['de', { subject: 'Your new computer', text: 'Hello Ada,\n\nthe old computer is free now.' }, []],
        );
      }
    });

    it('name the license of the customer that works, in the verdict and in the reply', async () => {
      const email = 'renewed@example.com';
      const order = { email, productId: 'app' };
      const licenseKey = await under.app.license({ ...order, expiresAt: under.app.clock.at(60_000) });
      const works = await under.app.license(order);
      await under.move(120_000);
      const page = await under.open({ at: `/licenses/${licenseKey}` });
      const panel = page.getByRole('region', { name: 'Why?' });
      await panel.getByText('The customer has another license for the product that works').waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'Write a reply' }).click();
      const text = await page.getByRole('dialog').getByLabel('Text', { exact: true }).inputValue();
      assert.ok(text.includes(`that works ends with ${works.split('-').at(-1)}.`), text);
      await page.keyboard.press('Escape');
      await panel.getByRole('link').click();
      await page.waitForURL(new RegExp(`#/licenses/${works}`));
    });

    it('bring each key that is issued to its customer, once, also where some are tried again', async () => {
      const page = await under.open({ at: '/licenses' });
      await page.getByRole('button', { name: 'Issue licenses' }).click();
      const dialog = page.getByRole('dialog', { name: 'Issue licenses' });
      await dialog.getByLabel('Product').selectOption('tapehead');
      const addresses = Array.from({ length: 20 }, (_, number) => `buyer-${number}@shop.example`);
      await dialog.getByLabel('E-mail addresses').fill(addresses.join('\n'));
      await dialog.getByLabel('E-mail each key to its customer').check();
      await dialog.getByLabel('Language of the e-mail').selectOption('Français');
      await inspect(page);
      const refused: string[] = [];
      const sent: string[] = [];
      // Some are refused the first time, as by a busy service.
      await failing(page, '/mailLicense', {
        as: busyFor(1),
        when: (request) => {
          const { licenseKey } = request.postDataJSON();
          sent.push(licenseKey);
          return sent.length <= 20 && sent.length % 7 === 0 && refused.push(licenseKey) > 0;
        },
      });
      await dialog.getByRole('button', { name: 'Issue 20 licenses' }).click();
      await dialog.getByText('20 licenses were issued. 18 e-mails are on the way. 2 were refused.').waitFor();
      await inspect(page);
      await dialog.getByRole('button', { name: 'E-mail the 2 again' }).click();
      await dialog.getByText('20 licenses were issued. 20 e-mails are on the way.').waitFor();
      assert.deepEqual([sent.length, new Set(sent).size], [22, 20]);
      const mails = await queued("to_address like 'buyer-%'");
      assert.deepEqual(mails.map(({ to_address }) => to_address).toSorted(), addresses.toSorted());
      assert.ok(mails.every(({ kind, language }) => kind === 'keys' && language === 'fr'));
    });

    it('go to the customers of selected licenses: their keys, or a message that is filled in for each', async () => {
      await mustSucceed(under.app.admin('/createProduct', { slug: 'loom', name: 'Loom', creatorId: 'ada' }));
      for (const name of ['ada', 'bo', 'cy'])
        await under.app.license({ email: `${name}@loom.example`, productId: 'loom', maxMachines: 3 });
      await under.app.license({ email: 'ADA@loom.example', productId: 'loom', maxMachines: 5 });
      for (const scheme of ['light', 'dark'] as const) {
        const page = await under.open({ scheme, at: '/licenses?product=loom' });
        await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
        await page.getByText('4 licenses selected').waitFor();
        await page.getByRole('button', { name: 'E-mail', exact: true }).click();
        if (scheme === 'light') {
          const keys = page.getByRole('dialog', { name: 'E-mail the keys of 4 licenses' });
          await inspect(page);
          await keys.getByRole('button', { name: 'E-mail 4' }).click();
          await keys.getByText('4 e-mails are on the way.').waitFor();
          await keys.getByRole('button', { name: 'Close' }).last().click();
          const mails = await queued("kind = 'keys' and to_folded like '%@loom.example'");
          assert.deepEqual(mails.length, 4);
          await page.getByRole('button', { name: 'E-mail', exact: true }).click();
        }
        await page.getByLabel('Content').selectOption('A message');
        const dialog = page.getByRole('dialog', { name: 'Write to the customers of 4 licenses' });
        await dialog.getByLabel('Subject').fill('News of {product}');
        await dialog.getByLabel('Text', { exact: true }).fill('Hello, {name}');
        await dialog.getByText('There is no placeholder {name}.').waitFor();
        await dialog.getByLabel('Text', { exact: true }).fill('Hello {email},\n{product} is for {limit} computers.');
        await dialog.getByText(/^To .*@loom\.example: News of Loom$/i).waitFor();
        await inspect(page);
        await dialog.getByRole('button', { name: 'Send 3' }).click();
        await dialog
          .getByText(/^3 e-mails are on the way, one has the address of another one|^3 e-mails are on the way, 1 has/)
          .waitFor();
        await inspect(page);
        await page.getByRole('button', { name: 'Close' }).last().click();
        const messages = await queued("kind = 'reply' and to_folded like '%@loom.example'");
        assert.equal(messages.length, scheme === 'light' ? 3 : 6);
        for (const { to_address, data } of messages) {
          assert.equal(data.subject, 'News of Loom');
          assert.match(data.text ?? '', new RegExp(`^Hello ${to_address},\nLoom is for [35] computers\\.$`));
        }
        // The limit of a day would stop the next look.
        await under.move(25 * 3_600_000);
      }
    });
  },
  MAILS,
);
