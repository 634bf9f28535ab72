/** The ways in to the console, as the service states them. */
import { useQuery } from '@tanstack/react-query';

/** The answer of /sign-in/ways. */
export interface WaysIn {
  /** The identity provider with whose accounts people sign in; null without one. */
  readonly provider: { readonly name: string } | null;
  /** Whether the admin secret signs in. */
  readonly adminSecret: boolean;
}

/** The page that leads to the identity provider. */
export const PROVIDER_ADDRESS = '../sign-in/provider';

const WAYS_IN = {
  queryKey: ['/sign-in/ways'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<WaysIn> => {
    const response = await fetch('../sign-in/ways', { signal });
    if (!response.ok) throw new Error(`/sign-in/ways answered ${response.status}`);
    return await response.json();
  },
  staleTime: Number.POSITIVE_INFINITY,
};

/** The ways in; undefined until they are known. A secret works in any case. */
export function useWaysIn(): WaysIn | undefined {
  return useQuery(WAYS_IN).data;
}
