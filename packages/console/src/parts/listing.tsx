/** Lists other than tables, with their states: loading, empty, and failed. */
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import type { ListFile } from './csv.tsx';
import { Empty } from './empty.tsx';
import { ListFoot } from './list-foot.tsx';
import type { ListingState } from './listing-state.ts';
import { Loading } from './skeleton.tsx';
import type { Filters } from './use-filters.ts';

export interface ListingProps<Entry> extends ListingState {
  /** The listed things, as they end "Reading …". */
  readonly what: string;
  /** Undefined during the first read. */
  readonly entries: readonly Entry[] | undefined;
  /** Shown in place of entries if there are none. */
  readonly empty: ReactNode;
  readonly file: ListFile;
  readonly children: (entries: readonly Entry[]) => ReactNode;
}

export function Listing<Entry>(props: ListingProps<Entry>) {
  const { what, entries, notice, fresh, empty, file, pages, age, children } = props;
  const hasFailed = notice !== undefined && notice !== null;
  if (entries === undefined) return hasFailed ? notice : <Loading what={what} lines={12} />;
  return (
    <div aria-busy={fresh === true}>
      {notice}
      {entries.length === 0 ? empty : children(entries)}
      <ListFoot file={entries.length === 0 ? null : file} age={age} pages={pages} />
    </div>
  );
}

export interface NothingProps {
  readonly filters: Pick<Filters<string>, 'count' | 'page' | 'clear'>;
  /** Without filters: the purpose of the list, and how to create the first entry. */
  readonly first: ReactNode;
  /** With filters that match nothing: "No license fits." */
  readonly title: string;
  /** The next step in that case; by default, to remove a filter. */
  readonly children?: ReactNode;
  /** The label of the button that clears the filters; "Clear the filters" by default. */
  readonly clear?: string;
}

/** The content of a list without entries. */
export function Nothing({ filters, first, title, children, clear = 'Clear the filters' }: NothingProps) {
  if (filters.count === 0 && filters.page === 1) return <>{first}</>;
  return (
    <Empty title={title} actions={filters.count > 0 ? <Button onClick={filters.clear}>{clear}</Button> : undefined}>
      {filters.page > 1
        ? 'There is nothing more on this page: go back to the previous one.'
        : (children ?? 'Remove a filter to see more.')}
    </Empty>
  );
}
