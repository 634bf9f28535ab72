/** The only writer of console sessions and operator keys; records every change. */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Refusal } from '../../platform/endpoint/refusals.ts';
import type { Actor, Facts, Origin, Recorded } from '../../platform/events/event.ts';
import { recording, recordShared } from '../../platform/events/record.ts';
import { askRates, countRates } from '../../platform/rates/rates.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { OperatorKey } from './operator-key.ts';
import { deactivateOperatorKey, insertOperatorKey } from './operator-key-store.ts';
import { actorNameOf, type ConsoleSession } from './session.ts';
import { deleteSession, deleteSessionsBeyond, insertSession } from './session-store.ts';
import { findSignInEvents, saveSignInEvents } from './sign-in-event-store.ts';
import { limitsOfSignIn, refusalForSignIn } from './sign-in-limit.ts';
import { takeSignInTurn } from './sign-in-store.ts';

/** Maximum number of concurrent sessions per secret or key, and in total; further ones end the least recently used. */
export const MAX_SESSIONS = { ofSource: 20, ofAll: 2_000 } as const;

/**
 * Adds a session, and ends others beyond the limit; the recorded actor is the owner of the new session. Sign-ins with
 * one key within an hour share an event, and so do the sessions of that key that they end.
 *
 * @returns the refusal when the key may not sign in now; else null
 */
export async function addSession(
  tx: Tx,
  origin: Origin,
  session: ConsoleSession,
): Promise<Refusal<'sign_in_rate'> | null> {
  const { now } = origin;
  // Checked before the turn as well: a key over its limit waits for nobody, blocks nobody, and writes nothing.
  const limits = limitsOfSignIn(session);
  const known = refusalForSignIn(await askRates(tx, limits, now));
  if (known !== null) return known;
  await takeSignInTurn(tx, toTimestamp(now));
  const refusal = refusalForSignIn(await countRates(tx, limits, now));
  if (refusal !== null) return refusal;
  const events = await findSignInEvents(tx, session);
  const { ofSource, ofAll } = MAX_SESSIONS;
  const begun = { ...origin, actor: actorOfSession(session) };
  const isShared = ({ source, name }: ConsoleSession) => source === session.source && name === session.name;
  const ended = await recording(
    tx,
    (ended: readonly ConsoleSession[]) =>
      ended.filter((each) => !isShared(each)).map((each) => endedChange(each, begun)),
    async (tx) => {
      const ended = await deleteSessionsBeyond(tx, session.source, { ofSource: ofSource - 1, ofAll: ofAll - 1 });
      await insertSession(tx, session);
      return ended;
    },
  );
  let { endedEvent } = events;
  for (const each of ended.filter(isShared)) endedEvent = await recordShared(tx, endedEvent, endedChange(each, begun));
  const createdEvent = await recordShared(tx, events.createdEvent, {
    type: 'console_session.created',
    subject: session.sessionId,
    creatorId: session.creatorId,
    after: factsOf(session),
    origin: begun,
  });
  await saveSignInEvents(tx, { ...events, createdEvent, endedEvent, lastAt: toTimestamp(now) });
  return null;
}

/**
 * Records that a person of the identity provider was refused. The refusals of one person within an hour share an event.
 *
 * @param refused.source as in {@link ConsoleSession}
 */
export async function recordRefusedPerson(
  tx: Tx,
  origin: Origin,
  refused: { readonly source: string; readonly name: string; readonly reason: string },
): Promise<void> {
  const { source, name, reason } = refused;
  await takeSignInTurn(tx, toTimestamp(origin.now));
  const events = await findSignInEvents(tx, refused);
  const after = { name, reason };
  const change: Recorded = { type: 'console_session.refused', subject: source, after, origin };
  const refusedEvent = await recordShared(tx, events.refusedEvent, change);
  await saveSignInEvents(tx, { ...events, refusedEvent, lastAt: toTimestamp(origin.now) });
}

/** Ends a session; returns whether it existed. */
export async function endSession(tx: Tx, origin: Origin, session: ConsoleSession): Promise<boolean> {
  return recording(
    tx,
    (isEnded) => (isEnded ? [endedChange(session, origin)] : []),
    (tx) => deleteSession(tx, session.sessionId),
  );
}

/** Adds an operator key. */
export async function addOperatorKey(tx: Tx, origin: Origin, key: OperatorKey): Promise<void> {
  const { hash: subject, name, role, expiresAt } = key;
  const after = { name, role, active: true, expiresAt };
  await recording(tx, [{ type: 'operator_key.created', subject, after, origin }], (tx) => insertOperatorKey(tx, key));
}

/** Revokes an operator key; returns whether it was active. */
export async function revokeKey(tx: Tx, origin: Origin, { hash, name }: OperatorKey): Promise<boolean> {
  const before = { name, active: true };
  const after = { name, active: false };
  return recording(
    tx,
    (isRevoked) => (isRevoked ? [{ type: 'operator_key.revoked', subject: hash, before, after, origin }] : []),
    (tx) => deactivateOperatorKey(tx, hash, toTimestamp(origin.now)),
  );
}

function endedChange(session: ConsoleSession, origin: Origin): Recorded {
  const { sessionId: subject, creatorId } = session;
  return { type: 'console_session.ended', subject, creatorId, before: factsOf(session), origin };
}

function factsOf({ kind, role, name, isKept }: ConsoleSession): Facts {
  return { kind, role, name, isKept };
}

function actorOfSession(session: ConsoleSession): Actor {
  const { creatorId, name } = session;
  return creatorId === null
    ? { kind: 'operator', name: actorNameOf(session) }
    : { kind: 'creator', creatorId, keyName: name ?? '' };
}
