/**
 * The rules of verdicts, in one table. Each is a pure function of facts that the service knows, and answers null where
 * the facts do not show its case. The first that finds something decides, so misuse comes before everything that would
 * let a machine in. The service stores no network addresses, so no rule counts networks.
 */
import { DAY_MS, fromTimestamp, HOUR_MS } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import {
  type License,
  type Revocation,
  slotLimit,
  slotsUsed,
  UNLIMITED_MACHINES,
} from '../../licensing/licenses/license.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import type { KeptRefusal } from '../../licensing/observed-calls/kept-refusal.ts';
import { countsSessions } from '../../licensing/products/license-type.ts';
import { machinesNamedIn } from '../../licensing/violations/evidence.ts';
import { MACHINES_OF_A_SHARED_KEY, type Violation } from '../../licensing/violations/violation.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { type CaseFacts, decidingCheck, type KnownFacts } from './case-facts.ts';
import type { CheckOutcome } from './explanation-views.ts';
import { ago, quoted } from './sentences.ts';
import type { FirstStep, VerdictCode, verdictEvidenceSchema } from './verdict-views.ts';

/** What a rule found in the facts. */
export interface Finding {
  readonly sentence: string;
  readonly evidence: ReplyOf<typeof verdictEvidenceSchema>;
}

export interface VerdictRule {
  readonly code: VerdictCode;
  /** `remedy` becomes `reply` where the first remedy would let in more than the license is for. */
  readonly firstStep: FirstStep;
  readonly find: (facts: CaseFacts) => Finding | null;
}

/** A slot holder that was not seen for this long is taken for dead; tokens live as long by default. */
export const DEAD_AFTER_DAYS = 30;
/** Severity of a machine_limit violation with as many machines in one day as indicate a shared key. */
const SHARED_SEVERITY = 2;
/** Maximum number of machines in the evidence of a violation; see licensing/violations/evidence.ts. */
const MACHINES_IN_EVIDENCE = 20;
/** An app that works now was refused for its product at most this long ago. */
const LATELY_MS = DAY_MS;

export const VERDICT_RULES: readonly VerdictRule[] = [
  { code: 'replaced', firstStep: 'reply', find: (facts) => revokedFor('replaced', facts) },
  { code: 'charged_back', firstStep: 'decline', find: (facts) => revokedFor('chargeback', facts) },
  { code: 'refunded', firstStep: 'decline', find: (facts) => revokedFor('refund', facts) },
  { code: 'fraud_reported', firstStep: 'review', find: (facts) => revokedFor('fraud', facts) },
  { code: 'revoked', firstStep: 'review', find: (facts) => revokedFor('plain', facts) },
  { code: 'shared', firstStep: 'review', find: sharedKey },
  { code: 'wrong_product', firstStep: 'decline', find: wrongProduct },
  { code: 'other_license', firstStep: 'reply', find: (facts) => (facts.otherLicenses === 0 ? null : expired(facts)) },
  { code: 'expired', firstStep: 'decline', find: expired },
  { code: 'build_not_covered', firstStep: 'reply', find: (facts) => refusedFor('update_not_covered', facts) },
  { code: 'attempts_used_up', firstStep: 'remedy', find: attemptsUsedUp },
  { code: 'no_seat', firstStep: 'reply', find: (facts) => refusedFor('user_limit', facts) },
  { code: 'no_user', firstStep: 'reply', find: (facts) => refusedFor('user_required', facts) },
  { code: 'user_has_machines', firstStep: 'reply', find: userHasMachines },
  { code: 'seats_in_use', firstStep: 'reply', find: seatsInUse },
  { code: 'reinstalled', firstStep: 'remedy', find: reinstalled },
  { code: 'dead_machine', firstStep: 'remedy', find: deadMachine },
  { code: 'new_computer', firstStep: 'reply', find: newComputer },
  { code: 'feature_not_included', firstStep: 'reply', find: (facts) => refusedFor('feature_missing', facts) },
  { code: 'usage_used_up', firstStep: 'reply', find: (facts) => refusedFor('meter_limit', facts) },
  { code: 'activate_again', firstStep: 'reply', find: activateAgain },
  { code: 'works', firstStep: 'none', find: () => ({ sentence: 'Nothing refuses the machine now.', evidence: {} }) },
];

const REVOKED_BECAUSE: Readonly<Record<Revocation, string>> = {
  chargeback: "The customer's bank took the payment back",
  refund: 'The purchase was refunded',
  fraud: 'Fraud was reported',
  plain: 'The license was revoked, and no reason was given',
  replaced: 'Another key took the place of this one',
};

function revokedFor(revocation: Revocation, { license, reported, now }: CaseFacts): Finding | null {
  if (license.revocation !== revocation) return null;
  const reports = reported.filter(({ type }) => type === revocation);
  if (reports.length === 0) return { sentence: `${REVOKED_BECAUSE[revocation]}.`, evidence: {} };
  const since = now - Math.max(...reports.map(({ lastSeen }) => fromTimestamp(lastSeen)));
  return {
    sentence: `${REVOKED_BECAUSE[revocation]} ${ago(since)}.`,
    evidence: { reports: reports.length, daysSince: days(since) },
  };
}

/**
 * Several people use one key: at least five different machines were refused within a day, which opened a violation of
 * severity 2, and its evidence names more machines than the license has slots.
 */
function sharedKey({ license, detected, now }: CaseFacts): Finding | null {
  const violation = detected.find(({ type }) => type === 'machine_limit');
  if (violation === undefined || violation.severity < SHARED_SEVERITY) return null;
  const machines = machinesNamedIn(violation.evidence);
  const limit = slotLimit(license);
  if (limit === UNLIMITED_MACHINES || machines.length < machinesOfSharing(limit)) return null;
  const names = new Set(machines.flatMap(({ hostname }) => hostname?.toLowerCase() ?? []));
  const seen = machines.map(({ lastSeen }) => fromTimestamp(lastSeen));
  const withinHours = Math.max(1, Math.ceil((Math.max(...seen) - Math.min(...seen)) / HOUR_MS));
  const countries = countriesOfDay(license, now);
  const isOneName = names.size === 1 && machines.every(({ hostname }) => hostname !== undefined);
  return {
    sentence:
      `${machines.length} different machines without a slot were refused within ${counted(withinHours, 'hour')}; the ` +
      `license is for ${counted(limit, countsSessions(license.licenseType) ? 'session' : 'machine')}.` +
      (isOneName ? ' All of them have one name, so it may be one computer that looks new each time.' : '') +
      (countries > 1 ? ` Machines of the license called from ${countries} countries within the last day.` : ''),
    evidence: {
      machines: machines.length,
      names: names.size,
      withinHours,
      refusals: violation.occurrences,
      ...(countries > 0 ? { countries } : {}),
      ...slots(license),
    },
  };
}

/** The sentence of the deciding check if it has this outcome. */
function refusedFor(outcome: CheckOutcome, facts: CaseFacts): Finding | null {
  const check = decidingCheck(facts);
  return check?.outcome === outcome ? { sentence: check.sentence, evidence: {} } : null;
}

/** The number of refused machines from which a key counts as shared: five, and more than the license has slots. */
function machinesOfSharing(limit: number): number {
  return Math.max(MACHINES_OF_A_SHARED_KEY, Math.min(limit + 1, MACHINES_IN_EVIDENCE));
}

function countriesOfDay({ countriesSeen }: License, now: number): number {
  return Object.values(countriesSeen).filter((at) => fromTimestamp(at) > now - DAY_MS).length;
}

function wrongProduct(facts: CaseFacts): Finding | null {
  const { license, asked, lastRefusals } = facts;
  const productId = refusedProduct(facts);
  if (productId === null) return null;
  const refusals = lastRefusals
    .filter(({ code, details }) => code === 'wrong_product' && details?.productId === productId)
    .reduce((sum, { count }) => sum + count, 0);
  const isPresent = productId === asked.productId;
  return {
    sentence: `${isPresent ? 'The app asks' : 'An app asked'} for ${quoted(productId)}, and the license is for ${quoted(license.productId)}.`,
    evidence: refusals === 0 ? {} : { refusals },
  };
}

/** The product that an app is refused for now, or that it was refused for last if it works otherwise; else null. */
function refusedProduct(facts: CaseFacts): string | null {
  const deciding = decidingCheck(facts);
  if (deciding !== null) return deciding.outcome === 'wrong_product' ? facts.asked.productId : null;
  const { license, now } = facts;
  const last = lastRefusal(facts);
  const productId = last?.code === 'wrong_product' ? last.details?.productId : undefined;
  if (last === undefined || typeof productId !== 'string') return null;
  const isCovered = productId === license.productId || license.unlockedProducts.includes(productId);
  return isCovered || fromTimestamp(last.lastAt) <= now - LATELY_MS ? null : productId;
}

/** The last refusal of the machine, or of an app that named no machine. */
function lastRefusal({ lastRefusals, asked }: CaseFacts): KeptRefusal | undefined {
  return lastRefusals
    .filter(({ fingerprint }) => fingerprint === null || fingerprint === asked.fingerprint)
    .toSorted((one, other) => (one.lastAt < other.lastAt ? 1 : -1))[0];
}

function expired(facts: CaseFacts): Finding | null {
  if (decidingCheck(facts)?.outcome !== 'license_expired') return null;
  const { license, otherLicenses, now } = facts;
  const since = now - fromTimestamp(license.expiresAt as string);
  const others = otherLicenses === 0 ? 'no other active license' : counted(otherLicenses, 'other active license');
  return {
    sentence: `The license expired ${ago(since)}. The customer has ${others} for the product.`,
    evidence: { daysSince: days(since), otherLicenses },
  };
}

function attemptsUsedUp(facts: CaseFacts): Finding | null {
  const deciding = decidingCheck(facts);
  if (deciding?.outcome !== 'activation_rate') return null;
  const attempts = deciding.because?.attempts ?? 0;
  const machines = machinesOfRefusedAttempts(facts);
  const from =
    machines === 0
      ? ''
      : machines === 1
        ? ' The refused attempts on record are of one machine, as when an app activates at each start.'
        : ` The refused attempts on record are of ${machines} machines.`;
  const runs = isRunning(facts) ? 'The machine has a slot and runs; only another activation is refused. ' : '';
  return {
    sentence: `${runs}Activation was tried ${counted(attempts, 'time')} within the last hour.${from}`,
    evidence: { attempts, ...(machines === 0 ? {} : { machines }) },
  };
}

/** Whether the app on the machine starts and keeps running. */
function isRunning({ machine, checks }: CaseFacts): boolean {
  return machine !== undefined && checks.some(({ endpoint, outcome }) => endpoint === '/validate' && outcome === 'ok');
}

function machinesOfRefusedAttempts({ detected, now }: CaseFacts): number {
  const violation = detected.find(({ type }) => type === 'activation_rate');
  const machines = violation === undefined ? [] : machinesNamedIn(violation.evidence);
  return machines.filter(({ lastSeen }) => fromTimestamp(lastSeen) > now - HOUR_MS).length;
}

/** The user of the call has too many machines; slots may be free. */
function userHasMachines(facts: CaseFacts): Finding | null {
  const check = decidingCheck(facts);
  if (check?.outcome !== 'machine_limit' || check.because?.user === undefined) return null;
  const { limit = 0, used = 0 } = check.because;
  return { sentence: check.sentence, evidence: { limit, used } };
}

/** Whether a slot is missing. */
function lacksSlot(facts: CaseFacts): boolean {
  return decidingCheck(facts)?.outcome === 'machine_limit';
}

function seatsInUse(facts: CaseFacts): Finding | null {
  const { license, slotHolders, now } = facts;
  if (!lacksSlot(facts) || !countsSessions(license.licenseType)) return null;
  const [longest] = slotHolders;
  const limit = slotLimit(license);
  const idle =
    longest === undefined ? '' : ` ${quoted(longest.hostname)} was idle longest: seen ${ago(idleMs(longest, now))}.`;
  return {
    sentence: `${limit === 1 ? 'The one seat is' : `All ${limit} seats are`} in use by running apps.${idle}`,
    evidence: slots(license),
  };
}

function reinstalled(facts: CaseFacts): Finding | null {
  if (!lacksSlot(facts)) return null;
  const former = formerInstallation(facts);
  if (former === undefined) return null;
  const idle = idleMs(former, facts.now);
  return {
    sentence:
      `A machine of the same name, ${quoted(former.hostname)}, has a slot. It was last seen ${ago(idle)}, before the ` +
      'first known refusal of this one.',
    evidence: { ...slots(facts.license), idleDays: days(idle) },
  };
}

function deadMachine(facts: CaseFacts): Finding | null {
  if (!lacksSlot(facts)) return null;
  const dead = deadHolder(facts);
  if (dead === undefined) return null;
  const idle = idleMs(dead, facts.now);
  return {
    sentence: `${quoted(dead.hostname)} has a slot and was last seen ${ago(idle)}.`,
    evidence: { ...slots(facts.license), idleDays: days(idle) },
  };
}

function newComputer(facts: CaseFacts): Finding | null {
  if (!lacksSlot(facts)) return null;
  const { license, slotHolders, offline, now } = facts;
  const [longest] = slotHolders.filter(({ fingerprint }) => !offline.includes(fingerprint));
  const limit = slotLimit(license);
  const idle =
    longest === undefined
      ? ''
      : ` The machine not seen for longest is ${quoted(longest.hostname)}: ${ago(idleMs(longest, now))}.`;
  return {
    sentence: `${limit === 1 ? 'The one slot is' : `All ${limit} slots are`} taken.${idle}`,
    evidence: { ...slots(license), ...(longest === undefined ? {} : { idleDays: days(idleMs(longest, now)) }) },
  };
}

function activateAgain(facts: CaseFacts): Finding | null {
  const { machine, now } = facts;
  if (decidingCheck(facts) === null) return null;
  if (machine === undefined) return { sentence: 'The app has to activate.', evidence: {} };
  const idle = idleMs(machine, now);
  return {
    sentence: `The machine has a slot and was last seen ${ago(idle)}. Its app has to activate again, which takes no further slot.`,
    evidence: { idleDays: days(idle) },
  };
}

/**
 * The slot holder that is freed first: the former installation of the refused machine, else a dead machine; undefined
 * if there is neither.
 */
export function machineInTheWay(facts: KnownFacts): Activation | undefined {
  if (countsSessions(facts.license.licenseType)) return undefined;
  return formerInstallation(facts) ?? deadHolder(facts);
}

/** A slot holder with the name of the refused machine that was not seen since that is refused. */
function formerInstallation(facts: KnownFacts): Activation | undefined {
  const { asked, slotHolders, offline } = facts;
  const refusedSince = firstKnownRefusal(facts);
  const name = asked.hostname?.trim().toLowerCase();
  if (refusedSince === null || name === undefined || name === '') return undefined;
  return slotHolders.find(
    ({ fingerprint, hostname, lastSeen }) =>
      fingerprint !== asked.fingerprint &&
      !offline.includes(fingerprint) &&
      hostname.trim().toLowerCase() === name &&
      lastSeen <= refusedSince,
  );
}

/** When the machine was first refused for want of a slot, as far as known; null if it is not known to be refused. */
function firstKnownRefusal({ asked, lastRefusals, detected }: KnownFacts): string | null {
  const isAsked = ({ fingerprint }: { readonly fingerprint: string | null }) => fingerprint === asked.fingerprint;
  const kept = lastRefusals
    .filter((each) => each.code === 'machine_limit' && isAsked(each))
    .map(({ firstAt }) => firstAt);
  const seen = detected
    .filter(({ type }: Violation) => type === 'machine_limit')
    .flatMap(({ evidence }) => machinesNamedIn(evidence).filter(({ hash }) => hash === undefined))
    .filter(isAsked)
    .map(({ lastSeen }) => lastSeen);
  return [...kept, ...seen].sort()[0] ?? null;
}

/** The slot holder idle longest, if it is taken for dead. One with an offline file may be in use without a call. */
function deadHolder({ slotHolders, offline, now }: KnownFacts): Activation | undefined {
  return slotHolders.find(
    (holder) => !offline.includes(holder.fingerprint) && idleMs(holder, now) >= DEAD_AFTER_DAYS * DAY_MS,
  );
}

function idleMs({ lastSeen }: Activation, now: number): number {
  return now - fromTimestamp(lastSeen);
}

function slots(license: License): Pick<Finding['evidence'], 'limit' | 'used'> {
  return { limit: slotLimit(license), used: slotsUsed(license) };
}

/** Full days of a span; 0 if a clock was set back. */
function days(milliseconds: number): number {
  return Math.max(0, Math.floor(milliseconds / DAY_MS));
}
