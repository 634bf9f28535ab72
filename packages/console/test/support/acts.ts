/** Acts of a person that many journeys share. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';

/** The open dialog. */
export const dialog = (page: Page): Locator => page.getByRole('dialog');

/** Opens a menu by the name of its button, and chooses an entry. */
export async function choose(page: Page, menu: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

/** Opens the newest change of this sentence in Activity, and asks to undo it. Returns the dialog. */
export async function askToUndo(page: Page, sentence: string): Promise<Locator> {
  await page
    .getByRole('button', { name: `Details: ${sentence}` })
    .first()
    .click();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  return page.getByRole('dialog', { name: 'Undo this change', exact: true });
}

/** The file that a button downloads, as text and as the lines of a CSV file. */
export async function downloaded(
  page: Page,
  button = 'Download CSV',
): Promise<{ readonly name: string; readonly text: string; readonly lines: readonly string[] }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
  const text = await readFile(await file.path(), 'utf8');
  return { name: file.suggestedFilename(), text, lines: text.trimEnd().split('\r\n') };
}
