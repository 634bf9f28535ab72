/** Identifies the caller by any credential: a console session, a sign-in credential, a secret or an API key. */

import { toTimestamp } from '../../ground/base/clock.ts';
import type {
  Asked,
  Caller,
  Identify,
  Person,
  SessionCredential,
  SignInCredential,
} from '../../platform/endpoint/caller.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { identify as identifyByKey } from '../api-keys/identify.ts';
import { findApiKey } from '../api-keys/store.ts';
import { isInForce, isKeyUseDue, type OperatorKey } from './operator-key.ts';
import { findOperatorKey, keepKeyUse } from './operator-key-store.ts';
import {
  ADMIN_SOURCE,
  actorNameOf,
  type ConsoleSession,
  isOfProvider,
  isOver,
  isUseDue,
  shownName,
} from './session.ts';
import { findSession, keepSessionUse } from './session-store.ts';
import { secretIndexOf } from './sign-in-code.ts';
import { findCode } from './sign-in-store.ts';

/**
 * Identifies the caller by a credential (rules 5.1, 5.2, 5.4). Every failure says `Unauthorized`, regardless of its
 * kind.
 */
export const identify: Identify = async (sql, credential, asked) => {
  if (credential.kind === 'session') return identifyBySession(sql, credential, asked);
  if (credential.kind === 'signIn') return identifyNewcomer(sql, credential, asked);
  // These endpoints accept only a session or a sign-in credential.
  if (asked.access === 'console' || asked.access === 'signIn') return refuse('unauthorized');
  return identifyByKey(sql, credential, asked);
};

async function identifyBySession(sql: Sql, { sessionId }: SessionCredential, asked: Asked): Promise<Caller | Refusal> {
  const { access, now, settings, tx } = asked;
  const session = await findSession(sql, sessionId);
  if (session === undefined || settings.console === null) return refuse('unauthorized');
  if (isOver(session, now, settings.console)) return refuse('unauthorized');
  const caller = await callerOf(sql, session, asked);
  if (caller === null || (caller.kind === 'creator' && access === 'superAdmin')) return refuse('unauthorized');
  if (tx !== null && isUseDue(session, now)) await keepSessionUse(tx, sessionId, toTimestamp(now));
  return caller;
}

/** The caller of a session; null when its key is revoked. Accounts of the identity provider have no key. */
async function callerOf(sql: Sql, session: ConsoleSession, asked: Asked): Promise<Caller | null> {
  const { sessionId, source, role, creatorId } = session;
  if (role === null && creatorId !== null && isOfProvider(session))
    return {
      ...{ kind: 'creator', creatorId, keyName: shownName(session), keyHash: source },
      session: { sessionId, source },
    };
  if (role === null) {
    const key = await findApiKey(sql, source);
    if (!key?.active) return null;
    return {
      ...{ kind: 'creator', creatorId: key.creatorId, keyName: key.name, keyHash: source },
      session: { sessionId, source },
    };
  }
  const hasKey = source !== ADMIN_SOURCE && !isOfProvider(session);
  if (hasKey && (await findUsedKey(sql, source, asked)) === null) return null;
  return { kind: 'admin', session: { sessionId, source, role, actorName: actorNameOf(session) } };
}

/** The operator key with this hash, whose use is stored by a call that writes; null unless it is in force. */
async function findUsedKey(sql: Sql, hash: string, { now, tx }: Asked): Promise<OperatorKey | null> {
  const key = await findOperatorKey(sql, hash);
  if (key === undefined || !isInForce(key, now)) return null;
  if (tx !== null && isKeyUseDue(key, now)) await keepKeyUse(tx, hash, toTimestamp(now));
  return key;
}

async function identifyNewcomer(sql: Sql, signIn: SignInCredential, asked: Asked): Promise<Caller | Refusal> {
  const person = await personOf(sql, signIn.by, asked);
  return person === null ? refuse('unauthorized') : { kind: 'newcomer', person, signIn };
}

/** The person who signs in with a credential; null when it is unknown. */
async function personOf(sql: Sql, by: SignInCredential['by'], asked: Asked): Promise<Person | null> {
  const { now, settings } = asked;
  const owner = (secretIndex: number): Person => ({
    kind: 'operator',
    role: 'owner',
    keyName: null,
    source: ADMIN_SOURCE,
    secretIndex,
    endsAt: null,
  });
  if (by.kind === 'adminSecret') return owner(by.index);
  const { hash } = by;
  if (by.kind === 'code') {
    const code = await findCode(sql, hash);
    const index = code && secretIndexOf(code, now, settings.console?.bindingKeys ?? []);
    return index === undefined || index === null ? null : owner(index);
  }
  // Both are always queried, so that the response time does not reveal the kind of key.
  const operatorKey = await findUsedKey(sql, hash, asked);
  const apiKey = await findApiKey(sql, hash);
  if (operatorKey !== null) {
    const { role, name: keyName, expiresAt: endsAt } = operatorKey;
    return { kind: 'operator', role, keyName, source: hash, secretIndex: 0, endsAt };
  }
  if (!apiKey?.active) return null;
  return { kind: 'creator', creatorId: apiKey.creatorId, keyName: apiKey.name, source: hash };
}
