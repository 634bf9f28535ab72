/** Permissions in the catalogue, codes, orders, keys and system: by button, by address, and by a forged call. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { operatorKey } from '../../../server/test/support/console.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { creatorKey, orderSeats } from '../support/success.ts';

/** Sends a call like the page's own code, regardless of the visible controls. */
function forge(page: Page, path: string, body: object): Promise<{ status: number; code: string | null }> {
  return page.evaluate(
    async ([at, text]) => {
      const response = await fetch(at!, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-latchkey-console': '1' },
        body: text!,
      });
      return { status: response.status, code: response.headers.get('latchkey-code') };
    },
    [path, JSON.stringify(body)],
  );
}

describeConsole('roles', (under) => {
  /** The same items for each of two creators. */
  async function shops() {
    const { app } = under;
    const made = [];
    for (const creatorId of ['ada', 'bo']) {
      await app.admin('/createProduct', { name: `Product of ${creatorId}`, slug: `app-${creatorId}`, creatorId });
      await app.admin('/createVariant', { productId: `app-${creatorId}`, name: 'indie' });
      await app.admin('/createDiscountCode', {
        code: `CODE-${creatorId}`,
        trialDays: 7,
        productId: `app-${creatorId}`,
      });
      const { studioOrderId: order, seats } = await orderSeats(app, {
        creatorId,
        courseTitle: `Course of ${creatorId}`,
      });
      made.push({ key: await creatorKey(app, creatorId), order, seat: seats[0].code });
    }
    const [ada, bo] = made;
    return { ada: ada!, bo: bo! };
  }

  let once: ReturnType<typeof shops> | undefined;
  const bothShops = () => {
    once ??= shops();
    return once;
  };

  it('let a creator see and change their own things, and nothing of others at any address', async () => {
    const { ada, bo } = await bothShops();
    const page = await under.open({ secret: ada.key, at: '/products' });
    const go = (at: string) => page.goto(`${under.origin}/console/#${at}`);
    await page.getByRole('link', { name: 'Product of ada' }).waitFor();
    const lists: readonly (readonly [string, string])[] = [
      ['/products', 'Product of ada'],
      ['/products?creator=bo', 'Product of ada'],
      ['/codes', 'CODE-ada'],
      ['/codes?creator=bo', 'CODE-ada'],
      ['/orders', 'Course of ada'],
      ['/orders?creator=bo', 'Course of ada'],
    ];
    for (const [at, own] of lists) {
      await go(at);
      await page.getByRole('link', { name: own }).waitFor();
      assert.equal(await page.getByText(/of bo|CODE-bo/).count(), 0, at);
    }
    await inspect(page);
    const nothing: readonly (readonly [string, string])[] = [
      ['/products/app-bo', 'There is no such product.'],
      ['/codes/CODE-bo', 'There is no such code.'],
      ['/codes?product=app-bo', 'No code fits'],
      [`/orders/${bo.order}`, 'There is no such order.'],
      [`/orders/${bo.order}/print`, 'There is no such order.'],
      [`/orders?code=${bo.seat}`, 'No order fits'],
      ['/keys', 'You may not see this'],
      ['/system', 'You may not see this'],
    ];
    for (const [at, said] of nothing) {
      await go(at);
      await page.getByText(said).waitFor();
      assert.equal(await page.getByText(/of bo|head@school/).count(), 0, at);
    }
    await inspect(page);
    assert.equal(await page.getByRole('dialog').count(), 0, 'nobody is asked to sign in again');
    for (const name of ['Keys', 'System']) assert.equal(await page.getByRole('link', { name, exact: true }).count(), 0);
    await go('/products/app-ada');
    await page.getByRole('button', { name: 'New variant' }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: 'Give to another creator' }).count(), 0);
    for (const [path, body, code] of [
      ['/updateProduct', { productId: 'app-bo', name: 'Mine' }, 'product_not_found'],
      ['/createVariant', { productId: 'app-bo', name: 'mine' }, 'product_not_found'],
      ['/deleteDiscountCode', { code: 'CODE-bo' }, 'discount_code_not_found'],
      ['/createApiKey', { creatorId: 'bo', name: 'Mine' }, 'unauthorized'],
      ['/listApiKeys', {}, 'unauthorized'],
      ['/listConsoleSessions', {}, 'unauthorized'],
    ] as const)
      assert.equal((await forge(page, path, body)).code, code, path);
  });

  for (const role of ['support', 'viewer'])
    it(`let ${role} read, without a button that changes anything, and refuse forged calls`, async () => {
      const { ada } = await bothShops();
      const page = await under.open({ secret: await operatorKey(under.app, role), at: '/products' });
      await page.getByRole('link', { name: 'Product of ada' }).waitFor();
      const screens: readonly (readonly [string, string])[] = [
        ['/products', 'Product of bo'],
        ['/products/app-ada', 'indie'],
        ['/codes', 'CODE-bo'],
        ['/codes?new=one', 'CODE-bo'],
        ['/codes/CODE-ada', 'Nobody has redeemed it yet'],
        [`/orders/${ada.order}`, 'None of 2 seats is redeemed yet.'],
      ];
      const changing = /^(New|Many|Rename|Change|Switch|Delete|More|Actions|Put|Unlist|Create)/;
      for (const [at, seen] of screens) {
        await page.goto(`${under.origin}/console/#${at}`);
        await page.getByText(seen).first().waitFor();
        assert.deepEqual(await page.getByRole('button', { name: changing }).allInnerTexts(), [], at);
        assert.equal(await page.getByRole('dialog').count(), 0, at);
      }
      await inspect(page);
      for (const at of ['/keys', '/system']) {
        await page.goto(`${under.origin}/console/#${at}`);
        await page.getByText('You may not see this').waitFor();
      }
      for (const [path, body] of [
        ['/createProduct', { name: 'Forged', slug: `forged-${role}`, creatorId: 'ada' }],
        ['/updateProduct', { productId: 'app-ada', name: 'Forged' }],
        ['/createVariant', { productId: 'app-ada', name: 'forged' }],
        ['/updateVariant', { variantId: 'app-ada-indie', active: false }],
        ['/createDiscountCode', { code: `FORGED-${role}`, trialDays: 7 }],
        ['/updateDiscountCode', { code: 'CODE-ada', active: false }],
        ['/deleteDiscountCode', { code: 'CODE-ada' }],
        ['/createApiKey', { creatorId: 'ada', name: 'Forged' }],
        ['/revokeApiKey', { creatorId: 'ada' }],
        ['/createOperatorKey', { name: 'Forged', role: 'owner' }],
        ['/listConsoleSessions', {}],
      ] as const)
        assert.deepEqual(await forge(page, path, body), { status: 403, code: 'role_not_allowed' }, path);
      const { body } = await under.app.admin('/listProducts', { creatorId: 'ada' });
      assert.deepEqual(
        body.products.map(({ name }: { name: string }) => name),
        ['Product of ada'],
      );
    });
});
