/** The brand of the pages for customers, and the e-mails to them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { operatorKey } from '../../../server/test/support/console.ts';
import { execute } from '../../../server/test/support/own-connection.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

/** E-mails are queued and not sent. */
const MAILS = {
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1',
  LATCHKEY_MAIL_FROM: 'licenses@shop.example',
  LATCHKEY_DELIVERIES: 'off',
};

/** A picture of one pixel. */
const LOGO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pictureOf = (buffer: Buffer) => ({ name: 'logo.png', mimeType: 'image/png', buffer });

/** The answer to the next save: the message of the one before may still be in sight. */
function answerOf(page: Page) {
  return page.waitForResponse((response) => response.url().endsWith('/updateBrand'));
}

/** Presses Save. Returns the message about it: those of earlier saves may still be in sight. */
async function save(page: Page): Promise<Locator> {
  const answer = answerOf(page);
  await page.getByRole('button', { name: 'Save' }).click();
  const requestId = (await answer).headers()['x-request-id']!;
  const news = page.getByRole('region', { name: 'News' }).locator('> *');
  return news.filter({ has: page.getByTitle(requestId) });
}

describeConsole(
  'the brand and e-mails',
  (under) => {
    const brandOf = async (fields = {}) => (await mustSucceed(under.app.admin('/getBrand', fields))).brand;

    it('show e-mails that failed with the reason, and lead to their licenses', async () => {
      const empty = await under.open({ at: '/' });
      await empty.getByRole('link', { name: 'E-mails' }).waitFor();
      for (const key of ['g', 'm']) await empty.keyboard.press(key);
      await empty.getByText('No e-mails yet').waitFor();
      await inspect(empty);
      const licenseKeys: string[] = [];
      for (const name of ['ada', 'bo', 'cy']) {
        const licenseKey = await under.app.license({ email: `${name}@example.com`, productId: 'tapehead' });
        await mustSucceed(under.app.admin('/mailLicense', { licenseKey }));
        licenseKeys.push(licenseKey);
      }
      const now = under.app.clock.at();
      await execute(
        under.app.database,
        `update mail set state = 'failed', attempts = 1, settled_at = '${now}', last_error = '550 5.1.1 No such user'
           where license_key = '${licenseKeys[0]}';
         update mail set attempts = 2, due_at = '${under.app.clock.at(1_800_000)}', last_error = 'login refused'
           where license_key = '${licenseKeys[1]}';
         update mail set state = 'sent', attempts = 1, settled_at = '${now}' where license_key = '${licenseKeys[2]}'`,
      );
      const secret = await operatorKey(under.app, 'viewer');
      for (const look of LOOKS) {
        const page = await under.open({ ...look, secret, at: '/mails' });
        await page.getByText('The mail server answered: 550 5.1.1 No such user.').waitFor();
        await page.getByText(/^The mail server refused the login\. Next attempt in /).waitFor();
        await inspect(page);
        if (look.device === 'phone') await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByLabel('State').selectOption('Failed');
        await hasCount(page.getByRole('row').filter({ hasText: '@example.com' }), 1);
        assert.match(page.url(), /#\/mails\?state=failed$/);
        await inspect(page);
        await page.getByRole('row').filter({ hasText: 'ada@' }).getByRole('link').click();
        await page.getByRole('heading', { level: 1 }).filter({ hasText: licenseKeys[0]! }).waitFor();
      }
    });

    it('are sent again from the list of mails, and from the inbox of shops if they are about a sale', async () => {
      const isWaiting = async (licenseKey: string) =>
        (await mustSucceed(under.app.admin('/listMails', { licenseKey }))).mails[0].state === 'waiting';
      for (const [kind, at] of [
        ['keys', '/mails?state=failed'],
        ['sale_keys', '/shops/attention'],
      ] as const) {
        const email = `${kind}@example.com`;
        const licenseKey = await under.app.license({ email, productId: 'tapehead' });
        await mustSucceed(under.app.admin('/mailLicense', { licenseKey }));
        await execute(
          under.app.database,
          `update mail set state = 'failed', kind = '${kind}', attempts = 1, settled_at = '${under.app.clock.at()}',
             last_error = 'login refused' where license_key = '${licenseKey}'`,
        );
        const page = await under.open({ at, device: kind === 'keys' ? 'desktop' : 'phone' });
        await page.getByText('The mail server refused the login.').first().waitFor();
        await inspect(page);
        await page.getByRole('button', { name: `Send again to ${email}` }).click();
        await page.getByRole('dialog').getByText('The mail server refused the login.').waitFor();
        await inspect(page);
        await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
        await page.getByText(`The e-mail to ${email} is on its way.`).waitFor();
        await hasCount(page.getByRole('button', { name: `Send again to ${email}` }), 0);
        assert.ok(await isWaiting(licenseKey));
      }
    });

    it('let the owner write the brand, and say at the field what customers could not see', async () => {
      for (const look of LOOKS) {
        const creator = `shop-${look.device}`;
        const page = await under.open({ ...look, at: `/brand?creator=${creator}` });
        await page.getByText("This shop has no brand yet. Its pages show the operator's.").waitFor();
        await inspect(page);
        await page.getByLabel('Name').fill('Lumen & Söhne');
        const colour = page.getByRole('textbox', { name: 'Colour', exact: true });
        await colour.fill('#ffff00');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Colour must have a contrast of at least 3 with white; it has 1.07.').waitFor();
        assert.equal(await colour.evaluate((field) => field === document.activeElement), true);
        await inspect(page);
        assert.equal(await brandOf({ creatorId: creator }), null);
        await colour.fill('#B3452C');
        const logo = page.getByLabel('Logo', { exact: true }).and(page.locator('input'));
        await logo.setInputFiles(pictureOf(Buffer.alloc(33_000)));
        await page.getByText('The picture has 33 KiB. At most 32 KiB are possible.').waitFor();
        assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true);
        await logo.setInputFiles(pictureOf(LOGO));
        await hasCount(page.getByRole('img', { name: 'Logo' }), 2);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText(`The brand of ${creator} was saved.`).waitFor();
        await inspect(page);
        const { name, accent, logo: stored } = await brandOf({ creatorId: creator });
        assert.deepEqual([name, accent, stored.data], ['Lumen & Söhne', '#b3452c', LOGO.toString('base64')]);
        await page.getByRole('button', { name: 'Remove the logo' }).click();
        await (await save(page)).getByText(`The brand of ${creator} was saved.`).waitFor();
        await hasCount(page.getByRole('img', { name: 'Logo' }), 0);
        await page.getByLabel('Customers may get a new key').check();
        await (await save(page)).getByRole('button', { name: 'Undo' }).click();
        await page.getByText(/^The change to the brand of .* was undone\./).waitFor();
        assert.equal((await brandOf({ creatorId: creator })).allowsNewKeys, false);
        assert.equal(await page.getByLabel('Customers may get a new key').isChecked(), false);
        assert.equal(await brandOf(), null, "the operator's own brand");
      }
    });

    it('keep the edits that a person makes while a save is under way', async () => {
      const licenseKey = await under.app.license({ productId: 'tapehead' });
      const forms = [
        ['/brand?creator=typing', '/updateBrand', 'Name', 'Support address', 'Save', 'The brand of typing was saved.'],
        ['/texts?creator=typing', '/saveMailTemplate', 'Subject', 'Text', 'Save', 'The text was saved.'],
        [
          `/licenses/${licenseKey}?tab=timeline`,
          '/addNote',
          'Note',
          'Note',
          'Add note',
          'The note was added to license',
        ],
      ] as const;
      for (const [at, path, first, second, press, told] of forms) {
        const page = await under.open({ at });
        const typed = page.getByLabel(second, { exact: true });
        const button = page.getByRole('button', { name: press, exact: true });
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        await page.route(`**${path}`, async (route) => {
          await released;
          await route.continue();
        });
        const sent = page.waitForRequest(`**${path}`);
        await page.getByLabel(first, { exact: true }).fill('First');
        await button.click();
        await sent;
        await typed.fill('later@typing.example');
        release();
        await page.getByText(told).waitFor();
        assert.equal(await typed.inputValue(), 'later@typing.example', at);
        await page.unroute(`**${path}`);
      }
    });

    it('let the owner write the texts of e-mails, with a preview of what buyers read', async () => {
      for (const look of LOOKS) {
        const creator = `texts-${look.device}`;
        await mustSucceed(under.app.admin('/updateBrand', { creatorId: creator, name: 'Lumen & Söhne' }));
        const page = await under.open({ ...look, at: `/texts?creator=${creator}` });
        const preview = page.getByRole('article', { name: 'Preview of the e-mail' });
        await preview.getByText('Your license for Example product').waitFor();
        await page.getByText('This is the built-in text.').waitFor();
        await inspect(page);
        const [subject, text] = [page.getByLabel('Subject'), page.getByLabel('Text', { exact: true })];
        await text.fill('Welcome to {shop}!\n\n{name}');
        await page.getByText(/^Text must have no placeholders except .*; it has \{name\}\.$/).waitFor();
        await inspect(page);
        await subject.fill('Your key for {product}');
        await text.fill('Welcome to {shop}!\n\n{keys}');
        await preview.getByText('Welcome to Lumen & Söhne!').waitFor();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('The text was saved.').waitFor();
        await page.getByText('This is your own text.').waitFor();
        await inspect(page);
        const stored = async () =>
          (await mustSucceed(under.app.admin('/listMailTemplates', { creatorId: creator }))).templates;
        assert.equal((await stored())[0].text, 'Welcome to {shop}!\n\n{keys}');
        await page.getByRole('button', { name: 'Send a test' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('To').fill(`${creator}@example.com`);
        await inspect(page);
        await dialog.getByRole('button', { name: 'Send' }).click();
        await page.getByText(`The test goes to ${creator}@example.com.`).waitFor();
        await page.getByRole('button', { name: 'Delete the text' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete text' }).click();
        await page.getByText('This is the built-in text.').waitFor();
        await hasCount(page.getByRole('button', { name: 'Delete the text' }), 0);
        assert.deepEqual(await stored(), []);
      }
    });

    it('offer to reinstate a license whose dispute the shop won', async () => {
      const purchase = { email: 'won@example.com', productId: 'tapehead', purchaseId: 'order-won' };
      const report = (type: string) => mustSucceed(under.app.webhook('/storefrontWebhook', { type, ...purchase }));
      const { licenseKey } = await report('purchase.completed');
      await report('purchase.disputed');
      await report('purchase.dispute_won');
      const page = await under.open({ at: `/licenses/${licenseKey}?tab=timeline` });
      const won = page.getByRole('listitem').filter({ hasText: 'The dispute was won.' });
      await won.getByRole('button', { name: 'Reinstate' }).click();
      await inspect(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Reinstate' }).click();
      await page.getByText('The license of won@example.com is reinstated.').waitFor();
      await hasCount(won.getByRole('button', { name: 'Reinstate' }), 0);
    });

    it('keep what a colleague saved since the form was filled, and fill it again on request', async () => {
      const colleague = (fields: object) =>
        mustSucceed(under.app.admin('/updateBrand', { creatorId: 'duo', ...fields }));
      await colleague({ name: 'Duo', accent: '#1a5fb4' });
      await under.move(1000);
      const page = await under.open({ at: '/brand?creator=duo' });
      const save = page.getByRole('button', { name: 'Save' });
      const address = page.getByLabel('Support address');
      await address.fill('help@duo.example');
      await colleague({ accent: '#b3452c', supportUrl: 'https://duo.example/help' });
      await under.move(1000);
      await save.click();
      const refused = page.getByText('Brand was changed meanwhile by the operator.');
      await refused.waitFor();
      await inspect(page);
      const [again] = await Promise.all([page.waitForResponse('**/updateBrand'), save.click()]);
      assert.equal(again.status(), 409, 'the second press');
      await refused.waitFor();
      await page.getByRole('button', { name: 'Load the present values' }).click();
      assert.equal(await page.getByLabel('Support page').inputValue(), 'https://duo.example/help');
      await address.fill('help@duo.example');
      await save.click();
      await page.getByText('The brand of duo was saved.').waitFor();
      const kept = { supportUrl: 'https://duo.example/help', accent: '#b3452c' };
      const stored = async () => {
        const { supportAddress, supportUrl, accent } = await brandOf({ creatorId: 'duo' });
        return { supportAddress, supportUrl, accent };
      };
      assert.deepEqual(await stored(), { ...kept, supportAddress: 'help@duo.example' });
      await under.move(1000);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The change to the brand of duo was undone.').waitFor();
      assert.deepEqual(await stored(), { ...kept, supportAddress: null });
      await under.move(1000);
      await address.fill('us@duo.example');
      const saved = answerOf(page);
      await save.click();
      assert.equal((await saved).status(), 200);
      assert.deepEqual(await stored(), { ...kept, supportAddress: 'us@duo.example' });
    });

    it('let a creator write the own brand, and support read brands only', async () => {
      await under.app.admin('/createProduct', { name: 'Loom', slug: 'loom', creatorId: 'ada' });
      const { apiKey } = await mustSucceed(under.app.admin('/createApiKey', { creatorId: 'ada', name: 'Shop' }));
      const page = await under.open({ secret: apiKey, at: '/' });
      for (const key of ['g', 'b']) await page.keyboard.press(key);
      await page.getByLabel('Name').fill('Ada');
      assert.equal(await page.getByLabel('Creator').count(), 0);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The brand was saved.').waitFor();
      assert.equal((await brandOf({ creatorId: 'ada' })).name, 'Ada');
      await page.getByRole('button', { name: 'Add links of a product' }).click();
      await page.getByLabel('Product', { exact: true }).selectOption('Loom');
      await page.getByLabel('Download').fill('http://ada.example/get');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Links of products, number 1: download must be an https address.').waitFor();
      await inspect(page);
      await page.getByLabel('Download').fill('https://ada.example/get');
      const saved = answerOf(page);
      await page.getByRole('button', { name: 'Save' }).click();
      assert.equal((await saved).status(), 200);
      await page.getByText('Links of products, number 1').waitFor({ state: 'detached' });
      assert.deepEqual((await brandOf({ creatorId: 'ada' })).productLinks, [
        { productId: 'loom', download: 'https://ada.example/get', renew: null, receipt: null },
      ]);
      const support = await under.open({ secret: await operatorKey(under.app, 'support'), at: '/brand?creator=ada' });
      await support.getByLabel('Name').waitFor();
      assert.deepEqual(
        [await support.getByLabel('Name').inputValue(), await support.getByLabel('Name').isDisabled()],
        ['Ada', true],
      );
      await hasCount(support.getByRole('button', { name: 'Save' }), 0);
      await inspect(support);
    });
  },
  MAILS,
);
