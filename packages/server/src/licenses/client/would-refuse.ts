/**
 * What the client endpoints would answer at a moment: their own rules, run on what was read of a license. Nothing is
 * signed, observed or saved. Answers of success are not made: all that an endpoint may refuse is decided before.
 */
import { fromTimestamp } from '../../clock.ts';
import type { RequestContext } from '../../endpoint/endpoint.ts';
import type { ClientPath } from '../../observed-calls/metrics.ts';
import { isRefusal } from '../../refusals.ts';
import type { Settings } from '../../rule-context.ts';
import type { Activation } from '../activation.ts';
import type { License } from '../license.ts';
import { claimsFor, isUnexpired, type TokenClaims } from '../token.ts';
import { type ActivationFields, bindMachine, refusalToActivate } from './activate.ts';
import { deactivateCheck } from './deactivate.ts';
import { heartbeatCheck } from './heartbeat.ts';
import { LicenseChanges } from './license-changes.ts';
import { checkSession } from './session-token-check.ts';
import { validateCheck } from './validate.ts';
import { refusalToVerify } from './verify.ts';

/** A license and one machine of it as they are at a moment. */
export interface Situation {
  /** `sessionsHeld` counts live sessions; lapsed ones among them only where slots are free all the same. */
  readonly license: License;
  /** The machine, where it is bound; without a session that has lapsed. */
  readonly machine: Activation | undefined;
  /** The moment, in milliseconds. */
  readonly now: number;
}

/** A license of which so many lapsed sessions are released. */
export function releasedSessions(license: License, lapsed: number): License {
  return lapsed === 0 ? license : { ...license, sessionsHeld: license.sessionsHeld - lapsed };
}

/**
 * Why an endpoint would refuse the call of a machine; null where it would not.
 *
 * Calls that show a session token are taken to show the latest that the machine was given, signed by a key that is still
 * in use. A machine that is not bound shows one of the time when it was, which has not expired.
 */
export function refusalAt(path: ClientPath, situation: Situation, given: ActivationFields) {
  const { license, now } = situation;
  if (path === '/verify') return refusalToVerify(license, given.productId, now);
  const changes = changesAt(situation);
  const context = contextAt(now);
  if (path === '/activate') return refusalToActivate(changes, given, context);
  const claims = latestClaims(situation, given.machineFingerprint);
  const check = SESSION_CHECKS[path];
  const session = checkSession(changes, claims, given.machineFingerprint, context, check);
  return isRefusal(session) ? session : null;
}

/** A refusal of a client endpoint. */
export type ClientRefusal = NonNullable<ReturnType<typeof refusalAt>>;

/** The situation once the machine has activated; as it was where that would be refused. */
export function activatedAt(situation: Situation, given: ActivationFields, settings: Settings): Situation {
  const changes = changesAt(situation);
  const context = contextAt(situation.now);
  if (refusalToActivate(changes, given, context) !== null) return situation;
  const { machine } = bindMachine(changes, given, context, settings);
  return { ...situation, license: { ...situation.license, ...changes.license }, machine };
}

/** Whether the machine holds a slot, or one is free for it. */
export function hasSlotAt(situation: Situation, fingerprint: string): boolean {
  return changesAt(situation).hasSlotFor(fingerprint);
}

const SESSION_CHECKS = {
  '/validate': validateCheck,
  '/heartbeat': heartbeatCheck,
  '/deactivate': deactivateCheck,
} as const;

/** Changes that are never saved. */
function changesAt({ license, machine }: Situation): LicenseChanges {
  const changes = new LicenseChanges(license, 0);
  if (machine !== undefined) changes.load(machine);
  return changes;
}

function contextAt(now: number): RequestContext {
  return { requestId: '', now, country: null, address: null };
}

/** What the latest token of the machine says; null where it has expired. */
function latestClaims({ license, machine, now }: Situation, fingerprint: string): TokenClaims | null {
  const claims = claimsFor(machine?.activationId ?? '', license.licenseKey, fingerprint, now, 0);
  if (machine === undefined) return claims;
  const latest = { ...claims, exp: Math.floor(fromTimestamp(machine.tokenExpiry) / 1000) };
  return isUnexpired(latest, now) ? latest : null;
}
