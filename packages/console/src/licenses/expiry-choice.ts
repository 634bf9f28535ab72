/** The changes of an end that the signed-in person may make. */
import { limitAt, maySend, useSession } from '../api/session.ts';
import type { Expiry } from './expiry.ts';

/** The kinds of extension, and the number of days, that the signed-in person may choose. */
export interface ExtensionChoice {
  readonly kinds: readonly Expiry['kind'][];
  readonly maxDays: number | undefined;
  /** The limit in a sentence; undefined without one. */
  readonly hint: string | undefined;
}

/** Whether the signed-in person may set any end. A limited role may only extend. */
export function useMaySetEnd(): boolean {
  const session = useSession();
  return maySend(session, '/updateLicense', ['expiresAt']) && limitAt(session, '/updateLicense') === undefined;
}

/** The choice of the signed-in person; a limited role extends by days only. @param kinds those without a limit */
export function useExtensionChoice(kinds: ExtensionChoice['kinds']): ExtensionChoice {
  const limit = limitAt(useSession(), '/updateLicense');
  if (limit === undefined) return { kinds, maxDays: undefined, hint: undefined };
  const { extensionDays } = limit;
  const hint = `Your role extends a license by at most ${extensionDays} days within ${extensionDays} days.`;
  return { kinds: ['days'], maxDays: extensionDays, hint };
}
