/**
 * The readiness of the service, as a load balancer sees it: asked without a credential, not as the signed-in person.
 */
import { useQuery } from '@tanstack/react-query';
import type { ReadyzReply } from '../api/contract.ts';

/** Milliseconds between requests while the screen is in sight. */
const EVERY_MS = 15_000;

/** The service's own report. `down`: it answers, but is not ready. */
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

/** The meaning of a reply of /readyz. */
export function readinessOf({ writes }: Pick<ReadyzReply, 'writes'>): Readiness {
  return writes ? 'ready' : 'readsOnly';
}
