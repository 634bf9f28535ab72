/**
 * Predicts the refusals of the client endpoints at a given time by running their own rules on a license as read.
 * Nothing is signed, observed or saved. Successful replies are not built, because every refusal is decided before that.
 */
import { fromTimestamp } from '../../ground/base/clock.ts';
import type { RequestContext } from '../../platform/endpoint/endpoint.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import { refusalForTerms } from '../licenses/asked-terms.ts';
import type { License } from '../licenses/license.ts';
import { exceedsLimit, meterOf, presentUse, refusalBeyondLimit } from '../licenses/meters.ts';
import { MISSING_SEPARATOR } from '../licenses/terms.ts';
import type { Activation } from '../machines/activation.ts';
import type { MeterUse } from '../meters/store.ts';
import type { RefusalDetails } from '../observed-calls/kept-refusal.ts';
import type { ObservedPath } from '../observed-calls/metrics.ts';
import { claimsFor, isUnexpired, type TokenClaims } from '../session-tokens/token.ts';
import { type ActivationFields, admitActivationAttempt, bindMachine } from './activate.ts';
import { consumeCheck } from './consume-check.ts';
import { deactivateCheck } from './deactivate.ts';
import { heartbeatCheck } from './heartbeat.ts';
import { LicenseChanges } from './license-changes.ts';
import { checkSession } from './session-token-check.ts';
import type { UserChanges } from './user-changes.ts';
import { validateCheck } from './validate.ts';
import { refusalToVerify } from './verify.ts';

/** A license and one of its machines at a given time. */
export interface LicenseSnapshot {
  /** `sessionsHeld` counts live sessions; it includes lapsed ones only if slots are free regardless. */
  readonly license: License;
  /** The machine if it is bound, without a lapsed session. */
  readonly machine: Activation | undefined;
  /** The machine that is idle the longest, if the license is full and has idle machines that make room. */
  readonly idle: Activation | undefined;
  /** The users of the call and of the machine, of a license with named users; null if neither is known. */
  readonly users: UserChanges | null;
  /** The usage of the license's meters. */
  readonly uses: readonly MeterUse[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The license after the release of `lapsed` sessions. */
export function releasedSessions(license: License, lapsed: number): License {
  return lapsed === 0 ? license : { ...license, sessionsHeld: license.sessionsHeld - lapsed };
}

/** The fields of a call of a machine; `features` and `meter` for endpoints that take them. */
export interface ExplainedCall extends ActivationFields {
  readonly features?: readonly string[] | undefined;
  readonly meter?: string | undefined;
  /** 1 by default. */
  readonly units?: number | undefined;
}

/** The terms that a refused call asked for, as the details of the kept refusal name them. */
export function askedTerms(
  details: RefusalDetails | null,
): Omit<ExplainedCall, keyof ActivationFields> & Pick<ActivationFields, 'buildDate' | 'version'> {
  const { buildDate, version, missing, meter, units } = details ?? {};
  return {
    ...(typeof buildDate === 'string' ? { buildDate } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(typeof missing === 'string' ? { features: missing.split(MISSING_SEPARATOR) } : {}),
    ...(typeof meter === 'string' ? { meter } : {}),
    ...(typeof units === 'number' ? { units } : {}),
  };
}

/**
 * The refusal of an endpoint for a machine's call; null when it would accept the call.
 *
 * Assumes the latest session token that the machine received, signed by a key still in use. A machine that is not bound
 * uses an unexpired token from the time when it was.
 */
export function predictRefusal(path: ObservedPath, snapshot: LicenseSnapshot, given: ExplainedCall) {
  const { license, now } = snapshot;
  if (path === '/verify') return refusalToVerify(license, given, now);
  const changes = changesAt(snapshot);
  const context = contextAt(now);
  if (path === '/activate') return admitActivationAttempt(changes, given, context);
  const claims = latestClaims(snapshot, given.machineFingerprint);
  const check = SESSION_CHECKS[path];
  const shown = { claims, licenseKey: license.licenseKey, fingerprint: given.machineFingerprint };
  const session = checkSession(changes, shown, context, check);
  if (isRefusal(session)) return session;
  if (path === '/consume') return refusalOfUse(snapshot, given);
  return path === '/validate' ? refusalForTerms(license, given, now) : null;
}

/** The refusal of a use; null if it would be counted. */
function refusalOfUse({ license, uses, now }: LicenseSnapshot, { meter: name = '', units = 1 }: ExplainedCall) {
  const meter = meterOf(license, name);
  if (meter === undefined) return refuse('meter_not_found', { details: { meter: name } });
  const stored = uses.find((use) => use.meter === name);
  const { use, resetsAt } = presentUse(license, name, meter, stored, now);
  const { used } = use;
  return exceedsLimit(meter, used, units)
    ? refusalBeyondLimit({ meter: name, used, limit: meter.limit, resetsAt }, units)
    : null;
}

/** A refusal by a client endpoint. */
export type ClientRefusal = NonNullable<ReturnType<typeof predictRefusal>>;

/** The snapshot after the machine has activated; unchanged if the activation would be refused. */
export function activatedAt(snapshot: LicenseSnapshot, given: ActivationFields, settings: Settings): LicenseSnapshot {
  const changes = changesAt(snapshot);
  const context = contextAt(snapshot.now);
  if (admitActivationAttempt(changes, given, context) !== null) return snapshot;
  const { machine } = bindMachine(changes, given, context, settings);
  return {
    ...snapshot,
    license: { ...snapshot.license, ...changes.license },
    machine,
    idle: undefined,
    users: changes.users,
  };
}

/** Whether the machine holds a slot or a slot is free. */
export function hasSlotAt(snapshot: LicenseSnapshot, fingerprint: string): boolean {
  return changesAt(snapshot).hasSlotFor(fingerprint);
}

/** The idle machine that would make room at /activate for a machine without a slot; undefined if none would. */
export function idleMachineAt(snapshot: LicenseSnapshot): Activation | undefined {
  return changesAt(snapshot).idleMachine(snapshot.now);
}

const SESSION_CHECKS = {
  '/validate': validateCheck,
  '/heartbeat': heartbeatCheck,
  '/deactivate': deactivateCheck,
  '/consume': consumeCheck,
} as const;

/** Changes that are never saved. */
function changesAt({ license, machine, idle, users }: LicenseSnapshot): LicenseChanges {
  const changes = new LicenseChanges(license, 0);
  if (machine !== undefined) changes.load(machine);
  if (idle !== undefined) changes.loadIdle(idle);
  changes.users = users?.copy() ?? null;
  return changes;
}

function contextAt(now: number): RequestContext {
  return { requestId: '', now, country: null, address: null };
}

/** The claims of the machine's latest token; null when it has expired. */
function latestClaims({ license, machine, now }: LicenseSnapshot, fingerprint: string): TokenClaims | null {
  const claims = claimsFor(machine?.activationId ?? '', license.licenseKey, fingerprint, now, 0);
  if (machine === undefined) return claims;
  const latest = { ...claims, exp: Math.floor(fromTimestamp(machine.tokenExpiry) / 1000) };
  return isUnexpired(latest, now) ? latest : null;
}
