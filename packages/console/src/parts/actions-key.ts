/** The key `.`: to what can be done with what is selected, wherever that stands on the screen. */
import type { Shortcut } from './shortcuts.ts';

const MENU = '[aria-haspopup="menu"]';
const BUTTON = 'button:not([disabled]), a[href]';

/** The shortcut. Lists name it and pages name it; it is the same for both. */
export const actionsShortcut: Shortcut = { keys: '.', does: 'Actions of what is selected', run: goToActions };

/**
 * Opens the menu of the row that has the focus. A row without one is selected, and the focus goes to what can be done with
 * all that is selected. Elsewhere it opens the menu of the page, or goes to its buttons where there is none.
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
  // What is selected has a bar of its own, which is there once the row is.
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
