/**
 * Finds remedies for a refused client call. Each candidate is applied to the license in memory, and the endpoint's rule
 * runs again; a candidate that does not change the outcome is dropped.
 */
import { daysAfter, toTimestamp } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { isLimitOfUser } from '../../licensing/client-endpoints/named-users.ts';
import {
  activatedAt,
  type ClientRefusal,
  type ExplainedCall,
  type LicenseSnapshot,
  predictRefusal,
} from '../../licensing/client-endpoints/predicted-refusal.ts';
import { liftedActivationLimitOf } from '../../licensing/licenses/activation-limit.ts';
import { licenseAfter } from '../../licensing/licenses/change.ts';
import { type License, slotsUsed } from '../../licensing/licenses/license.ts';
import { reinstatementOf, resolutionOf } from '../../licensing/licenses/revocation.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import { nextAttemptAt } from '../../licensing/machines/activation-rate.ts';
import { UserAttempts } from '../../licensing/machines/user-attempts.ts';
import type { ListedUser } from '../../licensing/machines/user-store.ts';
import type { ObservedPath } from '../../licensing/observed-calls/metrics.ts';
import { countsSessions } from '../../licensing/products/license-type.ts';
import { MAXIMUM_UNITS } from '../../licensing/products/meters.ts';
import { MAXIMUM_USERS } from '../../licensing/products/terms.ts';
import { GRAVEST_LEVEL, type Violation } from '../../licensing/violations/violation.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import { outcomeOf, type remedySchema } from './explanation-views.ts';

/** Facts besides the license and the machine. */
export interface Known {
  /** The machine's own data; an empty fingerprint if no machine is known. */
  readonly given: ExplainedCall;
  /** Machines that take slots, longest idle first. Read if no slot is free. */
  readonly slotHolders: readonly Activation[];
  /** The slot holder to suggest for release before the others; undefined for the one that is idle longest. */
  readonly inTheWay: Activation | undefined;
  /** Users of the license, the longest unseen first. Read if the call is that of a user without a seat. */
  readonly seatHolders: readonly ListedUser[];
  /** Number of seats that are held. */
  readonly seats: number;
  /** The machines of the user of the call, the longest idle first. Read if the user may not have another one. */
  readonly machinesOfUser: readonly Activation[];
  /** The open violations. Read if the license is revoked. */
  readonly open: readonly Violation[];
  /** True if the product is archived, so that /updateLicense refuses. */
  readonly isArchived: boolean;
  readonly settings: Settings;
}

/** A remedy, and the snapshot after it. */
interface Candidate extends Omit<ReplyOf<typeof remedySchema>, 'outcome'> {
  readonly apply: (snapshot: LicenseSnapshot) => LicenseSnapshot;
}

/** Days by which an expired license is extended by default. */
const EXTENSION_DAYS = 30;
/** Days by which the updates of a license are extended by default. */
const UPDATES_DAYS = 365;
/** Maximum number of machines suggested for release. */
const RELEASES_OFFERED = 3;
/** The largest limit that /updateLicense accepts. */
const LARGEST_LIMIT = 1_000_000_000;
/** Maximum number of violations that /resolveLicense accepts. */
const MAX_RESOLVED = 1000;

/** The remedies that change the outcome of a refused call, mildest first. */
export function remediesFor(
  path: ObservedPath,
  refusal: ClientRefusal,
  snapshot: LicenseSnapshot,
  known: Known,
): ReplyOf<typeof remedySchema>[] {
  return candidatesFor(path, refusal, snapshot, known)
    .map(({ apply, action, endpoint, fields, effect }) => {
      const outcome = outcomeOf(predictRefusal(path, apply(snapshot), known.given));
      return { action, endpoint, fields, effect, outcome };
    })
    .filter(({ outcome }) => outcome !== outcomeOf(refusal));
}

function candidatesFor(
  path: ObservedPath,
  refusal: ClientRefusal,
  snapshot: LicenseSnapshot,
  known: Known,
): readonly Candidate[] {
  switch (refusal.refused) {
    case 'license_revoked':
      return againstRevocation(snapshot.license, known);
    case 'license_expired':
      return againstExpiry(snapshot, known);
    case 'update_not_covered':
      return againstEndOfUpdates(snapshot, known);
    // The new key is the remedy, and its customer has it.
    case 'license_replaced':
    // Features belong to an edition, and selling another one is the shop's decision.
    case 'feature_missing':
    // The product of a license is fixed at purchase.
    case 'wrong_product':
    // The app alone knows who uses it.
    case 'user_required':
    case 'token_mismatch':
    // Meters belong to an edition, too.
    case 'meter_not_found':
      return [];
    case 'user_limit':
      return freeingSeats(snapshot, known);
    case 'meter_limit':
      return againstUsageLimit(refusal, snapshot, known);
    case 'activation_rate':
      return againstActivationRate(snapshot, refusal.retryAfterSeconds ?? 0);
    case 'machine_limit':
      return isLimitOfUser(refusal) ? freeingMachinesOfUser(snapshot, known) : freeingSlots(snapshot, known);
    case 'machine_not_activated':
    case 'machine_not_found':
      // A machine that is not bound has no slot to free.
      if (path === '/deactivate') return [];
      return snapshot.machine === undefined ? activating(snapshot, known) : freeingSlots(snapshot, known);
    case 'invalid_token':
    case 'invalid_heartbeat_token':
      return activating(snapshot, known);
  }
}

function onLicense(
  action: Candidate['action'],
  endpoint: string,
  fields: Candidate['fields'],
  effect: string,
  change: (license: License) => License,
): Candidate {
  return { action, endpoint, fields, effect, apply: (at) => ({ ...at, license: change(at.license) }) };
}

function againstRevocation({ licenseKey, revocation }: License, { open, isArchived }: Known): Candidate[] {
  const violationIds = open.filter(({ severity }) => severity === GRAVEST_LEVEL).map(({ violationId }) => violationId);
  const candidates: Candidate[] = [];
  if (violationIds.length > 0 && violationIds.length <= MAX_RESOLVED)
    candidates.push(
      onLicense(
        'resolve_violations',
        '/resolveLicense',
        { licenseKey, violationIds },
        'Resolves the open violations of the highest level, which lifts the revocation.',
        (license) => licenseAfter(license, resolutionOf(license, open, violationIds)),
      ),
    );
  candidates.push(
    onLicense(
      'reinstate',
      '/reinstateLicense',
      { licenseKey },
      'Lifts the revocation and resolves the open violations of the highest level.',
      (license) => licenseAfter(license, reinstatementOf(open)),
    ),
  );
  if (revocation !== 'chargeback' && !isArchived)
    candidates.push(
      onLicense(
        'activate_license',
        '/updateLicense',
        { licenseKey, status: 'active' },
        'Lifts the revocation and leaves the violations open.',
        (license) => ({ ...license, revocation: null }),
      ),
    );
  return candidates;
}

function againstExpiry({ license: { licenseKey }, now }: LicenseSnapshot, { isArchived }: Known): Candidate[] {
  if (isArchived) return [];
  const expiresAt = daysAfter(now, EXTENSION_DAYS);
  return [
    onLicense(
      'extend_license',
      '/updateLicense',
      { licenseKey, expiresAt },
      `Extends the license to ${EXTENSION_DAYS} days from now. Send another moment if that was agreed, or null for ever.`,
      (license) => ({ ...license, expiresAt }),
    ),
  ];
}

function againstEndOfUpdates({ license, now }: LicenseSnapshot, { isArchived }: Known): Candidate[] {
  if (isArchived || license.updatesUntil === null) return [];
  const { licenseKey } = license;
  const updatesUntil = daysAfter(now, UPDATES_DAYS);
  return [
    onLicense(
      'extend_updates',
      '/updateLicense',
      { licenseKey, updatesUntil },
      `Extends the updates to ${UPDATES_DAYS} days from now. Send another moment if that was agreed, or null for all builds.`,
      (changed) => ({ ...changed, updatesUntil }),
    ),
  ];
}

function againstUsageLimit(
  { extra }: ClientRefusal,
  { license }: LicenseSnapshot,
  { given: { meter = '', units = 1 }, isArchived }: Known,
): Candidate[] {
  const { used, limit: present } = extra as { readonly used: number; readonly limit: number };
  const { licenseKey, terms } = license;
  const limit = used + units;
  const taken = limit - present;
  const meters = { ...terms.meters, [meter]: { limit } };
  const raising = onLicense(
    'raise_limit',
    '/updateLicense',
    { licenseKey, meters },
    `Raises the limit of the license to ${limit} for each period, so that the use fits.`,
    (each) => ({ ...each, terms: { ...each.terms, meters } }),
  );
  const takingBack: Candidate = {
    action: 'adjust_usage',
    endpoint: '/adjustUsage',
    fields: { licenseKey, meter, units: -taken },
    effect: `Takes ${taken} of the used units of this period back, so that the use fits.`,
    apply: (at) => ({
      ...at,
      uses: at.uses.map((use) => (use.meter === meter ? { ...use, used: use.used - taken } : use)),
    }),
  };
  return [...(taken <= used && taken <= MAXIMUM_UNITS ? [takingBack] : []), ...(isArchived ? [] : [raising])];
}

function againstActivationRate({ license, now }: LicenseSnapshot, retryAfterSeconds: number): Candidate[] {
  const { licenseKey, terms } = license;
  const next = terms.maxUsers === null ? nextAttemptAt(license.attempts, now) : now + retryAfterSeconds * 1000;
  const waiting: Candidate = {
    action: 'wait',
    endpoint: null,
    fields: {},
    effect: `The next attempt is let through from ${toTimestamp(next)} on, if none is made before.`,
    apply: (at) => ({ ...at, now: next }),
  };
  const lifting: Candidate = {
    action: 'lift_activation_limit',
    endpoint: '/liftActivationLimit',
    fields: { licenseKey },
    effect: 'Forgets the attempts of the last hour and changes nothing else.',
    apply: (at) => ({
      ...at,
      license: licenseAfter(at.license, liftedActivationLimitOf(at.license, 0)),
      users: at.users?.copy({ attempts: new UserAttempts(licenseKey, new Map()) }) ?? null,
    }),
  };
  return [waiting, lifting];
}

function freeingSlots({ license }: LicenseSnapshot, { slotHolders, inTheWay, isArchived }: Known): Candidate[] {
  const { licenseKey } = license;
  const first = inTheWay === undefined ? [] : [inTheWay];
  const others = slotHolders.filter((holder) => holder !== inTheWay);
  const candidates = [...first, ...others].slice(0, RELEASES_OFFERED).map((holder) => freeing(license, holder));
  const field = countsSessions(license.licenseType) && license.maxConcurrent !== null ? 'maxConcurrent' : 'maxMachines';
  const limit = slotsUsed(license) + 1;
  if (!isArchived && limit <= LARGEST_LIMIT)
    candidates.push(
      onLicense(
        'raise_limit',
        '/updateLicense',
        { licenseKey, [field]: limit },
        `Raises the limit to ${limit}, so that one more fits.`,
        (each) => ({ ...each, [field]: limit }),
      ),
    );
  return [...candidates, resetting(licenseKey)];
}

/** Releases the user who was not seen for longest, or makes room for one more. */
function freeingSeats({ license }: LicenseSnapshot, { seatHolders, seats, isArchived }: Known): Candidate[] {
  const { licenseKey } = license;
  const maxUsers = seats + 1;
  const releasing = seatHolders.slice(0, RELEASES_OFFERED).map(
    ({ user, machines }): Candidate => ({
      action: 'release_user',
      endpoint: '/releaseUser',
      fields: { licenseKey, user },
      effect: `Frees the seat of "${user}" and unbinds ${counted(machines, 'machine')}.`,
      apply: (at) => ({
        ...at,
        license: { ...at.license, machinesUsed: at.license.machinesUsed - machines },
        users: at.users?.copy({ freedSeats: 1 }) ?? null,
      }),
    }),
  );
  if (isArchived || maxUsers > MAXIMUM_USERS) return releasing;
  const raising = raisingTerm(licenseKey, 'maxUsers', maxUsers, `Lets ${counted(maxUsers, 'user')} hold a seat.`);
  return [...releasing, raising];
}

/** Unbinds a machine of the user, or lets the users of the license have one more. */
function freeingMachinesOfUser({ license }: LicenseSnapshot, { machinesOfUser, isArchived }: Known): Candidate[] {
  const most = machinesOfUser.length + 1;
  const releasing = machinesOfUser.slice(0, RELEASES_OFFERED).map((machine): Candidate => {
    const candidate = unbinding(license, machine);
    const { userFolded } = machine;
    return {
      ...candidate,
      apply(at) {
        const users = at.users?.copy() ?? null;
        if (userFolded !== null) users?.lose(userFolded, null);
        return { ...candidate.apply(at), users };
      },
    };
  });
  if (isArchived) return releasing;
  const effect = `Lets each user have ${counted(most, 'machine')}.`;
  return [...releasing, raisingTerm(license.licenseKey, 'maxMachinesPerUser', most, effect)];
}

function raisingTerm(
  licenseKey: string,
  term: 'maxUsers' | 'maxMachinesPerUser',
  limit: number,
  effect: string,
): Candidate {
  return onLicense('raise_limit', '/updateLicense', { licenseKey, [term]: limit }, effect, (each) => ({
    ...each,
    terms: { ...each.terms, [term]: limit },
  }));
}

/** Ends a floating session; any other slot is freed by unbinding its machine. */
function freeing(license: License, holder: Activation): Candidate {
  const { licenseKey, licenseType } = license;
  if (countsSessions(licenseType))
    return onLicense(
      'end_session',
      '/endSession',
      { licenseKey, machineFingerprint: holder.fingerprint },
      `Ends the session of "${holder.hostname}", whose slot is then free for whoever asks first.`,
      (each) => ({ ...each, sessionsHeld: each.sessionsHeld - 1 }),
    );
  return unbinding(license, holder);
}

function unbinding({ licenseKey }: License, holder: Activation): Candidate {
  return {
    action: 'release_activation',
    endpoint: '/releaseActivation',
    fields: { licenseKey, machineFingerprint: holder.fingerprint },
    effect: `Unbinds "${holder.hostname}", which has to activate again before it can be used.`,
    apply: (at) => ({
      ...at,
      license: { ...at.license, machinesUsed: at.license.machinesUsed - 1 },
      // Its slot cannot be freed twice.
      idle: at.idle?.fingerprint === holder.fingerprint ? undefined : at.idle,
    }),
  };
}

function resetting(licenseKey: string): Candidate {
  return {
    action: 'reset_activations',
    endpoint: '/resetActivations',
    fields: { licenseKey },
    effect: 'Unbinds every machine, each of which has to activate again, and forgets the attempts of the last hour.',
    apply: (at) => ({
      ...at,
      license: { ...at.license, machinesUsed: 0, sessionsHeld: 0, attempts: [] },
      machine: undefined,
      idle: undefined,
    }),
  };
}

function activating({ license: { licenseKey }, machine }: LicenseSnapshot, { given, settings }: Known): Candidate[] {
  const { machineFingerprint, hostname, productId } = given;
  const named = machineFingerprint === '' ? {} : { machineFingerprint, hostname };
  return [
    {
      action: 'activate_machine',
      endpoint: '/activate',
      fields: { licenseKey, productId, ...named },
      effect:
        machine === undefined
          ? 'The app activates, which takes a free slot and gives it a session token.'
          : 'The app activates again, which gives it a new session token.',
      apply: (at) => activatedAt(at, given, settings),
    },
  ];
}
