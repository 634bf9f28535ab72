/** On a phone, actions are at the lower edge of the screen. They are large enough for a thumb, and hide nothing. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { mustSucceed } from '../support/success.ts';

/** Minimum size of a touch target in pixels. */
const TARGET = 44;

describeConsole('a phone', (under) => {
  let revoked: string;
  before(async () => {
    for (let number = 1; number <= 12; number += 1)
      await under.app.license({ email: `customer-${number}@example.com`, productId: 'tapehead' });
    revoked = await under.app.license({ email: 'dora@example.com', productId: 'tapehead' });
    await mustSucceed(under.app.admin('/revokeLicense', { licenseKey: revoked, reason: 'fraud' }));
  });

  it('has an area around the checkbox of each row that the link of the row does not cover', async () => {
    const page = await under.open({ device: 'phone', at: '/licenses' });
    await page.getByText('customer-12@example.com').waitFor();
    for (const width of [390, 320, 760, 1280]) {
      await page.setViewportSize({ width, height: 640 });
      const boxes = page.getByRole('checkbox', { name: /^Select .*@example/ });
      assert.equal(await boxes.count(), 13);
      for (const box of await boxes.all()) {
        await box.scrollIntoViewIfNeeded();
        const { covered, across, down } = await box.evaluate(hitAreaOf);
        assert.deepEqual(covered, [], `points of ${box} at ${width}`);
        const least = width > 760 ? 24 : TARGET;
        assert.ok(across >= least && down >= least, `${box} at ${width}: ${across} x ${down}`);
      }
    }
    await page.setViewportSize({ width: 390, height: 640 });
    const box = page.getByRole('checkbox', { name: /^Select dora@/ });
    // Licenses of the same second are in no fixed order, so the row may be outside the screen. No tap reaches it there.
    await box.evaluate((it) => it.scrollIntoView({ block: 'center', behavior: 'instant' }));
    const { x, y, height } = await boxOf(box);
    // Beside the box, within its area.
    await page.touchscreen.tap(x - 4, y + height + 8);
    await page.getByRole('region', { name: 'Selected licenses' }).waitFor();
    assert.equal(await box.isChecked(), true);
    assert.match(page.url(), /#\/licenses$/);
  });

  it('keeps the menu of the lower edge in place while the page scrolls, so that no tap misses its entry', async () => {
    const page = await under.open({ device: 'phone', at: `/licenses/${revoked}` });
    await page.setViewportSize({ width: 390, height: 640 });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const [scrolled, moved] = await page.getByRole('menu').evaluate((menu) => {
      const [before, top] = [scrollY, menu.getBoundingClientRect().top];
      scrollBy({ top: 24, behavior: 'instant' });
      return [scrollY - before, menu.getBoundingClientRect().top - top];
    });
    assert.deepEqual([scrolled, moved], [24, 0]);
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`has the actions of a license at the lower edge (${scheme})`, async () => {
      const page = await under.open({ device: 'phone', scheme, at: `/licenses/${revoked}` });
      const more = page.getByRole('button', { name: 'More', exact: true });
      await more.waitFor();
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 640 });
        // A revoked license has the most buttons of all.
        for (const name of ['Reinstate', 'Extend', 'Limits', 'More'])
          await isWithinReach(page, page.getByRole('button', { name, exact: true }).first());
        await isAbove(page.getByRole('tabpanel'), more);
      }
      await inspect(page);
      await more.click();
      await page.getByRole('menuitem', { name: 'Change e-mail address' }).click();
      await page.getByRole('dialog').getByLabel('New address').fill(`${scheme}@example.org`);
      await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
      const news = page.getByRole('region', { name: 'News' });
      await news.getByText('Request').waitFor();
      await isAbove(news, more);
      await inspect(page);
      // The toast stays for some seconds without blocking the next action.
      const reported = news.getByText('Request');
      await reported.hover();
      assert.equal(await isInFront(reported), true);
      await page.keyboard.press('e');
      await page.getByRole('dialog').waitFor();
      assert.equal(await isInFront(reported), false, 'news are in front of a dialog');
    });

    it(`has what can be done with selected rows at the lower edge (${scheme})`, async () => {
      const page = await under.open({ device: 'phone', scheme, at: '/licenses' });
      await page.getByText('customer-12@example.com').waitFor();
      await page.getByRole('checkbox', { name: /^Select customer-12@/ }).check();
      const bar = page.getByRole('region', { name: 'Selected licenses' });
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 640 });
        for (const name of ['Extend', 'E-mail', 'Revoke', 'More', 'Clear'])
          await isWithinReach(page, bar.getByRole('button', { name }));
        await isAbove(page.getByRole('row').last(), bar);
        // A row that takes the focus by keyboard is not hidden behind the bar.
        await page.getByRole('row').nth(1).getByRole('link').focus();
        for (let row = 0; row < 11; row += 1) await page.keyboard.press('j');
        const link = await boxOf(page.getByRole('row').filter({ has: page.locator('a:focus') }));
        assert.ok(link.y + link.height <= (await boxOf(bar)).y, `the focus is behind the bar at ${width}`);
      }
      await inspect(page);
    });
  }
});

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  assert.ok(box, `${locator} is not in sight`);
  return box;
}

/** The button is at the lower edge, fully visible, and large enough. */
async function isWithinReach(page: Page, button: Locator): Promise<void> {
  const { x, y, width, height } = await boxOf(button);
  const size = page.viewportSize()!;
  assert.ok(height >= TARGET && width >= TARGET, `${button}: ${width} × ${height}`);
  assert.ok(x >= 0 && x + width <= size.width, `${button} ends at ${x + width} of ${size.width}`);
  assert.ok(y > size.height - 140 && y + height <= size.height, `${button} is not at the lower edge: ${y}`);
  const { words, room } = await button.evaluate((it) => ({ words: it.scrollWidth, room: it.clientWidth }));
  assert.ok(words <= room, `the words of ${button} do not fit: ${words} in ${room}`);
}

/** The points of a checkbox that something else covers, and the size of the area in which a press reaches it. */
function hitAreaOf(box: Element) {
  const { left, top, right, bottom } = box.getBoundingClientRect();
  const isHit = (x: number, y: number) => {
    const hit = document.elementFromPoint(x, y);
    return hit !== null && (hit === box || hit.closest('label')?.contains(box) === true);
  };
  const covered: string[] = [];
  for (let x = left + 0.5; x < right; x += 1)
    for (let y = top + 0.5; y < bottom; y += 1)
      if (!isHit(x, y)) covered.push(`${x} ${y}: ${document.elementFromPoint(x, y)?.outerHTML.slice(0, 80)}`);
  const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2];
  const reach = (stepX: number, stepY: number) => {
    let steps = 0;
    while (steps < 100 && isHit(middleX + (steps + 1) * stepX, middleY + (steps + 1) * stepY)) steps += 1;
    return steps;
  };
  return { covered, across: reach(-1, 0) + reach(1, 0) + 1, down: reach(0, -1) + reach(0, 1) + 1 };
}

/** Whether a press on the middle of the element reaches it. */
function isInFront(locator: Locator): Promise<boolean> {
  return locator.evaluate((it) => {
    const { left, top, width, height } = it.getBoundingClientRect();
    return it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
}

/** Asserts that the content ends above the bar after scrolling to the end. */
async function isAbove(content: Locator, bar: Locator): Promise<void> {
  await content.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  const { y, height } = await boxOf(content);
  assert.ok(y + height <= (await boxOf(bar)).y, `${content} ends behind ${bar}`);
}
