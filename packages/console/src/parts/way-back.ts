/** The way back from the page of one thing: to the list that it was opened from, as that was, and there to its row. */

/** The address of a list or an overview: one word after the #, and perhaps filters. */
const LIST = /^#\/[^/]*$/;

/** What `goBack` left, as `#/licenses/KEY`: the list that comes into sight gives its row the focus. */
let left: string | null = null;

/**
 * Goes back one level: to the nearest list in the browser's history, with its filters and its page, else to `href`. Where
 * `href` is no list but the page of another thing, to that one.
 */
export function goBack(href: string): void {
  left = pathOf(location.hash);
  for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, forget, { once: true, capture: true });
  // Browsers that do not tell their history go to the list as it is first.
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

/** Gives the focus to the row of what was left, once: its link is among those within `rows`. */
export function focusRowLeft(rows: HTMLElement | null): void {
  if (left === null || rows === null) return;
  const links = [...rows.querySelectorAll<HTMLElement>('[data-row-link]')];
  const link = links.find((each) => each.getAttribute('href') === left);
  if (link === undefined) return;
  link.focus();
  forget();
}

/** Whoever pressed something else meanwhile is somewhere else. */
function forget(): void {
  left = null;
}

/** An address after the #, without its filters. */
function pathOf(hash: string): string {
  return hash.split('?')[0] || '#/';
}
