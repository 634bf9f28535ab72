/** The terms of variants and licenses: editions by their features, and one license with the origin of each term. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { choose, dialog } from '../support/acts.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

describeConsole('terms', (under) => {
  /** A product with two variants, one of which has features. */
  async function product(slug: string): Promise<void> {
    const { app } = under;
    await mustSucceed(app.admin('/createProduct', { name: `Tape ${slug}`, slug, creatorId: 'ada' }));
    await mustSucceed(app.admin('/createVariant', { productId: slug, name: 'indie', maxMachines: 2 }));
    const features = { export: true, layers: 10 };
    const studio = { maxMachines: 5, features, graceDays: 9, unlockedProducts: ['other'] };
    await mustSucceed(app.admin('/createVariant', { productId: slug, name: 'studio', ...studio }));
  }

  for (const look of [{}, { device: 'phone', scheme: 'dark' }] as const)
    it(`shows a product as a table of editions, and gives a variant features (${JSON.stringify(look)})`, async () => {
      const slug = `edition-${look.device ?? 'desktop'}`;
      await product(slug);
      const page = await under.open({ at: `/products/${slug}`, ...look });
      await page.getByRole('heading', { name: 'Editions' }).waitFor();
      await inspect(page);
      await choose(page, 'Actions of indie', 'Terms and features');
      await dialog(page).getByLabel('Features').fill('Layers = 3');
      await dialog(page).getByText('A name in small letters').waitFor();
      await dialog(page).getByLabel('Features').fill('layers = 3\nexport = no');
      await dialog(page).getByLabel('Grace').fill('7');
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByText('The terms of indie were changed.').waitFor();
      const { variants } = await mustSucceed(under.app.admin('/listVariants', { productId: slug }));
      const indie = variants.find(({ name }: { name: string }) => name === 'indie');
      assert.deepEqual([indie.features, indie.graceDays, indie.updatesDays], [{ layers: 3, export: false }, 7, null]);
      if (look.device !== undefined) return;
      await page.getByRole('row', { name: 'layers 3 10' }).waitFor();
    });

  it('creates a variant with terms, and names those that a replacement takes away', async () => {
    await product('fresh');
    const page = await under.open({ at: '/products/fresh' });
    await page.getByRole('button', { name: 'New variant' }).click();
    await dialog(page).getByLabel('Name').fill('studio');
    await dialog(page).getByText('Features: 2').waitFor();
    await dialog(page).getByText('Terms and features').click();
    await dialog(page).getByLabel('Updates').fill('365');
    await dialog(page).getByText('Updates: None').waitFor();
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Replace variant' }).click();
    await page.getByText('The variant studio was replaced.').waitFor();
    const { variants } = await mustSucceed(under.app.admin('/listVariants', { productId: 'fresh' }));
    const studio = variants.find(({ name }: { name: string }) => name === 'studio');
    assert.deepEqual([studio.updatesDays, studio.features], [365, null]);
  });

  for (const look of [{}, { device: 'phone', scheme: 'dark' }] as const)
    it(`shows where each feature of a license comes from, and changes its terms (${JSON.stringify(look)})`, async () => {
      const slug = `license-${look.device ?? 'desktop'}`;
      await product(slug);
      const { licenseKey } = await mustSucceed(
        under.app.admin('/createLicense', { email: 'ada@example.com', productId: slug, variant: 'studio' }),
      );
      const page = await under.open({ at: `/licenses/${licenseKey}?tab=terms`, ...look });
      await page.getByText('Variant studio').first().waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'Change terms' }).click();
      await dialog(page).getByLabel('Features').fill('layers = 20\nexport = none');
      await dialog(page).getByLabel('Newest version').fill('2');
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByText('Taken away').waitFor();
      await inspect(page);
      const { license } = await mustSucceed(under.app.admin('/getLicense', { licenseKey }));
      assert.deepEqual(
        [license.features, license.ownFeatures, license.maxVersion],
        [{ layers: 20 }, { layers: 20, export: null }, '2'],
      );
    });

  it('puts the terms and the metadata of a license back, and the terms of a variant', async () => {
    await product('back');
    const terms = { features: { layers: 4 }, graceDays: 3, metadata: { crm: 'A-1' } };
    const { licenseKey } = await mustSucceed(
      under.app.admin('/createLicense', { email: 'ada@example.com', productId: 'back', variant: 'studio', ...terms }),
    );
    const stored = async () => {
      const { license } = await mustSucceed(under.app.admin('/getLicense', { licenseKey }));
      const { ownFeatures, graceDays, maxUsers, releaseIdleDays, metadata } = license;
      return { ownFeatures, graceDays, maxUsers, releaseIdleDays, metadata };
    };
    const before = await stored();
    const page = await under.open({ at: `/licenses/${licenseKey}?tab=terms` });
    const change = async (title: string, values: Readonly<Record<string, string>>) => {
      await page.getByRole('button', { name: title }).click();
      for (const [label, value] of Object.entries(values))
        await dialog(page).getByLabel(label, { exact: true }).fill(value);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
    };
    const undo = async () => {
      await inspect(page);
      const answered = page.waitForResponse(/\/update(License|Variant)$/);
      await page.getByRole('button', { name: 'Undo' }).click();
      await answered;
      await page.getByText('was undone').last().waitFor();
    };
    const after = { Features: 'layers = 20', Grace: '', 'Idle after': '30', Users: '5' };
    await change('Change terms', after);
    await page.getByText('has new terms').waitFor();
    assert.deepEqual(await stored(), {
      ...{ ownFeatures: { layers: 20 }, graceDays: null, maxUsers: 5, releaseIdleDays: 30, metadata: before.metadata },
    });
    await undo();
    assert.deepEqual(await stored(), before);
    await change('Change metadata', { Metadata: 'plan: gold' });
    await page.getByText('has new metadata').waitFor();
    await undo();
    assert.deepEqual(await stored(), before);
    await page.goto(`${under.origin}/console/#/products/back`);
    await choose(page, 'Actions of studio', 'Terms and features');
    await dialog(page).getByLabel('Features').fill('export = no');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The terms of studio were changed.').waitFor();
    await undo();
    const { variants } = await mustSucceed(under.app.admin('/listVariants', { productId: 'back' }));
    const studio = variants.find(({ name }: { name: string }) => name === 'studio');
    assert.deepEqual(studio.features, { export: true, layers: 10 });
  });

  for (const look of [{}, { device: 'phone', scheme: 'dark' }] as const)
    it(`shows the use of meters, and corrects it (${JSON.stringify(look)})`, async () => {
      const { app } = under;
      const slug = `metered-${look.device ?? 'desktop'}`;
      await product(slug);
      const meters = { exports: { limit: 100, period: 'month' }, saves: { limit: -1, period: 'none' } };
      await mustSucceed(app.admin('/updateVariant', { variantId: `${slug}-indie`, productId: slug, meters }));
      const { licenseKey } = await mustSucceed(
        app.admin('/createLicense', { email: 'ada@example.com', productId: slug, variant: 'indie' }),
      );
      await mustSucceed(app.admin('/adjustUsage', { licenseKey, meter: 'exports', units: 40 }));
      const page = await under.open({ at: `/licenses/${licenseKey}?tab=terms`, ...look });
      await page.getByText('40 of 100').waitFor();
      await page.getByText('0, no limit').waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'Correct' }).first().click();
      await dialog(page).getByLabel('Used in this period').fill('25');
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Correct' }).click();
      await page.getByText('25 of exports are used now.').waitFor();
      await page.getByText('25 of 100').waitFor();
      const { usage } = await mustSucceed(app.admin('/getLicense', { licenseKey }));
      assert.equal(usage.find(({ meter }: { meter: string }) => meter === 'exports').used, 25);
    });

  it('shows who holds the seats of a license, and releases one', async () => {
    const { app } = under;
    const { licenseKey } = await mustSucceed(
      app.admin('/createLicense', { email: 'ada@example.com', productId: 'app', maxMachines: -1, maxUsers: 2 }),
    );
    const call = {
      licenseKey,
      productId: 'app',
      machineFingerprint: 'm-1',
      hostname: 'desk',
      user: 'grace@example.com',
    };
    await mustSucceed(app.send('/activate', call));
    const page = await under.open({ at: `/licenses/${licenseKey}?tab=users` });
    await page.getByText('grace@example.com').first().waitFor();
    await inspect(page);
    await choose(page, 'Actions of grace@example.com', 'Release user');
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Release user' }).click();
    await page.getByText('grace@example.com was released.').waitFor();
    await page.getByText('No user yet').waitFor();
    assert.deepEqual((await mustSucceed(app.admin('/listUsers', { licenseKey }))).users, []);
  });

  it('takes over the terms of another variant, and puts them back', async () => {
    await product('move');
    const { licenseKey } = await mustSucceed(
      under.app.admin('/createLicense', { email: 'ada@example.com', productId: 'move', variant: 'indie' }),
    );
    const limit = async () => {
      const { license } = await mustSucceed(under.app.admin('/getLicense', { licenseKey }));
      return [license.variant, license.maxMachines, license.graceDays, license.unlockedProducts.length];
    };
    const page = await under.open({ at: `/licenses/${licenseKey}` });
    await choose(page, 'More', 'Change type or variant');
    await dialog(page).getByLabel('Variant').selectOption('studio');
    await dialog(page).getByLabel('Take over the terms of studio').waitFor();
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    assert.deepEqual(await limit(), ['studio', 5, 9, 1]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('was undone').waitFor();
    assert.deepEqual(await limit(), ['indie', 2, null, 0]);
  });
});
