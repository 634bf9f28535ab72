/** The key `.`: goes to the actions on the selection, wherever they are on the screen. */
import type { Shortcut } from './shortcuts.ts';

const MENU = '[aria-haspopup="menu"]';
const BUTTON = 'button:not([disabled]), a[href]';

/** Shared by lists and pages. */
export const actionsShortcut: Shortcut = { keys: '.', does: 'Actions for the selection', run: goToActions };

/**
 * Opens the menu of the focused row. A row without a menu is selected instead, and the focus moves to the actions on
 * the selection. Elsewhere, opens the menu of the page, or focuses its first button if it has no menu.
 */
function goToActions(): void {
  const row = document.activeElement?.closest<HTMLElement>('[data-key]');
  const menu = row?.querySelector<HTMLElement>(MENU);
  if (menu != null) {
    open(menu);
    return;
  }
  const box = row?.querySelector<HTMLInputElement>('input[type="checkbox"]');
  if (box != null && !box.checked && !box.disabled) box.click();
  // The bar for the selection appears only after the row is selected.
  requestAnimationFrame(() => {
    const bar = document.querySelector<HTMLElement>('[data-actions="selection"]');
    const place = bar ?? document.querySelector<HTMLElement>('[data-actions="page"]');
    const ofPage = bar === null ? place?.querySelector<HTMLElement>(MENU) : null;
    if (ofPage != null) open(ofPage);
    else place?.querySelector<HTMLElement>(BUTTON)?.focus();
  });
}

function open(menu: HTMLElement): void {
  menu.focus();
  menu.click();
}
