/**
 * The way of a newcomer with a shop at Stripe, by docs/shops alone: `npm start`, connect the shop in the console, sell,
 * find the key in an e-mail, activate it, refund the sale, and see all of it on the license. Also makes the pictures of
 * these pages: `npm run pictures` writes them.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import type { Step } from '../../../server/scripts/shops/sellers/seller.ts';
import { stripeSeller } from '../../../server/scripts/shops/sellers/stripe.ts';
import { deliver } from '../../../server/test/commerce/connectors/shop.ts';
import { sendRequest } from '../../../server/test/support/app.ts';
import { MailServer } from '../../../server/test/support/mail-server.ts';
import { smallPicture } from '../../../server/test/support/small-picture.ts';
import { inspect } from '../support/inspect.ts';
import { ABSENT, freshCheckout, newWindow, startAtTerminal } from '../support/npm-start.ts';
import { SHOP_PICTURES } from '../support/shop-pictures.ts';
import { mustSucceed } from '../support/success.ts';

const IMAGES = fileURLToPath(new URL('../../../../docs/images/', import.meta.url));
const isWriting = process.env.LATCHKEY_PICTURES === 'write';
const EMAIL = 'zoe@example.com';
/** The payment link of the stand-in. */
const LINK = 'plink_1QpLink';

/** A picture of a part of the page with so many pixels around it. The part is in the flow of the page. */
async function around(page: Page, part: Locator, margin: number): Promise<Buffer> {
  const { x, y, width, height } = (await part.boundingBox())!;
  const above = await page.evaluate(() => scrollY);
  const [left, top] = [x - margin, y + above - margin];
  const clip = { x: left, y: top, width: width + 2 * margin, height: height + 2 * margin };
  return page.screenshot({ clip, fullPage: true, animations: 'disabled' });
}

test('a newcomer connects a shop, sells, and sees the refund on the license', { skip: ABSENT }, async (context) => {
  const mails = await MailServer.start();
  context.after(() => mails.close());
  const checkout = await freshCheckout(context);
  const { link } = await startAtTerminal(context, checkout, {
    LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    LATCHKEY_MAIL_FROM: 'My app <licenses@example.com>',
  });
  const page = await newWindow(context);
  const dialog = page.getByRole('dialog');
  const click = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
  const save = (name: string) => dialog.getByRole('button', { name, exact: true }).click();
  const picture = async (name: keyof typeof SHOP_PICTURES, of = page.getByRole('main'), margin = 0) => {
    await inspect(page);
    await page.mouse.move(0, 0);
    if (!isWriting) return;
    const taken = margin === 0 ? await of.screenshot({ animations: 'disabled' }) : await around(page, of, margin);
    await writeFile(join(IMAGES, SHOP_PICTURES[name]), smallPicture(taken));
  };

  await page.goto(link);
  await click('Add a product');
  await dialog.getByLabel('Name').fill('My app');
  await click('Create product');
  await click('Add a variant');
  await dialog.getByLabel('Name').fill('full');
  await click('Create variant');

  await page.getByRole('link', { name: 'Connect your shop' }).click();
  await dialog.getByLabel('Seller').selectOption('Stripe');
  await dialog.getByLabel('Name').fill('My shop');
  await save('Connect');
  await page.getByRole('heading', { name: 'Set up My shop at Stripe' }).waitFor();
  const address = (await dialog.locator('pre').first().innerText()).trim();
  await picture('setUp', dialog);
  await save('Open the shop');

  // Stripe shows the secret once the destination is there.
  const seller = stripeSeller({ number: 1, email: EMAIL });
  await click('Enter the signing secret');
  await dialog.getByLabel('Signing secret').fill(seller.secret);
  await save('Save');
  await page.getByText('This shop only watches.').waitFor();

  const { port, pathname } = new URL(address);
  const tell = async (step: Step) => {
    for (const told of seller.steps[step]!(Date.now())) {
      const { status } = await deliver({ port: Number(port) }, pathname, seller.sign(told, Date.now()));
      assert.equal(status, 200);
    }
  };
  await tell('buy');
  await click('Map a product');
  await dialog.getByLabel('Kind of name').selectOption('Payment link');
  await dialog.getByLabel('Id at the seller').fill(LINK);
  await dialog.getByLabel('Product', { exact: true }).selectOption('My app');
  await dialog.getByLabel('Variant', { exact: true }).selectOption('full');
  await save('Save');
  await page.getByText('The mapping was saved.').waitFor();
  await page.getByRole('link', { name: 'checkout.session.completed' }).click();
  await dialog.getByText(`The keys would go to ${EMAIL}.`).waitFor();
  await picture('preview', dialog);
  await page.keyboard.press('Escape');
  await click('Turn on');
  await save('Turn on');
  await page.getByText('1 license: issued').waitFor();
  await page.getByText('Every event is applied.').waitFor();
  await page.getByText('My shop is on.').waitFor({ state: 'hidden' });
  await picture('shop');

  const [mail] = await mails.hasReceived(1);
  assert.deepEqual(mail?.to, [EMAIL]);
  const [licenseKey = ''] = /[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}/.exec(mail?.mail.text ?? '') ?? [];
  assert.notEqual(licenseKey, '', String(mail?.mail.text));
  const agent = new Agent({ rejectUnauthorized: false });
  context.after(() => agent.destroy());
  const call = (path: string, fields: object) => sendRequest(agent, Number(port), path, fields, {});
  const app = { licenseKey, productId: 'my-app', machineFingerprint: 'desk', hostname: 'desk' };
  await mustSucceed(call('/activate', app));

  await tell('refundRest');
  await page.getByText('1 license: revoked').waitFor();
  await page.getByRole('link', { name: 'charge.refunded' }).click();
  await dialog.getByRole('listitem').getByRole('link').first().click();
  await page.waitForURL(/#\/licenses\//);
  await page.getByText('The license was revoked because its purchase was refunded.').waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByText('My shop reported charge.refunded.').waitFor();
  await page.getByText(`E-mail to ${EMAIL}: Keys of a sale.`).waitFor();
  await picture('timeline', page.getByRole('tabpanel').getByRole('list').last(), 16);
  assert.equal((await call('/verify', { licenseKey, productId: 'my-app' })).status, 403);

  const adminSecret = (await readFile(join(checkout, 'data/admin-secret'), 'utf8')).trim();
  const { license } = await mustSucceed(call('/getLicense', { adminSecret, licenseKey }));
  assert.deepEqual(
    [license.email, license.variant, license.status, license.disputeReason],
    [EMAIL, 'full', 'revoked', 'refund'],
  );
});
