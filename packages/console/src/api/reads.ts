/** Reads of the service as React queries: cached, shared, and retried automatically while the service is busy. */
import {
  type FetchQueryOptions,
  focusManager,
  keepPreviousData,
  QueryClient,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from './call.ts';
import type { Path, ReplyOf, RequestOf } from './contract.ts';
import { keyOf } from './keys.ts';
import { afterFirst, goFirst } from './order.ts';
import { asRefusal, type Refusal } from './refusal.ts';

/** Maximum number of automatic retries of a read after a temporary refusal. */
const TRIES = 3;

/** Refetches the data on screen when the person returns to the tab or the window. */
function readWhenLookedAt(): void {
  focusManager.setEventListener((lookedAt) => {
    const listener = () => lookedAt();
    document.addEventListener('visibilitychange', listener);
    addEventListener('focus', listener);
    return () => {
      document.removeEventListener('visibilitychange', listener);
      removeEventListener('focus', listener);
    };
  });
}

/** Creates the query cache. It lives in memory only. */
export function createReads(): QueryClient {
  readWhenLookedAt();
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

/** An address of the console: the parameters of its path, and its filters. */
export type Address = Readonly<Record<string, string>>;

/** An endpoint and a request for it. */
export type Read = { readonly [At in Path]: readonly [path: At, request: RequestOf<At>] }[Path];

/** Sends reads whose replies are not in the cache, so that a screen finds them there or on their way. */
export function sendAhead(reads: QueryClient, wanted: readonly Read[]): void {
  for (const [path, request] of wanted) void reads.prefetchQuery(queryOf(path, request as never));
}

function queryOf<At extends Path>(path: At, request: RequestOf<At>): FetchQueryOptions<ReplyOf<At>, Refusal> {
  return { queryKey: keyOf(path, request), queryFn: ({ signal }) => call(path, request, { signal }) };
}

export interface ReadOptions {
  /** Seconds between reads while the tab is visible; no polling by default. */
  readonly everySeconds?: number;
  /** False disables the read. */
  readonly enabled?: boolean;
  /** Whether the reply to the previous request stays in sight until this one is answered, as for pages of a list. */
  readonly keepPrevious?: boolean;
  /** Whether the read is secondary and waits for the main content of the screen. */
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
  const isInSight = read.isSuccess || read.isError;
  const goesFirst = !isLater && (read.isLoading || isInSight);
  useEffect(() => {
    if (!goesFirst) return undefined;
    const inSight = goFirst();
    return isInSight ? inSight() : inSight;
  }, [goesFirst, isInSight]);
  return read;
}

/**
 * A function that reads from an endpoint when it is called, or takes a fresh reply from the cache. It throws a
 * {@link Refusal}.
 */
export function useReading<At extends Path>(path: At, request: RequestOf<At>): () => Promise<ReplyOf<At>> {
  const reads = useQueryClient();
  return () => reads.fetchQuery(queryOf(path, request));
}
