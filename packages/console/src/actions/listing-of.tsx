/** How the reading of a list stands, as tables and other lists take it. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { Refusal } from '../api/refusal.ts';
import type { ListingState } from '../parts/listing.tsx';
import { type Filters, pagesOf } from '../parts/use-filters.ts';
import { RefusalNotice } from './refusal-notice.tsx';

/** A page of a list, as it is read. */
type ListRead = Pick<
  UseQueryResult<{ readonly nextCursor?: string }, Refusal>,
  'data' | 'error' | 'isPlaceholderData' | 'refetch'
>;

/**
 * `<Table {...listingOf(list, filters)} … />`: pages by the address, the entries of before while newer ones are read, and what
 * failed with a button to try again.
 */
export function listingOf(list: ListRead, filters: Pick<Filters<string>, 'page' | 'goTo'>): Required<ListingState> {
  return {
    notice: list.error && <RefusalNotice refusal={list.error} onRetry={() => void list.refetch()} />,
    fresh: list.isPlaceholderData,
    pages: pagesOf(filters, list.data?.nextCursor),
  };
}
