/** The signed-in person and their permissions. */
import { createContext, use } from 'react';
import { call } from './call.ts';
import type { Path, ReplyOf } from './contract.ts';
import { asRefusal } from './refusal.ts';

/** The session of the signed-in person. */
export type ConsoleSession = ReplyOf<'/getConsoleSession'>;

/** The query of the session; null for a person who is not signed in. */
export const SESSION = {
  queryKey: ['/getConsoleSession'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ConsoleSession | null> => {
    try {
      return await call('/getConsoleSession', {}, { signal, withoutSigningIn: true });
    } catch (error) {
      if (asRefusal(error).code === 'unauthorized') return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
};

/** Provides the session to everything below the shell. */
export const SessionContext = createContext<ConsoleSession | null>(null);

/** The present session. Use it only in components that are shown to a signed-in person. */
export function useSession(): ConsoleSession {
  const session = use(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return session;
}

/** A limit of the person's role at an endpoint that the session may call. */
export type CallLimit = ConsoleSession['limits'][number];

/** The limit of the session at an endpoint; undefined if the session may use the endpoint in full. */
export function limitAt(session: Pick<ConsoleSession, 'limits'>, path: string): CallLimit | undefined {
  return session.limits.find(({ endpoint }) => endpoint === path);
}

/** Whether the session may send these fields to an endpoint. The service enforces permissions in any case. */
export function maySend(
  session: Pick<ConsoleSession, 'can' | 'limits'>,
  path: string,
  fields: readonly string[],
): boolean {
  const limit = limitAt(session, path);
  return session.can.includes(path) && (limit === undefined || fields.every((field) => limit.fields.includes(field)));
}

/**
 * Whether the session may call an endpoint; hide controls that it may not use. The service enforces permissions in any
 * case.
 */
export function useCan(path: Path): boolean {
  return useSession().can.includes(path);
}
