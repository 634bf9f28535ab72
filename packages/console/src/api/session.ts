/** The signed-in person and their permissions. */
import { createContext, use } from 'react';
import type { Path, ReplyOf } from './contract.ts';

/** The session of the signed-in person. */
export type ConsoleSession = ReplyOf<'/getConsoleSession'>;

/** Provides the session to everything below the shell. */
export const SessionContext = createContext<ConsoleSession | null>(null);

/** The present session. Use it only in components that are shown to a signed-in person. */
export function useSession(): ConsoleSession {
  const session = use(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return session;
}

/**
 * Whether the session may call an endpoint; hide controls that it may not use. The service enforces permissions in any
 * case.
 */
export function useCan(path: Path): boolean {
  return useSession().can.includes(path);
}
