/** Translates the state of a list query into the props of tables and other lists. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { Refusal } from '../api/refusal.ts';
import type { ListAgeProps } from '../parts/list-age.tsx';
import type { ListingState } from '../parts/listing-state.ts';
import { type Filters, pagesOf } from '../parts/use-filters.ts';
import { readNotice } from './refusal-notice.tsx';

/** The query of one page. */
type ListRead = Pick<
  UseQueryResult<{ readonly nextCursor?: string }, Refusal>,
  'data' | 'dataUpdatedAt' | 'error' | 'isPlaceholderData' | 'refetch'
>;

/**
 * Used as `<Table {...listingOf(list, filters)} … />`: pages follow the address, previous entries stay in sight while
 * newer ones load, a failure shows a button to try again, and the list says how old it is.
 */
export function listingOf(list: ListRead, filters: Pick<Filters<string>, 'page' | 'goTo'>): Required<ListingState> {
  return {
    notice: readNotice(list),
    fresh: list.isPlaceholderData,
    age: ageOf(list),
    pages: pagesOf(filters, list.data?.nextCursor),
  };
}

/** The age of a list, and how to read it again; null while the entries of another request are in sight. */
export function ageOf({
  dataUpdatedAt,
  isPlaceholderData,
  refetch,
}: Pick<UseQueryResult, 'dataUpdatedAt' | 'isPlaceholderData'> & {
  readonly refetch: () => Promise<unknown>;
}): ListAgeProps | null {
  if (isPlaceholderData || dataUpdatedAt === 0) return null;
  return { at: new Date(dataUpdatedAt).toISOString(), refresh: refetch };
}
