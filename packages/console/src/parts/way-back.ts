/**
 * Navigation back from the page of an item: to the list it was opened from, in its earlier state, with the focus on its
 * row.
 */

/** The address of a list or an overview: one word after the #, and optional filters. */
const LIST = /^#\/[^/]*$/;

/** The address that `goBack` left, as `#/licenses/KEY`. The next list focuses its row. */
let left: string | null = null;

/**
 * Goes back one level: to the nearest list in the browser's history, with its filters and page, otherwise to `href`. If
 * `href` is the page of another item instead of a list, only that page matches.
 */
export function goBack(href: string): void {
  left = pathOf(location.hash);
  for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, forget, { once: true, capture: true });
  // Browsers without the Navigation API open the list in its initial state.
  const here = globalThis.navigation?.currentEntry?.index ?? 0;
  const wanted = pathOf(href);
  const entry = globalThis.navigation?.entries().findLast(({ index, url }) => {
    if (index >= here || url === null) return false;
    const path = pathOf(new URL(url).hash);
    return path === wanted || (LIST.test(wanted) && LIST.test(path));
  });
  if (entry === undefined) location.assign(href);
  else history.go(entry.index - here);
}

/** Focuses the row of the item that was left, once. Searches the links within `rows`. */
export function focusRowLeft(rows: HTMLElement | null): void {
  if (left === null || rows === null) return;
  const links = [...rows.querySelectorAll<HTMLElement>('[data-row-link]')];
  const link = links.find((each) => each.getAttribute('href') === left);
  if (link === undefined) return;
  link.focus();
  forget();
}

/** Called on the next key or press, after which the focus is the person's own. */
function forget(): void {
  left = null;
}

/** An address after the #, without its filters. */
function pathOf(hash: string): string {
  return hash.split('?')[0] || '#/';
}
