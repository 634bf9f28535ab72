/** The pasted list: kept in memory until the person signs out or leaves, because its lines name customers. */
import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { FindLicensesReply, LicenseSummary, RequestOf } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { keyOf } from '../api/keys.ts';

const LINES = { queryKey: ['pasted lines'], staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY };

/** The lines of the pasted list; empty without one. */
export function usePastedLines(): readonly string[] {
  return useQuery({ ...LINES, enabled: false, queryFn: () => [], initialData: [] as readonly string[] }).data;
}

/** The request that finds the licenses of the lines. @param product '' looks in all */
export function pastedRequest(names: readonly string[], product: string): RequestOf<'/findLicenses'> {
  return { names: [...names], ...given({ productId: product }) };
}

/** Keeps the lines of a pasted list with the licenses that were found for them. */
export function keepPasted(client: QueryClient, request: RequestOf<'/findLicenses'>, reply: FindLicensesReply): void {
  client.setQueryData(LINES.queryKey, request.names);
  client.setQueryData(keyOf('/findLicenses', request), reply);
}

/** The licenses of all lines, each once. */
export function licensesIn({ lines }: Pick<FindLicensesReply, 'lines'>): readonly LicenseSummary[] {
  const found = new Map(lines.flatMap(({ licenses }) => licenses.map((license) => [license.key, license] as const)));
  return [...found.values()];
}
