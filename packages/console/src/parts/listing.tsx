/** Lists that are no tables: what stands in their place while they are read, where they are empty, and where reading failed. */
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';
import { Loading } from './skeleton.tsx';
import { TablePages, type TablePagesProps } from './table-pages.tsx';
import type { Filters } from './use-filters.ts';

/** How the reading of a list stands; the same for tables. */
export interface ListingState {
  /** What is said when it could not be read. What was read before stays in sight beside it. */
  readonly notice?: ReactNode;
  /** Whether newer entries are being read while these stay in sight. */
  readonly fresh?: boolean;
  readonly pages?: TablePagesProps;
}

export interface ListingProps<Entry> extends ListingState {
  /** What is listed, as it ends "Reading …". */
  readonly what: string;
  /** Undefined while they are read for the first time. */
  readonly entries: readonly Entry[] | undefined;
  /** Shown in place of entries when there are none. */
  readonly empty: ReactNode;
  readonly children: (entries: readonly Entry[]) => ReactNode;
}

/** A list. */
export function Listing<Entry>({ what, entries, notice, fresh, empty, pages, children }: ListingProps<Entry>) {
  const hasFailed = notice !== undefined && notice !== null;
  if (entries === undefined) return hasFailed ? notice : <Loading what={what} lines={12} />;
  return (
    <div aria-busy={fresh === true}>
      {notice}
      {entries.length === 0 ? empty : children(entries)}
      {pages !== undefined && <TablePages {...pages} />}
    </div>
  );
}

export interface NothingProps {
  readonly filters: Pick<Filters<string>, 'count' | 'page' | 'clear'>;
  /** Where nothing is filtered: what would be listed, and how to get the first. */
  readonly first: ReactNode;
  /** Where a filter leaves nothing: "No license fits." */
  readonly title: string;
  /** What to do about that; to take a filter away unless given. */
  readonly children?: ReactNode;
  /** The button that drops the filters; "Clear the filters" unless given. */
  readonly clear?: string;
}

/** What stands where a list has no entries. */
export function Nothing({ filters, first, title, children, clear = 'Clear the filters' }: NothingProps) {
  if (filters.count === 0 && filters.page === 1) return <>{first}</>;
  return (
    <Empty title={title} actions={filters.count > 0 ? <Button onClick={filters.clear}>{clear}</Button> : undefined}>
      {filters.page > 1
        ? 'Nothing more is on this page: go back to the one before.'
        : (children ?? 'Take a filter away to see more.')}
    </Empty>
  );
}
