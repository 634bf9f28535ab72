/** Translates the state of a list query into the props of tables and other lists. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { Refusal } from '../api/refusal.ts';
import type { ListingState } from '../parts/listing.tsx';
import { type Filters, pagesOf } from '../parts/use-filters.ts';
import { RefusalNotice } from './refusal-notice.tsx';

/** The query of one page. */
type ListRead = Pick<
  UseQueryResult<{ readonly nextCursor?: string }, Refusal>,
  'data' | 'error' | 'isPlaceholderData' | 'refetch'
>;

/**
 * Used as `<Table {...listingOf(list, filters)} … />`: pages follow the address, previous entries stay in sight while
 * newer ones load, and a failure shows a button to try again.
 */
export function listingOf(list: ListRead, filters: Pick<Filters<string>, 'page' | 'goTo'>): Required<ListingState> {
  return {
    notice: list.error && <RefusalNotice refusal={list.error} onRetry={() => void list.refetch()} />,
    fresh: list.isPlaceholderData,
    pages: pagesOf(filters, list.data?.nextCursor),
  };
}
