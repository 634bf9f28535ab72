/** Connected shops: from the first steps to a sale that a person decides, with the requests of a real seller's form. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lemonSqueezySeller } from '../../../server/scripts/shops/sellers/lemonsqueezy.ts';
import type { Step } from '../../../server/scripts/shops/sellers/seller.ts';
import { deliver, newBuyer } from '../../../server/test/commerce/connectors/shop.ts';
import { type TestApp, WITH_JOBS } from '../../../server/test/support/app.ts';
import { operatorKey } from '../../../server/test/support/console.ts';
import { choose, dialog } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

/** A shop at Lemon Squeezy with one buyer. */
class Store {
  readonly app: TestApp;
  readonly connectorId: string;
  readonly secret: string;
  readonly seller = lemonSqueezySeller(newBuyer());

  constructor(app: TestApp, connectorId: string, secret: string) {
    this.app = app;
    this.connectorId = connectorId;
    this.secret = secret;
  }

  /** Connects a shop through the service's endpoint. */
  static async open(app: TestApp, name: string, fields: object = {}): Promise<Store> {
    const request = { source: 'lemonsqueezy', name, mode: 'live', prefix: name.toLowerCase(), ...fields };
    const { connectorId, secret } = await mustSucceed(app.admin('/createConnector', request));
    return new Store(app, connectorId, secret);
  }

  /** Delivers the requests of a step, signed. */
  async tell(step: Step, secret = this.secret): Promise<void> {
    for (const told of this.seller.steps[step]!(this.app.clock.now()))
      await deliver(this.app, `/connect/${this.connectorId}`, this.seller.sign(told, this.app.clock.now(), secret));
  }
}

describeConsole(
  'shops',
  (under) => {
    it('are connected, watch, and issue licenses once a product is mapped', async () => {
      const { app } = under;
      await mustSucceed(app.admin('/createProduct', { name: 'Studio', slug: 'studio', creatorId: 'ada' }));
      await mustSucceed(app.admin('/createVariant', { productId: 'studio', name: 'indie', maxMachines: 2 }));
      const page = await under.open({ at: '/start' });
      await page.getByRole('link', { name: 'Connect your shop' }).waitFor();
      await inspect(page);
      await page.keyboard.press('g');
      await page.keyboard.press('h');
      await page.getByText('No shop is connected yet').waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'Connect your shop' }).first().click();
      await dialog(page).getByLabel('Seller').selectOption('Lemon Squeezy');
      await dialog(page).getByLabel('Name').fill('Plug-in store');
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByRole('heading', { name: 'Set up Plug-in store at Lemon Squeezy' }).waitFor();
      const secret = (await dialog(page).getByRole('code').first().innerText()).trim();
      await inspect(page);
      await dialog(page).getByLabel('I saved it').check();
      await dialog(page).getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { name: 'Plug-in store', level: 1 }).waitFor();
      await page.getByText('This shop only watches.').waitFor();
      await page.getByRole('heading', { name: 'Set up at Lemon Squeezy' }).waitFor();
      await inspect(page);
      assert.ok(!(await page.content()).includes(secret), 'the secret is still in the page');

      const [, connectorId = ''] = /shops\/([^?]+)/.exec(page.url()) ?? [];
      const store = new Store(app, connectorId, secret);
      await store.tell('buy');
      await page.getByRole('link', { name: 'order_created' }).click();
      await dialog(page)
        .getByText(/^Order .* was paid/)
        .waitFor();
      await dialog(page).getByText('Now it would be:').waitFor();
      await dialog(page)
        .getByText(/"event_name": "order_created"/)
        .waitFor();
      await inspect(page);
      await page.keyboard.press('Escape');
      await hasCount(dialog(page), 0);
      await page.getByRole('button', { name: 'Turn on' }).first().click();
      await dialog(page).getByLabel('Apply 1 watched event').waitFor();
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Turn on' }).click();
      await page.getByText('1 event needs a decision.').first().waitFor();
      await inspect(page);
      await page.getByRole('link', { name: 'Open the inbox' }).click();
      await page.getByText('The buyer has paid and has no license yet.').waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'Map the product' }).click();
      await dialog(page).getByLabel('Seen in sales').selectOption(`Variant ${store.seller.once.id}`);
      await dialog(page).getByLabel('Product', { exact: true }).selectOption('Studio');
      await dialog(page).getByLabel('Variant', { exact: true }).selectOption('indie');
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByText('Nothing needs you.').waitFor();
      await page.goto(`${under.origin}/console/#/shops/${connectorId}`);
      await page.getByText('2 licenses: issued').waitFor();
      await page.getByText('studio, indie').waitFor();
      await inspect(page);
      await page.getByRole('link', { name: 'order_created' }).click();
      await dialog(page).getByText('Issued').first().waitFor();
      await inspect(page);
      await dialog(page).getByRole('listitem').first().getByRole('link').click();
      await page.waitForURL(/#\/licenses\//);
      await page.getByRole('tab', { name: 'Timeline' }).click();
      await page.getByText('Plug-in store reported order_created.').waitFor();
      await page
        .getByText(/^Issued · /)
        .first()
        .waitFor();
      await inspect(page);
      await page.getByRole('link', { name: 'Open the event' }).first().click();
      await page.getByRole('heading', { name: /^(order|license_key)_created$/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.goto(`${under.origin}/console/#/shops`);
      await page.getByText('Every event is applied.').waitFor();
      await inspect(page);
    });

    it('say which request was refused, and take a new secret', async () => {
      const store = await Store.open(under.app, 'Refusing', { state: 'on' });
      await store.tell('buy', 'another secret');
      const page = await under.open({ at: `/shops/${store.connectorId}`, device: 'phone', scheme: 'dark' });
      await page.getByText('The last request was refused: The signature fits none of the signing secrets.').waitFor();
      await inspect(page);
      await page.getByRole('button', { name: 'New signing secret' }).click();
      await dialog(page).getByLabel('Signing secret').fill('another secret');
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByText('The signing secret was saved.').waitFor();
      await store.tell('buy', 'another secret');
      await page.getByText('A sale without a mapping issues no license').waitFor();
      await page.goto(`${under.origin}/console/#/shops/attention`);
      await page.getByText('The buyer has paid and has no license yet.').waitFor();
      await inspect(page);
      await page.getByRole('button', { name: /^Dismiss: order_created/ }).click();
      await dialog(page).getByText('Nothing follows from this event').waitFor();
      await dialog(page).getByRole('button', { name: 'Dismiss' }).click();
      await page.getByText('Nothing needs you.').waitFor();
      await inspect(page);
    });

    it('are changed, paused, given an API key, and deleted', async () => {
      const store = await Store.open(under.app, 'Changing', { state: 'on' });
      const page = await under.open({ at: `/shops/${store.connectorId}` });
      await page.getByRole('heading', { name: 'Changing', level: 1 }).waitFor();
      await choose(page, 'More', 'Settings');
      await dialog(page).getByLabel('Name').fill('Changed');
      await dialog(page).getByLabel('Grace after a paid period').fill('5');
      await dialog(page).getByLabel('Notify').fill('ada@example.com');
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Changed', level: 1 }).waitFor();
      const listed = async () => {
        const { connectors } = await mustSucceed(under.app.admin('/listConnectors'));
        return connectors.find(({ connectorId }: { connectorId: string }) => connectorId === store.connectorId);
      };
      const { settings } = await listed();
      assert.deepEqual([settings.graceDays, settings.dunningDays, settings.notify], [5, 14, ['ada@example.com']]);
      await choose(page, 'More', 'Enter an API key');
      await dialog(page).getByLabel('API key').fill('eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9');
      await dialog(page).getByText('can do everything in your store').waitFor();
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByText('… NiJ9').waitFor();
      await page.getByText('Caught up').waitFor();
      await choose(page, 'More', 'Catch up now');
      await inspect(page);
      await dialog(page).getByRole('button', { name: 'Catch up' }).click();
      await page.getByText('Lemon Squeezy is asked for missed events.').waitFor();
      await choose(page, 'More', 'Remove the API key');
      await dialog(page).getByRole('button', { name: 'Remove' }).click();
      await page.getByText('The API key was removed.').waitFor();
      await page.getByRole('button', { name: 'Map a product' }).first().click();
      await dialog(page).getByLabel('Id at the seller').fill('T-shirt');
      await dialog(page).getByLabel('It is sold with').selectOption('No license');
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await choose(page, 'Actions for Price T-shirt', 'Remove');
      await dialog(page).getByRole('button', { name: 'Remove' }).click();
      await page.getByText('No product is mapped yet').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await dialog(page).getByText('buyers get no key').waitFor();
      await dialog(page).getByRole('button', { name: 'Pause' }).click();
      await page.getByText('This shop is paused.').waitFor();
      await inspect(page);
      await choose(page, 'More', 'Delete');
      await dialog(page).getByRole('button', { name: 'Delete shop' }).click();
      await page.getByRole('heading', { name: 'Shops', level: 1 }).waitFor();
      await hasCount(page.getByRole('link', { name: 'Changed' }), 0);
    });

    it('show a viewer no button, and let support decide and not change', async () => {
      const store = await Store.open(under.app, 'Roles', { state: 'on' });
      await store.tell('buy');
      for (const [role, buttons] of [
        ['viewer', []],
        ['support', ['Dismiss', 'Try again']],
      ] as const) {
        const page = await under.open({ secret: await operatorKey(under.app, role), at: '/shops/attention' });
        await page.getByText('The buyer has paid and has no license yet.').waitFor();
        const acts = page.getByRole('main').getByRole('button', { name: /^(Map|Try|Dismiss)/ });
        assert.deepEqual((await acts.allInnerTexts()).sort(), buttons);
        await page.getByRole('link', { name: 'A product without a mapping was sold' }).click();
        await page.getByRole('heading', { name: 'order_created' }).waitFor();
        await dialog(page).getByText('The buyer has paid and has no license yet.').first().waitFor();
        await inspect(page);
        await hasCount(page.getByRole('button', { name: /^(Turn on|Pause|More|Map)/ }), 0);
      }
    });
  },
  {},
  WITH_JOBS,
);
