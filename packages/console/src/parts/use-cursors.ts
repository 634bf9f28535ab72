import { useState } from 'react';
import type { TablePagesProps } from './table-pages.tsx';

/**
 * The pages of a list beside others on its screen: they are not in the address.
 *
 * @returns the cursor of the page, undefined on the first one, and the pages for its table by the next cursor
 */
export function useCursors(): readonly [string | undefined, (next: string | undefined) => TablePagesProps] {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const pagesBefore = (next: string | undefined) => ({
    shown: `Page ${cursors.length + 1}`,
    onPrevious: cursors.length > 0 ? () => setCursors(cursors.slice(0, -1)) : undefined,
    onNext: next === undefined ? undefined : () => setCursors([...cursors, next]),
  });
  return [cursors.at(-1), pagesBefore];
}
