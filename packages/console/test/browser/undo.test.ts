/**
 * Undoing in the message and in Activity: once, in two tabs, after another's change, and of many things at once. Each
 * journey asserts the stored values, on both databases.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { operatorKey } from '../../../server/test/support/console.ts';
import { engines, freshDatabase } from '../../../server/test/support/databases.ts';
import { askToUndo, choose } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { assertNoTroubles, inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

/** A picture of one pixel. */
const LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const news = (page: Page) => page.getByRole('region', { name: 'News' });
const undo = (page: Page) => news(page).getByRole('button', { name: 'Undo' });

for (const engine of engines) {
  /** The pages do not depend on the engine, so axe judges them on the first one alone. */
  const inspectHere = engine === engines[0] ? inspect : assertNoTroubles;
  describeConsole(
    `undoing on ${engine}`,
    (under) => {
      const send = (path: string, body: Readonly<Record<string, unknown>>) => mustSucceed(under.app.admin(path, body));
      const license = async (licenseKey: string) => (await send('/getLicense', { licenseKey })).license;
      const statusesOf = (keys: readonly string[]) =>
        Promise.all(keys.map(async (key) => (await license(key)).status as string));

      async function licensesOf(
        productId: string,
        emails: readonly string[],
        fields: Readonly<Record<string, unknown>> = {},
      ) {
        await send('/createProduct', { slug: productId, name: productId, creatorId: 'ada' });
        const keys: string[] = [];
        for (const email of emails) keys.push(await under.app.license({ email, productId, ...fields }));
        return keys;
      }

      it('of many revocations is one press, leaves what was revoked before, and says who changed the others', async () => {
        const emails = ['one', 'two', 'three', 'before'].map((name) => `${name}@example.com`);
        const keys = await licensesOf('revoked', emails);
        const [first = '', , , before = ''] = keys;
        await send('/revokeLicense', { licenseKey: before, reason: 'refund' });
        const page = await under.open({ at: '/licenses?product=revoked' });
        await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
        await page.getByRole('button', { name: 'Revoke', exact: true }).click();
        const dialog = dialogOf(page, 'Revoke 4 licenses');
        await dialog.getByText('One is revoked already; "Undo" leaves it revoked.').waitFor();
        await dialog.getByRole('button', { name: 'Revoke 4' }).click();
        await dialog.getByText('4 of 4 done.').waitFor();
        assert.deepEqual(await statusesOf(keys), ['revoked', 'revoked', 'revoked', 'revoked']);
        await inspectHere(page);
        await send('/revokeLicense', { licenseKey: first, reason: 'chargeback' });
        await dialog.getByRole('button', { name: 'Undo all 3' }).click();
        const undoing = dialogOf(page, 'Undo: Revoke 4 licenses');
        await undoing.getByText('2 of 3 undone, 1 refused, 1 had nothing to undo.').waitFor();
        await undoing
          .getByText('License was changed meanwhile by the operator: revocation from plain to chargeback')
          .waitFor();
        await inspectHere(page);
        assert.deepEqual(await statusesOf(keys), ['revoked', 'active', 'active', 'revoked']);
        await undoing.getByRole('button', { name: 'Try the 1 again' }).click();
        await undoing.getByText('2 of 3 undone, 1 refused, 1 had nothing to undo.').waitFor();
        assert.deepEqual(await statusesOf(keys), ['revoked', 'active', 'active', 'revoked']);
      });

      it('of an action on many licenses outlives its dialog: in a message, and as one entry of Activity', async () => {
        const emails = ['one', 'two', 'three'].map((name) => `batch-${name}@example.com`);
        const keys = await licensesOf('batch', emails);
        const page = await under.open({ name: 'Bea', at: '/licenses?product=batch' });
        const revoke = async () => {
          await page.getByRole('button', { name: 'Revoke', exact: true }).click();
          const dialog = dialogOf(page, 'Revoke 3 licenses');
          await dialog.getByRole('button', { name: 'Revoke 3' }).click();
          await dialog.getByText('3 of 3 done.').waitFor();
          await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
          await dialog.waitFor({ state: 'detached' });
        };
        await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
        await revoke();
        await inspectHere(page);
        await page.getByRole('button', { name: 'Undo all 3' }).click();
        await page.getByText('3 of 3 undone.').waitFor();
        assert.deepEqual(await statusesOf(keys), ['active', 'active', 'active']);

        await revoke();
        await page.getByRole('button', { name: 'Reinstate', exact: true }).click();
        const dialog = dialogOf(page, 'Reinstate 3 licenses');
        await inspectHere(page);
        await dialog.getByRole('button', { name: 'Reinstate 3' }).click();
        await dialog.getByText('3 reinstated.').waitFor();
        await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
        assert.deepEqual(await statusesOf(keys), ['active', 'active', 'active']);

        const [activity, other] = [
          await under.open({ name: 'Ada', at: '/activity?product=batch' }),
          await under.open({ name: 'Cy', at: '/activity?product=batch' }),
        ];
        for (const tab of [activity, other])
          await tab
            .getByRole('button', { name: /^Details: 3 licenses: .*reinstated/ })
            .first()
            .click();
        await inspectHere(activity);
        for (const tab of [activity, other]) await tab.getByRole('button', { name: 'Undo all 3' }).click();
        const asking = dialogOf(activity, 'Undo 3 changes');
        await asking.getByRole('button', { name: 'Undo 3' }).click();
        await asking.getByText('3 changes undone.').waitFor();
        assert.deepEqual(await statusesOf(keys), ['revoked', 'revoked', 'revoked']);
        const late = dialogOf(other, 'Undo 3 changes');
        await late.getByRole('button', { name: 'Undo 3' }).click();
        await late.getByText('0 changes undone, 3 refused.').waitFor();
        assert.deepEqual(await statusesOf(keys), ['revoked', 'revoked', 'revoked']);
      });

      it('of a revocation that another person made first is refused, and nothing is changed', async () => {
        const [key = ''] = await licensesOf('late', ['late@example.com']);
        const page = await under.open({ at: '/licenses?product=late', scheme: 'dark' });
        await page
          .getByRole('checkbox', { name: /^Select / })
          .last()
          .check();
        await page.getByRole('button', { name: 'Revoke', exact: true }).click();
        await send('/revokeLicense', { licenseKey: key, reason: 'fraud' });
        const dialog = dialogOf(page, 'Revoke 1 license');
        await dialog.getByRole('button', { name: 'Revoke 1' }).click();
        await dialog.getByText('changed meanwhile by the operator: revocation from none to fraud').waitFor();
        await hasCount(dialog.getByRole('button', { name: /^Undo/ }), 0);
        await inspectHere(page);
        const { violations } = await send('/getLicense', { licenseKey: key });
        assert.equal(violations.length, 1);
      });

      it('of many extensions puts each former end back', async () => {
        const ends = ['2031-01-31T12:00:00.000Z', '2032-02-29T12:00:00.000Z', '2033-03-31T12:00:00.000Z'];
        const keys: string[] = await licensesOf('extended', []);
        for (const expiresAt of ends)
          keys.push(await under.app.license({ email: 'end@example.com', productId: 'extended', expiresAt }));
        const endsNow = () => Promise.all(keys.map(async (key) => (await license(key)).expiresAt as string));
        const page = await under.open({ at: '/licenses?product=extended' });
        await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
        await page.getByRole('button', { name: 'Extend', exact: true }).click();
        const dialog = dialogOf(page, 'Extend 3 licenses');
        await dialog.getByLabel('Days', { exact: true }).fill('10');
        await dialog.getByRole('button', { name: 'Extend 3' }).click();
        await dialog.getByText('3 extended.').waitFor();
        assert.equal((await endsNow())[0], '2031-02-10T12:00:00.000Z');
        const changed = '2040-12-31T00:00:00.000Z';
        await send('/updateLicense', { licenseKey: keys[1], expiresAt: changed });
        await dialog.getByRole('button', { name: 'Undo all 3' }).click();
        const undoing = dialogOf(page, 'Undo: Extend 3 licenses');
        await undoing.getByText('2 of 3 undone, 1 refused.').waitFor();
        assert.deepEqual(await endsNow(), [ends[0], changed, ends[2]]);
      });

      it('of an address of all licenses of a customer is one press, and in Activity one more', async () => {
        const keys = await licensesOf('moved', ['old@example.com', 'old@example.com', 'old@example.com']);
        const emails = () => Promise.all(keys.map(async (key) => (await license(key)).email as string));
        const page = await under.open({ at: '/customers/old@example.com' });
        const move = async (name: string) => {
          await page.getByRole('button', { name: 'Change the address' }).click();
          const dialog = dialogOf(page, 'Change the address');
          await dialog.getByLabel('New address').fill(name);
          await dialog.getByRole('button', { name: 'Change' }).click();
          await dialog.waitFor({ state: 'detached' });
        };
        await move('new@example.com');
        await page.getByText('3 licenses of old@example.com got the address new@example.com.').waitFor();
        assert.deepEqual(new Set(await emails()), new Set(['new@example.com']));
        await send('/changeEmail', { licenseKey: keys[2], newEmail: 'third@example.com' });
        await undo(page).click();
        await page.getByText('2 of 3 licenses have the address old@example.com again.').waitFor();
        await page.getByText('1 refused: License was changed meanwhile by the operator: email from').waitFor();
        await inspectHere(page);
        assert.deepEqual(await emails(), ['old@example.com', 'old@example.com', 'third@example.com']);
        await page.goto(`${under.origin}/console/#/customers/old@example.com`);
        const [reply] = await Promise.all([
          page.waitForResponse((response) => response.url().endsWith('/changeEmail')),
          move('newer@example.com'),
        ]);
        const request = reply.headers()['x-request-id'] ?? '';
        const [activity, other] = [
          await under.open({ name: 'Ada', at: `/activity?request=${request}` }),
          await under.open({ name: 'Bea', at: `/activity?request=${request}` }),
        ];
        for (const tab of [activity, other]) await tab.getByRole('button', { name: 'Undo all 2' }).click();
        const asking = dialogOf(activity, 'Undo 2 changes');
        await inspectHere(activity);
        await asking.getByRole('button', { name: 'Undo 2' }).click();
        await asking.getByText('2 changes undone.').waitFor();
        assert.deepEqual(await emails(), ['old@example.com', 'old@example.com', 'third@example.com']);
        const late = dialogOf(other, 'Undo 2 changes');
        await late.getByRole('button', { name: 'Undo 2' }).click();
        await late.getByText('0 changes undone, 2 refused.').waitFor();
        await hasCount(late.getByText(/changed meanwhile by .*Ada.*: email from newer@example.com to old@/), 2);
        assert.deepEqual(await emails(), ['old@example.com', 'old@example.com', 'third@example.com']);
      });

      it('of a reinstatement revokes again with the former reason, once', async () => {
        const [key = ''] = await licensesOf('back', ['back@example.com']);
        await send('/revokeLicense', { licenseKey: key, reason: 'chargeback' });
        const page = await under.open({ at: `/licenses/${key}` });
        const reinstate = async () => {
          await page.getByRole('button', { name: 'Reinstate', exact: true }).first().click();
          const dialog = dialogOf(page, 'Reinstate this license');
          await dialog.getByText('of the highest level are resolved, which cannot be undone').waitFor();
          await dialog.getByRole('button', { name: 'Reinstate' }).click();
          await dialog.waitFor({ state: 'detached' });
        };
        await reinstate();
        assert.equal((await license(key)).status, 'active');
        await undo(page).click();
        await news(page)
          .getByText(/ is revoked again\.$/)
          .waitFor();
        const { status, disputeReason } = await license(key);
        assert.deepEqual([status, disputeReason], ['revoked', 'chargeback']);
        await reinstate();
        const tabs = [];
        for (const name of ['Ada', 'Bea']) {
          const tab = await under.open({ name, at: `/activity?license=${key}` });
          const dialog = await askToUndo(tab, 'A license was reinstated.');
          await dialog.getByText('The license is revoked again, and the chargeback is recorded as a new').waitFor();
          tabs.push({ tab, dialog });
        }
        const [one, two] = tabs;
        await inspectHere(one!.tab);
        await one!.dialog.getByRole('button', { name: 'Undo' }).click();
        await one!.dialog.waitFor({ state: 'detached' });
        await two!.dialog.getByRole('button', { name: 'Undo' }).click();
        await two!.dialog.getByText(/changed meanwhile by .*Ada.*: revocation from none to chargeback/).waitFor();
        const { violations } = await send('/getLicense', { licenseKey: key });
        assert.equal(violations.filter(({ resolvedAt }: { resolvedAt: unknown }) => resolvedAt === null).length, 1);
      });

      it('of a code puts its terms back, and creates it again if nobody had redeemed it', async () => {
        await send('/createDiscountCode', { code: 'FAIR', trialDays: 14, maxUses: 5 });
        const stored = async () => (await send('/listDiscountCodes', { code: 'FAIR' })).codes[0];
        const page = await under.open({ at: '/codes/FAIR' });
        await page.getByRole('button', { name: 'Switch off' }).click();
        await page.getByText('FAIR is switched off.').waitFor();
        assert.equal((await stored()).active, false);
        await undo(page).click();
        await page.getByText('The change to the code FAIR was undone.').waitFor();
        assert.equal((await stored()).active, true);
        const change = async (uses: string) => {
          await page.getByRole('button', { name: 'Change', exact: true }).click();
          await dialogOf(page, 'Change FAIR').getByLabel('Uses').fill(uses);
          await dialogOf(page, 'Change FAIR').getByRole('button', { name: 'Save' }).click();
        };
        await change('9');
        await page.getByText('FAIR was changed.').waitFor();
        assert.equal((await stored()).maxUses, 9);
        const other = await under.open({ name: 'Bea', at: '/activity?kind=codes' });
        const asking = await askToUndo(other, 'A trial code was changed.');
        await asking.getByText('Uses allowed: 9 → 5').waitFor();
        await asking.getByRole('button', { name: 'Undo' }).click();
        await other.getByText('The change to the code fair was undone.').waitFor();
        assert.equal((await stored()).maxUses, 5);
        await undo(page).last().click();
        await page.getByText(/^Code was changed meanwhile by .*Bea.*: maxUses from 9 to 5\.$/).waitFor();
        assert.equal((await stored()).maxUses, 5);
        await choose(page, 'More', 'Delete');
        await dialogOf(page, 'Delete FAIR').getByText('Nobody has redeemed it.').waitFor();
        await inspectHere(page);
        await dialogOf(page, 'Delete FAIR').getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText('FAIR was deleted.').waitFor();
        assert.equal(await stored(), undefined);
        await undo(page).last().click();
        await page.getByText('The code FAIR is back.').waitFor();
        const { trialDays, maxUses, usedCount, active } = await stored();
        assert.deepEqual([trialDays, maxUses, usedCount, active], [14, 5, 0, true]);
        for (const isOn of [false, true, false]) await send('/updateDiscountCode', { code: 'FAIR', active: isOn });
        await other.reload();
        // The first of the three changes: later ones came to the same value.
        await other.getByRole('button', { name: 'Details: A trial code was changed.' }).nth(2).click();
        await other.getByRole('button', { name: 'Undo', exact: true }).click();
        await asking.getByRole('button', { name: 'Undo' }).click();
        await asking.getByText('Code was changed meanwhile by the operator: active from true to false').waitFor();
        assert.equal((await stored()).active, false);
      });

      it('of a code that was redeemed is not offered, and its dialog says so before', async () => {
        await licensesOf('trial', []);
        await send('/createDiscountCode', { code: 'USED', trialDays: 14 });
        await send('/redeemTrialCode', { code: 'USED', email: 'used@example.com', productId: 'trial' });
        const page = await under.open({ at: '/codes/USED' });
        await choose(page, 'More', 'Delete');
        await dialogOf(page, 'Delete USED').getByText('It cannot be brought back').waitFor();
        await dialogOf(page, 'Delete USED').getByRole('button', { name: 'Delete for good' }).click();
        await page.getByText('USED was deleted.').waitFor();
        await hasCount(undo(page), 0);
        await page.goto(`${under.origin}/console/#/activity?kind=codes`);
        await page.getByRole('button', { name: 'Details: The trial code USED was deleted.' }).click();
        await page.getByRole('table', { name: 'Changed fields' }).waitFor();
        await hasCount(page.getByRole('button', { name: 'Undo', exact: true }), 0);
      });

      it('of a product and a variant puts their values back, unless another person changed them', async () => {
        await send('/createProduct', { slug: 'tape', name: 'Tape', creatorId: 'ada' });
        await send('/createVariant', { productId: 'tape', name: 'indie', price: 4900 });
        const product = async () =>
          (await send('/listProducts', { includeAll: true })).products.find(
            ({ productId }: { productId: string }) => productId === 'tape',
          );
        const variant = async () => (await send('/listVariants', { productId: 'tape' })).variants[0];
        const page = await under.open({ at: '/products/tape' });
        const rename = async (name: string) => {
          await page.getByRole('button', { name: 'Rename', exact: true }).click();
          await page.getByRole('dialog').getByLabel('Name').fill(name);
          await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
          await page.getByText(`The product tape is called ${name}.`).waitFor();
        };
        await rename('Reel');
        assert.equal((await product()).name, 'Reel');
        await undo(page).click();
        await page.getByText('The change to the product tape was undone.').waitFor();
        assert.equal((await product()).name, 'Tape');
        await rename('Spool');
        await send('/updateProduct', { productId: 'tape', name: 'Bobbin' });
        await undo(page).last().click();
        await page.getByText('Product was changed meanwhile by the operator: name from Spool to Bobbin').waitFor();
        assert.equal((await product()).name, 'Bobbin');
        await choose(page, 'Actions of indie', 'Change');
        await page.getByRole('dialog').getByLabel('Price').fill('5900');
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        await page.getByText('The variant indie was changed.').waitFor();
        assert.equal((await variant()).price, 5900);
        await undo(page).last().click();
        await page.getByText('The change to the variant indie was undone.').waitFor();
        assert.equal((await variant()).price, 4900);
        await inspectHere(page);
      });

      it('of a brand puts its logo back in the message, and its other fields in Activity', async () => {
        const brand = async () => (await send('/getBrand', {})).brand;
        await send('/updateBrand', { name: 'Tapehead', accent: '#1a5fb4', logo: LOGO });
        await under.move(1000);
        const page = await under.open({ at: '/brand' });
        await page.getByLabel('Name').fill('Loom');
        await page.getByRole('button', { name: 'Remove the logo' }).click();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('The brand was saved.').waitFor();
        assert.deepEqual([(await brand()).name, (await brand()).logo], ['Loom', null]);
        await under.move(1000);
        await undo(page).click();
        await page.getByText('The change to the brand was undone.').waitFor();
        assert.deepEqual([(await brand()).name, (await brand()).logo.data], ['Tapehead', LOGO]);
        assert.equal(await page.getByLabel('Name').inputValue(), 'Tapehead');
        await under.move(1000);
        await page.getByLabel('Name').fill('Reel');
        // The message of the first save may still be in sight.
        const saved = page.waitForResponse('**/updateBrand');
        await page.getByRole('button', { name: 'Save' }).click();
        await saved;
        const activity = await under.open({ at: '/activity?kind=self-service' });
        const asking = await askToUndo(activity, 'The brand ');
        await asking.getByText('Name: Reel → Tapehead').waitFor();
        await under.move(1000);
        await send('/updateBrand', { accent: null });
        await asking.getByRole('button', { name: 'Undo' }).click();
        await asking.getByText('Brand was changed meanwhile by').waitFor();
        assert.equal((await brand()).name, 'Reel');
      });

      it('of a destination puts its address back in the message, and ends or begins a pause', async () => {
        const url = 'https://hooks.example.com/first';
        // Nothing that happens here is sent to it.
        const { destinationId } = await send('/createDestination', {
          url,
          types: ['license.expired'],
          description: 'Shop',
        });
        const stored = async () => (await send('/getDestination', { destinationId })).destination;
        const statesOf = async () => [(await stored()).state, (await stored()).stateReason];
        await under.move(1000);
        const page = await under.open({ at: `/destinations/${destinationId}` });
        const change = async (label: string, value: string) => {
          await choose(page, 'More', 'Change');
          await page.getByRole('dialog').getByLabel(label).fill(value);
          await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        };
        await change('Address', 'https://hooks.example.com/second');
        await page.getByText('Shop was changed.').waitFor();
        assert.equal((await stored()).url, 'https://hooks.example.com/second');
        await under.move(1000);
        await undo(page).click();
        await page.getByText('The change to Shop was undone.').waitFor();
        assert.equal((await stored()).url, url);
        await inspectHere(page);
        await under.move(1000);
        await page.getByRole('button', { name: 'Pause', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
        await page.getByText('Shop is paused.').waitFor();
        await under.move(1000);
        await undo(page).last().click();
        await page.getByText('Events are sent to Shop again.').waitFor();
        assert.deepEqual(await statesOf(), ['active', null]);
        await under.move(1000);
        await change('Description', 'Store');
        await page.getByText('Store was changed.').waitFor();
        await under.move(1000);
        await send('/pauseDestination', { destinationId });
        await undo(page).last().click();
        await page.getByText('Destination was changed meanwhile by the operator.').waitFor();
        assert.equal((await stored()).description, 'Store');
        await under.move(1000);
        await page.getByRole('button', { name: 'Resume', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
        await page.getByText('Events are sent to Store again.').waitFor();
        await under.move(1000);
        await undo(page).last().click();
        await page.getByText('Store is paused again.').waitFor();
        assert.deepEqual(await statesOf(), ['paused', 'by_person']);
      });

      it('of a destination in Activity puts the recorded values back, and resumes it', async () => {
        const made = { url: 'https://hooks.example.com/kept', types: ['license.expired'], description: 'Kept' };
        const { destinationId } = await send('/createDestination', made);
        const stored = async () => (await send('/getDestination', { destinationId })).destination;
        await under.move(1000);
        await send('/updateDestination', { destinationId, types: ['license.revoked'], requestsPerSecond: 5 });
        const page = await under.open({ at: '/activity?kind=destination.updated' });
        const change = await askToUndo(page, 'A destination of events was changed.');
        await change.getByText('Types: license.revoked → license.expired').waitFor();
        await change.getByText('The address stays as it is.').waitFor();
        await inspectHere(page);
        await under.move(1000);
        await change.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('The change to the destination was undone.').waitFor();
        const { types, requestsPerSecond } = await stored();
        assert.deepEqual([types, requestsPerSecond], [['license.expired'], 50]);
        await under.move(1000);
        await send('/pauseDestination', { destinationId });
        await page.goto(`${under.origin}/console/#/activity?kind=destination.paused`);
        const pause = await askToUndo(page, 'A destination of events was paused.');
        await pause.getByText('Events are sent again, from where it stopped.').waitFor();
        await under.move(1000);
        await pause.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('Events are sent to the destination again.').waitFor();
        assert.equal((await stored()).state, 'active');
        await page.goto(`${under.origin}/console/#/activity?kind=destination.resumed`);
        await page.getByRole('button', { name: 'Details: A destination of events was resumed.' }).first().click();
        await page.getByRole('table', { name: 'Changed fields' }).waitFor();
        await hasCount(page.getByRole('button', { name: 'Undo', exact: true }), 0);
      });

      it('of a reply template in Activity puts its text back, and makes a deleted one again, once', async () => {
        const former = { name: 'Firm no', text: 'No, {email}.', verdict: null };
        const { template } = await send('/saveReplyTemplate', former);
        const { templateId } = template;
        const stored = async () => (await send('/listReplyTemplates', {})).templates;
        await under.move(1000);
        await send('/saveReplyTemplate', { ...former, templateId, text: 'Never.' });
        const at = '/activity?kind=replies';
        const [page, other] = [await under.open({ at }), await under.open({ at })];
        const saved = 'The reply template "Firm no" was saved.';
        const [change, second] = [await askToUndo(page, saved), await askToUndo(other, saved)];
        await change.getByText('Text: Never. → No, {email}.').waitFor();
        await inspectHere(page);
        await under.move(1000);
        await change.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('The template "Firm no" is as before.').waitFor();
        assert.equal((await stored())[0].text, former.text);
        await second.getByRole('button', { name: 'Undo' }).click();
        await second.getByText('Reply template was changed meanwhile by').waitFor();
        await under.move(1000);
        await send('/deleteReplyTemplate', { templateId });
        assert.deepEqual(await stored(), []);
        const deleted = 'The reply template "Firm no" was deleted.';
        for (const each of [page, other]) await each.reload();
        const [again, twice] = [await askToUndo(page, deleted), await askToUndo(other, deleted)];
        await again.getByText('The template "Firm no" is made again, with the same text.').waitFor();
        await again.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('The template "Firm no" is back.').waitFor();
        const [{ createdAt: _, updatedAt: __, ...back }] = await stored();
        assert.deepEqual(back, { templateId, creatorId: null, ...former });
        await twice.getByRole('button', { name: 'Undo' }).click();
        await twice.getByText('Reply template was changed meanwhile by').waitFor();
        assert.equal((await stored()).length, 1);
      });

      it('is not offered to support where it takes something away', async () => {
        const [key = ''] = await licensesOf('support', ['sue@example.com'], { expiresAt: '2031-01-31T12:00:00.000Z' });
        await send('/updateLicense', { licenseKey: key, maxMachines: 7 });
        const page = await under.open({
          secret: await operatorKey(under.app, 'support'),
          at: `/activity?license=${key}`,
        });
        await page.getByRole('button', { name: 'Details: A license was changed.' }).click();
        await page.getByRole('table', { name: 'Changed fields' }).waitFor();
        await hasCount(page.getByRole('button', { name: 'Undo', exact: true }), 0);
      });
    },
    {},
    {},
    () => freshDatabase(engine),
  );
}
