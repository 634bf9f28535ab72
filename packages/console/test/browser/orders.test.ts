/** Orders of several seats: found, read, and printed as cards. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { operatorKey } from '../../../server/test/support/console.ts';
import { downloaded } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { creatorKey, orderSeats } from '../support/success.ts';

describeConsole('orders', (under) => {
  /** An order of 18 seats, the first of them redeemed. */
  async function order(): Promise<{ readonly id: string; readonly codes: readonly string[] }> {
    const { studioOrderId, seats } = await orderSeats(under.app, { seatCount: 18, totalAmount: 88_200 });
    const codes = seats.map(({ code }: { code: string }) => code);
    await under.app.webhook('/redeemSeatCode', {
      code: codes[0],
      redeemerEmail: 'pupil@school.example',
      redeemerUserId: 'user-20',
      storefrontPurchaseId: 'purchase-1',
    });
    return { id: studioOrderId, codes };
  }

  for (const [field, value] of [
    ['Seat code', (codes: readonly string[]) => ` ${codes[4]?.toLowerCase()} `],
    ['E-mail of the buyer', () => 'Head@school.example'],
    ['Course', () => 'course-mixing'],
    ['Creator', () => 'ada'],
  ] as const)
    it(`are found by ${field.toLowerCase()}`, async () => {
      const { id, codes } = await order();
      const page = await under.open({ at: '/orders' });
      await page.getByLabel(field, { exact: true }).fill(value(codes));
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Mixing for small rooms' }).first().waitFor();
      if (field === 'Seat code') await inspect(page);
      await page.getByRole('link', { name: 'Mixing for small rooms' }).first().click();
      await page.waitForURL((url) => url.hash === `#/orders/${id}`);
    });

  for (const [who, role] of [
    ['the operator', null],
    ['support', 'support'],
    ['a creator', 'creator'],
  ] as const)
    it(`are listed for ${who}, the newest first`, async () => {
      const { app } = under;
      const titles = ['First course', 'Second course', 'Third course'];
      const creatorId = `lists-${who}`;
      for (const courseTitle of titles) {
        await under.move(1);
        await orderSeats(app, { creatorId, courseTitle });
      }
      await orderSeats(app, { creatorId: 'somebody else', courseTitle: 'Foreign course' });
      const secretOf = async () => {
        if (role === null) return {};
        if (role === 'support') return { secret: await operatorKey(app, role) };
        return { secret: await creatorKey(app, creatorId) };
      };
      const page = await under.open({ at: '/orders', ...(await secretOf()) });
      const names = page.getByRole('table', { name: 'Orders' }).getByRole('link');
      await names.first().waitFor();
      const listed = (await names.allInnerTexts()).slice(0, role === 'creator' ? 4 : 5);
      const own = titles.toReversed();
      assert.deepEqual(listed.slice(0, 4), role === 'creator' ? own : ['Foreign course', ...own]);
      await inspect(page);
    });

  it('show their seats, and hand over the codes that are free', async () => {
    const { id, codes } = await order();
    const page = await under.open({ at: `/orders/${id}`, device: 'phone', scheme: 'dark' });
    await page.getByText('1 of 18 seats is redeemed.').waitFor();
    await page.getByText('pupil@school.example').waitFor();
    await page.getByText('€882.00').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Copy free codes' }).click();
    await page.getByRole('button', { name: 'Copied' }).first().waitFor();
    assert.deepEqual((await page.evaluate(() => navigator.clipboard.readText())).split('\n'), codes.slice(1));
    const { lines } = await downloaded(page);
    assert.equal(lines.length, 19);
    assert.match(lines[1] ?? '', new RegExp(`^1,${codes[0]},redeemed,pupil@school\\.example,`));
    assert.equal(lines[18], `18,${codes[17]},available,,`);
  });

  it('are printed as cards, eight to a page, and nothing else is on the paper', async () => {
    const { id, codes } = await order();
    const page = await under.open({ at: `/orders/${id}` });
    await page.getByRole('link', { name: 'Print cards' }).click();
    await page.getByText('17 cards on 3 pages').waitFor();
    await page.getByLabel('Text on each card').fill('Redeem it at school.example');
    await inspect(page);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const name of ['Screens', 'Pages'])
      await hasCount(page.getByRole('navigation', { name }), 0, `${name} would be printed`);
    for (const role of ['heading', 'button', 'textbox', 'checkbox', 'banner'] as const)
      await hasCount(page.getByRole(role), 0, `a ${role} would be printed`);
    assert.equal(await page.getByText('Skip to content').isVisible(), false, 'the skip link would be printed');
    const sheets = page.getByRole('list');
    assert.deepEqual(
      await sheets.evaluateAll((lists) => lists.map((list) => list.children.length)),
      [8, 8, 1],
      'cards of each page',
    );
    await hasCount(page.getByText('Redeem it at school.example'), 17);
    const printed = await sheets.getByRole('listitem').allInnerTexts();
    assert.deepEqual(
      printed.map((text) => text.match(/STUDIO-\w{4}-\w{4}/)?.[0]),
      codes.slice(1),
    );
    const colours = await sheets.first().evaluate((list) => {
      const { color, backgroundColor } = getComputedStyle(list);
      return { color, backgroundColor };
    });
    assert.equal(colours.backgroundColor, 'rgb(255, 255, 255)', 'paper is white in the dark, too');
    for (const format of ['A4', 'Letter'])
      assert.equal(pagesOf(await page.pdf({ format, preferCSSPageSize: false })), 3, `pages of ${format}`);
  });

  it('with all seats redeemed print redeemed seats only', async () => {
    const { studioOrderId, seats } = await orderSeats(under.app, {});
    for (const [at, { code }] of seats.entries())
      await under.app.webhook('/redeemSeatCode', {
        code,
        redeemerEmail: `pupil-${at}@school.example`,
        redeemerUserId: `user-${at}`,
        storefrontPurchaseId: `purchase-${at}`,
      });
    const page = await under.open({ at: `/orders/${studioOrderId}/print` });
    await page.getByText('Nothing to print').waitFor();
    await inspect(page);
    await page.getByLabel('Redeemed codes as well').check();
    await page.getByText('2 cards on 1 page').waitFor();
  });

  it('that are not there are said to be not there', async () => {
    for (const at of ['/orders/so_nothing', '/orders/so_nothing/print']) {
      const page = await under.open({ at });
      await page.getByText('There is no such order.').waitFor();
      await inspect(page);
    }
  });
});

/** The number of pages of a PDF. */
function pagesOf(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
}
