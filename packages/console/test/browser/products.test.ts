/** The catalogue: products and their variants, created and changed by mouse and keyboard. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { choose, dialog } from '../support/acts.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

describeConsole('the catalogue', (under) => {
  /** A product with the variant `indie`, created through the service's endpoints. */
  async function tapeHead(slug: string): Promise<void> {
    const { app } = under;
    await app.admin('/createProduct', { name: `Tape Head ${slug}`, slug, creatorId: 'ada' });
    await app.admin('/createVariant', {
      productId: slug,
      name: 'indie',
      maxMachines: 2,
      price: 2900,
      durationDays: 365,
    });
  }

  it('is empty at first, explains products, and takes the first one', async () => {
    const page = await under.open({ at: '/products' });
    await page.getByText('No products yet').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'New product' }).first().click();
    await dialog(page).getByLabel('Name').fill('Wire Frame');
    assert.equal(await dialog(page).getByLabel('Identifier').inputValue(), 'wire-frame');
    await dialog(page).getByLabel('Identifier').fill('wire frame');
    await dialog(page).getByText('a letter or digit first').waitFor();
    await inspect(page);
    await dialog(page).getByLabel('Identifier').fill('wire-frame');
    await dialog(page).getByLabel('Creator', { exact: true }).fill('ada');
    await dialog(page).getByText('Nothing belongs to ada yet.').waitFor();
    assert.ok(await dialog(page).getByRole('button', { name: 'Create product' }).isDisabled());
    await inspect(page);
    await dialog(page).getByLabel('New creator').check();
    await dialog(page).getByLabel('Creator', { exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Wire Frame', exact: true }).waitFor();
    await page.getByText('No variants yet').waitFor();
    await inspect(page);
    const { body } = await under.app.admin('/listProducts', { productId: 'wire-frame' });
    assert.deepEqual([body.products[0].name, body.products[0].creatorId], ['Wire Frame', 'ada']);
  });

  for (const look of [{}, { device: 'phone', scheme: 'dark' }] as const)
    it(`warns before a variant replaces another, and says what would be lost (${JSON.stringify(look)})`, async () => {
      const slug = `tape-${look.device ?? 'desktop'}`;
      await tapeHead(slug);
      const page = await under.open({ at: `/products/${slug}`, ...look });
      await page.getByRole('button', { name: 'New variant' }).click();
      await dialog(page).getByLabel('Name').fill('studio');
      assert.equal(await dialog(page).getByText('It will be replaced as a whole.').count(), 0);
      await dialog(page).getByLabel('Name').fill('indie');
      await dialog(page).getByLabel('Machines', { exact: true }).fill('3');
      await dialog(page).getByLabel('Price').fill('2900');
      await dialog(page).getByText('indie exists already. It will be replaced as a whole.').waitFor();
      await dialog(page).getByText('Limit: 2 machines').waitFor();
      await dialog(page).getByText('Lasts: 365 days').waitFor();
      assert.equal(await dialog(page).getByText('Price: ').count(), 0, 'the price stays');
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Replace variant' }).click();
      await page.getByRole('cell', { name: '3 machines' }).waitFor();
      const { body } = await under.app.admin('/listVariants', { productId: slug });
      assert.deepEqual(
        body.variants.map((each: { maxMachines: number; durationDays: null }) => [each.maxMachines, each.durationDays]),
        [[3, null]],
      );
      await inspect(page);
    });

  it('changes a variant, retires it, and offers it again', async () => {
    await tapeHead('reel');
    const page = await under.open({ at: '/products/reel' });
    const chooseEntry = (entry: string) => choose(page, 'Actions of indie', entry);
    await chooseEntry('Change');
    await dialog(page).getByLabel('Price').fill('3900');
    await dialog(page).getByLabel('Any number of machines').check();
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '39.00' }).waitFor();
    await page.getByRole('cell', { name: 'No limit' }).waitFor();
    await chooseEntry('Retire');
    await dialog(page).getByRole('button', { name: 'Retire' }).click();
    await page.getByRole('cell', { name: 'Retired' }).waitFor();
    await chooseEntry('Offer again');
    await dialog(page).getByRole('button', { name: 'Offer again' }).click();
    await page.getByRole('cell', { name: 'Offered' }).waitFor();
  });

  it('renames, archives, finds among the archived, and puts on sale again', async () => {
    await tapeHead('echo');
    const page = await under.open({ at: '/products/echo' });
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog(page).getByLabel('Name').fill('Echo Two');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Echo Two' }).waitFor();
    await choose(page, 'More', 'Archive');
    await dialog(page).getByText('Its licenses keep working.').waitFor();
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Archive' }).click();
    await page.getByText('This product is archived.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New variant' }).count(), 0);
    await inspect(page);
    await page.getByRole('link', { name: 'Products' }).first().click();
    await page.getByLabel('Status').selectOption('Archived');
    await page.getByRole('link', { name: 'Echo Two' }).click();
    await page.getByRole('button', { name: 'Put on sale' }).click();
    await dialog(page).getByRole('button', { name: 'Put on sale' }).click();
    await page.getByText('On sale', { exact: true }).waitFor();
    const { body } = await under.app.admin('/listProducts', { productId: 'echo' });
    assert.equal(body.products[0]?.status, 'live');
  });

  it('gives a product to another creator', async () => {
    await tapeHead('gift');
    const page = await under.open({ at: '/products/gift' });
    await choose(page, 'More', 'Give to another creator');
    await dialog(page).getByLabel('New owner').fill('bo');
    await dialog(page).getByLabel('New creator').check();
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Give away' }).click();
    await page.getByText('Creator bo').waitFor();
  });

  it('says that a product is not there, and leads back', async () => {
    const page = await under.open({ at: '/products/no-such-product' });
    await page.getByText('There is no such product.').waitFor();
    await inspect(page);
    await page.getByRole('link', { name: 'All products' }).click();
    await page.getByRole('heading', { name: 'Products', exact: true }).waitFor();
  });

  it('explains that an identifier is taken, and keeps the input', async () => {
    await tapeHead('taken');
    const page = await under.open({ at: '/products' });
    await page.getByRole('button', { name: 'New product' }).click();
    await dialog(page).getByLabel('Name').fill('Taken');
    await dialog(page).getByLabel('Creator', { exact: true }).fill('bo');
    await dialog(page).getByRole('button', { name: 'Create product' }).click();
    await dialog(page).getByRole('alert').getByText('A product with this identifier exists already.').waitFor();
    await inspect(page);
    assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Taken');
  });
});

describeConsole(
  'licenses of a product',
  (under) => {
    it('are shown in figures, each of which leads to the licenses behind it', async () => {
      const { app } = under;
      const day = 86_400_000;
      await mustSucceed(app.admin('/createProduct', { name: 'Tape Head', slug: 'tape', creatorId: 'ada' }));
      await app.license({ productId: 'tape' });
      await app.license({ productId: 'tape', expiresAt: app.clock.at(10 * day) });
      await app.license({ productId: 'other' });
      const revoked = await app.license({ productId: 'tape', email: 'bad@example.com' });
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: revoked, reason: 'fraud' }));
      // The service records calls asynchronously, soon after each.
      for (let issued = 0; issued < 3; ) {
        const { series } = await mustSucceed(
          app.admin('/getStatistics', { metrics: ['license.created'], productId: 'tape' }),
        );
        issued = series[0].points.at(-1).value;
      }
      const page = await under.open({ at: '/products/tape' });
      const figure = (title: string) => page.locator('dl > div').filter({ hasText: title }).getByRole('definition');
      await page.getByText('Counted just now').waitFor();
      await figure('Issued in the last 30 days').getByText('3').waitFor();
      for (const [title, count] of [
        ['Active', '2'],
        ['Expired', '0'],
        ['Revoked', '1'],
        ['Expire within 30 days', '1'],
      ] as const)
        assert.equal(await figure(title).innerText(), count, title);
      await inspect(page);
      await figure('Revoked').getByRole('link').click();
      await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
      await page.getByText('bad@example.com').waitFor();
      assert.equal(await page.getByLabel('Status').inputValue(), 'revoked');
    });
  },
  {},
  { memory: { countIntervalMs: 10 } },
);
