/**
 * The words of "Why?": the explanation for support, and the labels of the buttons. Pure; the service's explanation is
 * used unchanged.
 */
import type { CheckOutcome, EndpointCheck, ExplainLicenseReply, Remedy } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import { daysUntil, relativeTime } from '../parts/time-words.ts';
import { nameAmong, refusedName } from '../sentences/refusals.ts';
import { slotNoun } from './words.ts';

const DAY_MS = 86_400_000;

/** The data of the panel. */
export type Explanation = Pick<
  ExplainLicenseReply,
  'license' | 'machine' | 'verdict' | 'checks' | 'lastRefusals' | 'otherKey'
>;

const OUTCOMES: Readonly<Record<CheckOutcome, string>> = {
  ok: 'works',
  license_replaced: 'key replaced',
  license_revoked: 'revoked',
  license_expired: 'expired',
  wrong_product: 'other product',
  machine_limit: 'no place free',
  machine_not_activated: 'not activated',
  activation_rate: 'too many tries',
  invalid_token: 'token is no longer valid',
  update_not_covered: 'build not covered',
  feature_missing: 'feature not included',
  user_required: 'no user named',
  user_limit: 'no seat free',
  meter_limit: 'usage limit reached',
  meter_not_found: 'no such meter',
};

/** The outcome of a call, in two words. */
export function outcomeText(outcome: CheckOutcome): string {
  return OUTCOMES[outcome];
}

/** All possible outcomes of a call. */
export const outcomes = Object.keys(OUTCOMES) as readonly CheckOutcome[];

/** Whether a call applies to this machine: an unbound machine has nothing to start, keep or give up. */
export function concerns(
  check: Pick<EndpointCheck, 'endpoint'>,
  machine: Pick<Explanation['machine'], 'bound'>,
): boolean {
  return machine.bound || check.endpoint === '/verify' || check.endpoint === '/activate';
}

/** The deciding check: the first refused one, in the order of an app's calls; null if all succeed. */
export function decidingCheck({ checks, machine }: Explanation): EndpointCheck | null {
  const refused = checks.filter((check) => check.outcome !== 'ok' && concerns(check, machine));
  return refused[0] ?? null;
}

/**
 * The number and time of refusals of the explained machine; null if none is known. Includes calls that name no machine,
 * because they may be its own. The timeline shows refusals of other machines.
 */
export function lastRefusalText(
  { lastRefusals, machine }: Pick<Explanation, 'lastRefusals' | 'machine'>,
  now: number,
): string | null {
  const last = lastRefusals.find(
    ({ machineFingerprint }) =>
      machineFingerprint === null || machine.fingerprint === null || machineFingerprint === machine.fingerprint,
  );
  if (last === undefined) return null;
  const who = refusedName(last);
  const when = relativeTime(last.lastAt, now);
  if (last.count === 1) return `${who} was refused ${when}.`;
  return `${who} was refused ${counted(last.count, 'time')}, last ${when}.`;
}

/** Whether all calls succeed now, despite earlier refusals. */
export function isSettled(explanation: Explanation): boolean {
  return decidingCheck(explanation) === null;
}

/** Whether the app on the machine runs, so that only another activation is refused. */
export function runs({ machine, checks }: Explanation): boolean {
  return machine.bound && checks.some(({ endpoint, outcome }) => endpoint === '/validate' && outcome === 'ok');
}

/** The present answer to the machine in a sentence. */
export function whyTitle(explanation: Explanation): string {
  const deciding = decidingCheck(explanation);
  const name = nameAmong(explanation.machine, deciding?.because?.usedBy ?? []);
  if (deciding === null) return `${name} can use this license.`;
  if (deciding.endpoint === '/activate' && runs(explanation))
    return `${name} runs, but cannot be activated again: ${REASONS_SHORT[deciding.outcome]}.`;
  if (deciding.endpoint === '/consume')
    return `${name} runs, but its use is not counted: ${REASONS_SHORT[deciding.outcome]}.`;
  if (deciding.outcome === 'machine_limit') {
    const { limit = 0, used = 0 } = deciding.because ?? {};
    const noun = slotNoun(explanation.license.licenseType, limit);
    return `${name} cannot get in: ${used} of ${limit} ${noun} ${used === 1 ? 'is' : 'are'} in use.`;
  }
  return `${name} cannot get in: ${REASONS_SHORT[deciding.outcome]}.`;
}

const REASONS_SHORT: Readonly<Record<CheckOutcome, string>> = {
  ok: 'nothing stands in the way',
  license_replaced: 'another key took the place of this one',
  license_revoked: 'the license is revoked',
  license_expired: 'the license has expired',
  wrong_product: 'the license is for another product',
  machine_limit: 'no place is free',
  machine_not_activated: 'it is not activated',
  activation_rate: 'it was tried too often within an hour',
  invalid_token: 'its session token is no longer valid, so it has to activate again',
  update_not_covered: 'the license does not cover its build',
  feature_missing: 'the license does not include the feature',
  user_required: 'the app names no user',
  user_limit: 'other users hold all seats',
  meter_limit: 'the usage limit is reached',
  meter_not_found: 'the license has no such meter',
};

/** The name of the machine that a remedy is about. */
function machineOf({ fields }: Pick<Remedy, 'fields'>, { because }: Pick<EndpointCheck, 'because'>): string {
  const holders = because?.usedBy ?? [];
  const holder = holders.find(({ fingerprint }) => fingerprint === fields.machineFingerprint);
  const fingerprint = typeof fields.machineFingerprint === 'string' ? fields.machineFingerprint : null;
  return nameAmong({ hostname: holder?.hostname ?? null, fingerprint }, holders);
}

/** The limit that a remedy raises, in words. */
function raisedTo({ maxConcurrent, maxUsers, maxMachinesPerUser, maxMachines }: Remedy['fields']): string {
  if (typeof maxConcurrent === 'number') return counted(maxConcurrent, 'seat');
  if (typeof maxUsers === 'number') return counted(maxUsers, 'user');
  if (typeof maxMachinesPerUser === 'number') return `${counted(maxMachinesPerUser, 'machine')} a user`;
  return counted(Number(maxMachines), 'machine');
}

/** The result of a remedy, naming its license or machine. */
export function remedyDone(remedy: Remedy, check: Pick<EndpointCheck, 'because'>, email: string, now: number): string {
  const { fields } = remedy;
  switch (remedy.action) {
    case 'release_activation':
      return `${machineOf(remedy, check)} was removed from the license of ${email}.`;
    case 'end_session':
      return `The session of ${machineOf(remedy, check)} was ended.`;
    case 'release_user':
      return `${String(fields.user)} was released from the license of ${email}.`;
    case 'raise_limit':
      if (typeof check.because?.meter === 'string')
        return `The license of ${email} has a higher limit of ${check.because.meter}.`;
      return `The license of ${email} allows ${raisedTo(fields)}.`;
    case 'adjust_usage':
      return `${counted(-Number(fields.units), 'unit')} of the license of ${email} were taken back.`;
    case 'reset_activations':
      return `All machines of the license of ${email} were removed.`;
    case 'lift_activation_limit':
      return `The license of ${email} may be activated again now.`;
    case 'extend_license':
      return typeof fields.expiresAt === 'string'
        ? `The license of ${email} was extended by ${counted(daysUntil(fields.expiresAt, now - 60_000), 'day')}.`
        : `The license of ${email} was extended.`;
    case 'extend_updates':
      return `The updates of the license of ${email} were extended.`;
    case 'resolve_violations':
      return `The violations of the license of ${email} were resolved.`;
    case 'reinstate':
      return `The license of ${email} is reinstated.`;
    case 'activate_license':
      return `The revocation of the license of ${email} was lifted.`;
    case 'wait':
    case 'activate_machine':
      return 'Nothing was changed.';
  }
}

/** The verb on a remedy's button; null if only the app or time can apply it. */
export function remedyVerb(remedy: Remedy, check: Pick<EndpointCheck, 'because'>, now: number): string | null {
  const { fields } = remedy;
  const name = machineOf(remedy, check);
  switch (remedy.action) {
    case 'release_activation': {
      const holder = check.because?.usedBy?.find(({ fingerprint }) => fingerprint === fields.machineFingerprint);
      const idle = holder === undefined ? 0 : Math.floor((now - Date.parse(holder.lastSeen)) / DAY_MS);
      return `Free ${name}${idle > 0 ? ` (idle ${counted(idle, 'day')})` : ''}`;
    }
    case 'end_session':
      return `End the session of ${name}`;
    case 'release_user':
      return `Release ${String(fields.user)}`;
    case 'raise_limit':
      if (typeof check.because?.meter === 'string') return `Raise the limit of ${check.because.meter}`;
      return `Allow ${raisedTo(fields)}`;
    case 'adjust_usage':
      return `Take back ${counted(-Number(fields.units), 'unit')}`;
    case 'reset_activations':
      return 'Remove all machines';
    case 'lift_activation_limit':
      return 'Let it try again now';
    case 'extend_license':
      return typeof fields.expiresAt === 'string'
        ? `Extend by ${counted(daysUntil(fields.expiresAt, now - 60_000), 'day')}`
        : 'Extend';
    case 'extend_updates':
      return 'Extend the updates';
    case 'resolve_violations':
      return `Resolve ${counted(Array.isArray(fields.violationIds) ? fields.violationIds.length : 0, 'violation')}`;
    case 'reinstate':
      return 'Reinstate';
    case 'activate_license':
      return 'Lift the revocation only';
    case 'wait':
    case 'activate_machine':
      return null;
  }
}
