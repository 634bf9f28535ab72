/** `Escape` goes back from the page of an item, but only if nothing covers it and nobody is typing. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { Machine } from '../../../server/test/support/machine.ts';
import { hasCount } from '../support/count.ts';
import { describeConsole } from '../support/open-console.ts';
import { crowdedLicense, mustSucceed } from '../support/success.ts';

/** Dialogs and menus that cover a page, and the ways to open them. */
const COVERS: readonly { readonly name: string; open(page: Page): Promise<void>; readonly role: 'dialog' | 'menu' }[] =
  [
    { name: 'a dialog with a field', role: 'dialog', open: (page) => page.keyboard.press('e') },
    {
      name: 'a dialog of which a button has the focus',
      role: 'dialog',
      open: async (page) => {
        await page.keyboard.press('r');
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).focus();
      },
    },
    {
      name: 'a dialog of which nothing has the focus',
      role: 'dialog',
      open: async (page) => {
        await page.keyboard.press('r');
        await page.getByRole('dialog').waitFor();
        await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      },
    },
    { name: 'a menu', role: 'menu', open: (page) => page.keyboard.press('.') },
    {
      name: 'the search, with something typed in it',
      role: 'dialog',
      open: async (page) => {
        await page.keyboard.press('/');
        await page.getByRole('combobox', { name: 'Search' }).fill('nobody');
      },
    },
    { name: 'the list of shortcuts', role: 'dialog', open: (page) => page.keyboard.press('?') },
  ];

describeConsole('Escape', (under) => {
  before(async () => {
    const crowded = await crowdedLicense(under.app, 'ada@example.com');
    await mustSucceed(new Machine(under.app, crowded, 'tablet').activate(), 403);
  });

  /** Opens the license from the list, so that there is something to go back to, and counts the steps back. */
  async function openLicense(isNew = false): Promise<Page> {
    const page = await under.open({ isNew, at: '/licenses' });
    await page.getByRole('cell', { name: 'ada@example.com', exact: true }).waitFor();
    for (const key of ['j', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Extend' }).waitFor();
    // Browsers navigate back asynchronously, so the test counts calls of `history.go`, which happen in the key handler.
    await page.evaluate(() => {
      const go = history.go.bind(history);
      document.body.dataset.back = '0';
      history.go = (by) => {
        document.body.dataset.back = String(Number(document.body.dataset.back) + 1);
        go(by);
      };
    });
    return page;
  }
  const wentBack = (page: Page) => page.evaluate(() => Number(document.body.dataset.back));

  it('closes a dialog over the page, and goes back once there is none', async () => {
    const page = await openLicense();
    for (const { name, role, open } of COVERS) {
      await open(page);
      await page.getByRole(role).waitFor();
      await page.keyboard.press('Escape');
      assert.equal(await wentBack(page), 0, name);
      await page.getByRole(role).waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Extend' }).waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await wentBack(page), 1);
    await page.getByRole('heading', { name: 'Licenses', exact: true }).waitFor();
  });

  for (const [key, role] of [
    ['.', 'menu'],
    ['?', 'dialog'],
  ] as const)
    it(`does not go back while a ${role} that it closed is still fading`, async () => {
      // A new window, which is not reused, because its animations stay paused.
      const page = await openLicense(true);
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      const session = await page.context().newCDPSession(page);
      await session.send('Animation.enable');
      await page.keyboard.press(key);
      await page.getByRole(role).waitFor();
      await page.waitForFunction((name) => {
        const cover = document.querySelector(`[role="${name}"]`);
        return cover?.matches(':focus-within') && getComputedStyle(cover).opacity === '1';
      }, role);
      // From now on no transition ends.
      await session.send('Animation.setPlaybackRate', { playbackRate: 0 });
      await page.keyboard.press('Escape');
      await page.locator(`[role="${role}"][data-ending-style]`).waitFor({ state: 'attached' });
      await page.keyboard.press('Escape');
      assert.equal(await wentBack(page), 0);
    });

  it('leaves typing and choices to their field', async () => {
    const page = await openLicense();
    await page.keyboard.press('t');
    const note = page.getByLabel('Note');
    await note.fill('Called ba');
    await note.press('Escape');
    assert.equal(await wentBack(page), 0, 'from a text');
    await note.pressSequentially('ck.');
    assert.equal(await note.inputValue(), 'Called back.');
    await page.getByLabel('Machine', { exact: true }).press('Escape');
    assert.equal(await wentBack(page), 0, 'from a choice');
    await page.getByRole('tab', { name: 'Timeline' }).press('Escape');
    assert.equal(await wentBack(page), 1);
  });

  it('leaves single letters to a dialog over the page, too', async () => {
    const page = await openLicense();
    for (const { name, role, open } of COVERS) {
      await open(page);
      await page.getByRole(role).waitFor();
      // Opens the dialog for revoking if nothing covers the page.
      await page.keyboard.press('r');
      await hasCount(page.getByRole('dialog'), role === 'dialog' ? 1 : 0, name);
      await page.keyboard.press('Escape');
      await page.getByRole(role).waitFor({ state: 'detached' });
    }
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Revoke this license' }).waitFor();
  });
});
