/**
 * The closed list of the facts of events. A personal fact is sent only to destinations with `includePersonalData`. A
 * fact that is not in the list counts as personal, and a test fails for it.
 */
import type { Facts } from '../../platform/events/event.ts';
import type { EventType } from '../../platform/events/event-types.ts';

type Kind = 'plain' | 'personal';
const plain = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'plain' as Kind]));
const personal = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'personal' as Kind]));

/** The terms that variants and licenses have in common (rules 14.1). */
const TERMS = ['maxVersion', 'releaseIdleDays', 'features'];

/** The facts of each group of types. The group is the part of a type before the dot. */
const FACTS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  license: {
    ...plain(
      'productId',
      'variant',
      'licenseType',
      'status',
      'maxMachines',
      'maxConcurrent',
      'createdAt',
      'purchasedAt',
    ),
    ...plain('expiresAt', 'discountCode', 'purchaseId', 'bundleId', 'unlockedProducts', 'disputeReason', 'revocation'),
    ...plain('machinesUsed', 'attempts', 'reason', 'durationDays', 'durationMonths', 'daysRemaining'),
    ...plain('graceDays', 'updatesUntil', ...TERMS),
    ...personal('email', 'text', 'by', 'at'),
  },
  activation: {
    ...plain('fingerprint', 'machinesUsed', 'firstSeen', 'lastSeen', 'sessionActive'),
    ...personal('hostname', 'country', 'countries'),
  },
  activations: plain('machinesUsed', 'attempts', 'violations', 'sessionsHeld'),
  session: plain('fingerprint', 'sessionActive'),
  license_file: { ...plain('fileId', 'fingerprint', 'expiresAt'), ...personal('hostname') },
  customer_link: plain('expiresAt', 'creatorId'),
  brand: { ...plain('name', 'supportUrl', 'accent', 'logoBytes', 'logoSha256'), ...personal('supportAddress') },
  reply_template: { ...plain('name', 'verdict'), ...personal('text') },
  violation: plain('type', 'severity', 'threatLevel', 'resolvedAt'),
  product: plain('name', 'creatorId', 'status'),
  variant: {
    ...plain('name', 'licenseType', 'maxMachines', 'maxConcurrent', 'defaultTrialDays', 'durationDays', 'price'),
    ...plain('active', 'floatingLimit', 'durationMonths', 'graceDays', 'durationStarts', 'updatesDays', ...TERMS),
    ...plain('unlockedProducts'),
  },
  discount_code: plain('code', 'trialDays', 'maxUses', 'usedCount', 'active', 'expiresAt', 'redeemedAt'),
  api_key: { ...plain('active', 'creatorId', 'revoked'), ...personal('name') },
  operator_key: { ...plain('active', 'role'), ...personal('name') },
  token_key: plain('keyId'),
  console_session: { ...plain('kind', 'role', 'isKept', 'count', 'lastAt'), ...personal('name') },
  studio_order: { ...plain('courseId', 'seatCount', 'redeemedCount'), ...personal('buyerEmail') },
  studio_seat: { ...plain('redeemedCount', 'seatNumber'), ...personal('redeemedBy') },
  customer: {
    ...plain('pseudonym', 'licenses', 'events', 'machines', 'violations', 'refusals', 'licenseFiles', 'redemptions'),
    ...plain('orders', 'seats', 'storefrontEvents', 'mails'),
  },
  destination: {
    ...plain('origin', 'types', 'productIds', 'includeLicenseKeys', 'includePersonalData', 'requestsPerSecond'),
    ...plain('state', 'reason', 'failingSince', 'previousEndsAt', 'position', 'from'),
    ...personal('description'),
  },
};

/** Returns whether the closed list contains a fact. */
export function isClassified(type: EventType, fact: string): boolean {
  return FACTS[groupOf(type)]?.[fact] !== undefined;
}

/** The facts that may be sent. */
export function sentFacts(type: EventType, facts: Facts | null, includePersonalData: boolean): Facts | null {
  if (facts === null || includePersonalData) return facts;
  const known = FACTS[groupOf(type)] ?? {};
  return Object.fromEntries(Object.entries(facts).filter(([name]) => known[name] === 'plain'));
}

/** Returns the subject if it may be sent. The subject of `license.email_changed` is an email address. */
export function sentSubject(type: EventType, subject: string | null, includePersonalData: boolean): string | null {
  return type === 'license.email_changed' && !includePersonalData ? null : subject;
}

function groupOf(type: EventType): string {
  return type.slice(0, type.indexOf('.'));
}
