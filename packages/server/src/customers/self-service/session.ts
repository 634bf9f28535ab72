/** Sessions of customers: their beginning, their end, and their view (rules 13.3). */
import { DAY_MS, fromTimestamp, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { RequestContext } from '../../platform/endpoint/endpoint.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import type { Actor } from '../../platform/events/event.ts';
import { lockRates } from '../../platform/rates/rates.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { hashOfAddress } from '../mail/address.ts';
import {
  type CustomerSession,
  deleteCustomerSessionsBeyond,
  findCustomerSession,
  insertCustomerSession,
  keepCustomerSessionUse,
} from './session-store.ts';
import { MAX_SESSIONS, type SelfServiceSettings, TIMES } from './settings.ts';
import { CUSTOMER } from './shapes.ts';

/** The licenses that an address sees on the pages of a shop; null: none. */
export function shopScope(creatorId: string | null, { mode }: Pick<SelfServiceSettings, 'mode'>): Scope | null {
  return creatorId === null && mode === 'shops' ? null : { creatorId };
}

/** The name of an address at a shop in counters, so that no shop uses up what the customer may do at another. */
export function addressAtShop(emailFolded: string, creatorId: string | null): string {
  return `${hashOfAddress(emailFolded)} at ${creatorId === null ? 'the operator' : `shop ${creatorId}`}`;
}

/** A signed-in customer. */
export interface SignedIn {
  readonly session: CustomerSession;
  readonly settings: SelfServiceSettings;
  /** Null: the customer sees no license. */
  readonly scope: Scope | null;
  /** The author of changes. */
  readonly actor: Actor;
  /** Whether files may be made: never in a session of staff, whose role may not make them. */
  readonly makesFiles: boolean;
  /** The time by which sessions end (believed-time/), in milliseconds since 1970. */
  readonly now: number;
}

/** The facts of a call that a session needs. */
type OfCall = Pick<RequestContext, 'now'> & { readonly ruleContext: Pick<RuleContext, 'settings' | 'believedTime'> };

/**
 * Begins a session; returns its latest end. An address has a bounded number at a shop: a further one ends the one idle
 * longest.
 */
export async function beginCustomerSession(
  tx: Tx,
  begun: Pick<CustomerSession, 'sessionId' | 'emailFolded' | 'creatorId' | 'staffName'>,
  now: number,
): Promise<string> {
  const { emailFolded, creatorId } = begun;
  // The counter serves as a lock: sessions of an address begin one after the other.
  const subject = `sessions of ${addressAtShop(emailFolded, creatorId)}`;
  await lockRates(tx, [{ subject, max: 1, windowMs: HOUR_MS }], now);
  await deleteCustomerSessionsBeyond(tx, begun, MAX_SESSIONS - 1);
  const at = toTimestamp(now);
  const expiresAt = toTimestamp(now + TIMES.session);
  await insertCustomerSession(tx, { ...begun, createdAt: at, lastUsedAt: at, expiresAt });
  return expiresAt;
}

/**
 * Whether a session has ended by itself. One that begins more than a day from now came from a clock that was ahead;
 * otherwise it would last until that time comes.
 */
export function isOver({ createdAt, lastUsedAt, expiresAt }: CustomerSession, now: number): boolean {
  if (now >= fromTimestamp(expiresAt) || now >= fromTimestamp(lastUsedAt) + TIMES.idle) return true;
  return fromTimestamp(createdAt) > now + DAY_MS;
}

/** The customer of a session, whose use is stored; refuses sessions that are unknown or over. */
export async function signedInBy(
  tx: Tx,
  sessionId: string,
  { now: at, ruleContext }: OfCall,
): Promise<SignedIn | Refusal<'customer_not_signed_in'>> {
  const settings = ruleContext.settings.selfService;
  const now = ruleContext.believedTime.sessionNow(at);
  const session = await findCustomerSession(tx, sessionId);
  if (settings === null || session === undefined || isOver(session, now)) return refuse('customer_not_signed_in');
  if (now >= fromTimestamp(session.lastUsedAt) + TIMES.useKept)
    await keepCustomerSessionUse(tx, sessionId, toTimestamp(now));
  const { creatorId, staffName } = session;
  return {
    ...{ session, settings, scope: shopScope(creatorId, settings), now },
    actor: staffName === null ? CUSTOMER : { ...CUSTOMER, name: staffName },
    makesFiles: settings.makesFiles && staffName === null,
  };
}
