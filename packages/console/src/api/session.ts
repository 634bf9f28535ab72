/** Who is signed in, and what they may do. */
import { createContext, use } from 'react';
import type { Path, ReplyOf } from './contract.ts';

/** The session of whoever is signed in. */
export type ConsoleSession = ReplyOf<'/getConsoleSession'>;

/** Holds the session for everything below the shell. */
export const SessionContext = createContext<ConsoleSession | null>(null);

/** Who is signed in. Only for what is shown to somebody who is. */
export function useSession(): ConsoleSession {
  const session = use(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return session;
}

/** Whether the session may call an endpoint; hide what it may not. The service decides in any case. */
export function useCan(path: Path): boolean {
  return useSession().can.includes(path);
}
