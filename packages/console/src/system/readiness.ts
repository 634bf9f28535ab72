/** Whether the service is ready, as a load balancer asks it: without a credential, and not as the person who is signed in. */
import { useQuery } from '@tanstack/react-query';
import type { ReadyzReply } from '../api/contract.ts';

/** How often it is asked while the screen is in sight, in milliseconds. */
const EVERY_MS = 15_000;

/** What the service says of itself. `down`: it answers, but not as ready. */
export type Readiness = 'ready' | 'readsOnly' | 'down';

/** Asks /readyz. */
export function useReadiness(): Readiness | undefined {
  const { data, isError } = useQuery({
    queryKey: ['/readyz'],
    queryFn: async ({ signal }): Promise<Readiness> => {
      const response = await fetch('/readyz', { credentials: 'omit', cache: 'no-store', signal });
      if (!response.ok) return 'down';
      return readinessOf((await response.json()) as ReadyzReply);
    },
    refetchInterval: EVERY_MS,
    retry: false,
  });
  return isError ? 'down' : data;
}

/** What an answer of /readyz means. */
export function readinessOf({ writes }: Pick<ReadyzReply, 'writes'>): Readiness {
  return writes ? 'ready' : 'readsOnly';
}
