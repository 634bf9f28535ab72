/** Reads of the service as React uses them: kept, shared, tried again by themselves while the service is busy. */
import { keepPreviousData, QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from './call.ts';
import type { Path, ReplyOf, RequestOf } from './contract.ts';
import { keyOf } from './keys.ts';
import { afterFirst, goFirst } from './order.ts';
import { asRefusal, type Refusal } from './refusal.ts';

/** How often a read that was refused for a moment is tried again by itself. */
const TRIES = 3;

/** Makes the memory of what was read. Nothing of it outlives the page. */
export function createReads(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failed, error) => failed < TRIES && asRefusal(error).passes,
        retryDelay: (failed, error) => 1000 * (asRefusal(error).retryAfterSeconds ?? 2 ** failed),
        networkMode: 'always',
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/** How a read is kept up to date. */
export interface ReadOptions {
  /** Seconds between reads while the tab is visible; none unless given. */
  readonly everySeconds?: number;
  /** Whether it is read at all. */
  readonly enabled?: boolean;
  /** Whether what was read for another request stays in sight until this one is answered, as for pages of a list. */
  readonly keepPrevious?: boolean;
  /** Whether it stands beside what the screen is opened for, and waits until that was read. */
  readonly later?: boolean;
}

/** Reads from an endpoint. The error is always a {@link Refusal}. */
export function useRead<At extends Path>(
  path: At,
  request: RequestOf<At>,
  options: ReadOptions = {},
): UseQueryResult<ReplyOf<At>, Refusal> {
  const isLater = options.later === true;
  const read = useQuery<ReplyOf<At>, Refusal>({
    queryKey: keyOf(path, request),
    queryFn: async ({ signal }) => {
      if (isLater) await afterFirst();
      return call(path, request, { signal });
    },
    refetchInterval: options.everySeconds === undefined ? false : options.everySeconds * 1000,
    enabled: options.enabled ?? true,
    ...(options.keepPrevious === true ? { placeholderData: keepPreviousData } : {}),
  });
  const goesFirst = read.isLoading && !isLater;
  useEffect(() => (goesFirst ? goFirst() : undefined), [goesFirst]);
  return read;
}
