/**
 * Keys that move through the rows of a table: j and k to the next and the previous row, x to select. Enter follows the
 * link.
 */
import { type RefObject, useEffect } from 'react';
import { actionsShortcut } from './actions-key.ts';
import type { Selection } from './selection.ts';
import { useShortcuts } from './shortcuts.ts';
import { focusRowLeft } from './way-back.ts';

/** Activates the keys for the rows in `body`. The current row is the one that contains the focus. */
export function useRowKeys(
  body: RefObject<HTMLElement | null>,
  areLinks: boolean,
  selection: Selection | undefined,
  keys: readonly string[],
  haveActions: boolean,
): void {
  const move = (by: number) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])];
    const row = document.activeElement?.closest('[data-key]');
    const at = links.findIndex((link) => row?.contains(link));
    links[at === -1 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  const select = () => {
    const key = document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset.key;
    if (selection === undefined || key === undefined || !keys.includes(key)) return;
    const next = new Set(selection.keys);
    if (!next.delete(key)) next.add(key);
    selection.onChange(next);
  };
  // Rows may load after the list, so every render tries to restore the focus.
  useEffect(() => focusRowLeft(body.current));
  useShortcuts(
    areLinks
      ? [
          { keys: 'j', does: 'Next row', run: () => move(1) },
          { keys: 'k', does: 'Previous row', run: () => move(-1) },
          ...(selection === undefined ? [] : [{ keys: 'x', does: 'Select the row', run: select }]),
          ...(haveActions ? [actionsShortcut] : []),
        ]
      : [],
  );
}
