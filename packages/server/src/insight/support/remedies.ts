/**
 * Finds remedies for a refused client call. Each candidate is applied to the license in memory, and the endpoint's rule
 * runs again; a candidate that does not change the outcome is dropped.
 */
import { daysAfter, toTimestamp } from '../../ground/base/clock.ts';
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
import type { ClientPath } from '../../licensing/observed-calls/metrics.ts';
import { countsSessions } from '../../licensing/products/license-type.ts';
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
  path: ClientPath,
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
  path: ClientPath,
  { refused }: ClientRefusal,
  snapshot: LicenseSnapshot,
  known: Known,
): readonly Candidate[] {
  switch (refused) {
    case 'license_revoked':
      return againstRevocation(snapshot.license, known);
    case 'license_expired':
      return againstExpiry(snapshot, known);
    case 'update_not_covered':
      return againstEndOfUpdates(snapshot, known);
    // Features belong to an edition, and selling another one is the shop's decision.
    case 'feature_missing':
    // The product of a license is fixed at purchase.
    case 'wrong_product':
    case 'token_mismatch':
      return [];
    case 'activation_rate':
      return againstActivationRate(snapshot);
    case 'machine_limit':
      return freeingSlots(snapshot, known);
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

function againstActivationRate({ license, now }: LicenseSnapshot): Candidate[] {
  const { licenseKey } = license;
  const next = nextAttemptAt(license.attempts, now);
  const waiting: Candidate = {
    action: 'wait',
    endpoint: null,
    fields: {},
    effect: `The next attempt is let through from ${toTimestamp(next)} on, if none is made before.`,
    apply: (at) => ({ ...at, now: next }),
  };
  const lifting = onLicense(
    'lift_activation_limit',
    '/liftActivationLimit',
    { licenseKey },
    'Forgets the attempts of the last hour and changes nothing else.',
    (each) => licenseAfter(each, liftedActivationLimitOf()),
  );
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

/** Ends a floating session; any other slot is freed by unbinding its machine. */
function freeing({ licenseKey, licenseType }: License, holder: Activation): Candidate {
  const fields = { licenseKey, machineFingerprint: holder.fingerprint };
  if (countsSessions(licenseType))
    return onLicense(
      'end_session',
      '/endSession',
      fields,
      `Ends the session of "${holder.hostname}", whose slot is then free for whoever asks first.`,
      (license) => ({ ...license, sessionsHeld: license.sessionsHeld - 1 }),
    );
  return {
    action: 'release_activation',
    endpoint: '/releaseActivation',
    fields,
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
