/**
 * The closed list of the facts of events. A fact that is not in the list counts as personal, and a test fails for it.
 */
import type { EventType } from './event-types.ts';

/** A personal fact is sent only to destinations with `includePersonalData`. */
export type FactKind = 'plain' | 'personal';
const plain = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'plain' as FactKind]));
const personal = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'personal' as FactKind]));

/** The terms that variants and licenses have in common (rules 14.1). */
const TERMS = [
  ...['maxVersion', 'releaseIdleDays', 'maxUsers', 'maxMachinesPerUser', 'usersFloat'],
  ...['features', 'meters'],
];

/** The part of a type before the dot. */
type Group<Type extends string = EventType> = Type extends `${infer Name}.${string}` ? Name : never;

/** The facts of each group of types. */
const FACTS: Readonly<Record<Group, Readonly<Record<string, FactKind>>>> = {
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
    ...plain('graceDays', 'updatesUntil', 'waiting', 'replaces', 'replacedBy', 'noteId', ...TERMS),
    ...personal('email', 'text', 'by', 'at', 'metadata'),
  },
  activation: {
    ...plain('fingerprint', 'machinesUsed', 'firstSeen', 'lastSeen', 'sessionActive'),
    ...personal('hostname', 'country', 'countries', 'user'),
  },
  user: { ...plain('machines', 'machinesUsed', 'since'), ...personal('user') },
  usage: plain('meter', 'used', 'limit', 'resetsAt'),
  activations: plain('machinesUsed', 'attempts', 'violations', 'sessionsHeld'),
  session: plain('fingerprint', 'sessionActive'),
  license_file: { ...plain('fileId', 'fingerprint', 'expiresAt'), ...personal('hostname') },
  customer_link: plain('expiresAt', 'creatorId'),
  brand: {
    ...plain('name', 'supportUrl', 'accent', 'logoBytes', 'logoSha256', 'linkedProducts', 'productLinksSha256'),
    ...plain('allowsNewKeys'),
    ...personal('supportAddress'),
  },
  mail_template: { ...plain('kind', 'language', 'productId'), ...personal('subject', 'text') },
  reply_template: { ...plain('name', 'verdict'), ...personal('text') },
  violation: plain('type', 'severity', 'threatLevel', 'resolvedAt'),
  product: plain('name', 'creatorId', 'status'),
  variant: {
    ...plain('name', 'licenseType', 'maxMachines', 'maxConcurrent', 'defaultTrialDays', 'durationDays', 'price'),
    ...plain('active', 'floatingLimit', 'durationMonths', 'durationStarts', 'graceDays', 'updatesDays', ...TERMS),
    ...plain('unlockedProducts', 'quantity', 'trialWithoutKey'),
  },
  discount_code: plain('code', 'trialDays', 'maxUses', 'usedCount', 'active', 'expiresAt', 'redeemedAt'),
  api_key: { ...plain('active', 'creatorId', 'revoked'), ...personal('name') },
  operator_key: { ...plain('active', 'role', 'expiresAt'), ...personal('name') },
  token_key: plain('keyId'),
  console_session: { ...plain('kind', 'role', 'isKept', 'count', 'lastAt', 'reason'), ...personal('name') },
  studio_order: { ...plain('courseId', 'seatCount', 'redeemedCount'), ...personal('buyerEmail') },
  studio_seat: { ...plain('redeemedCount', 'seatNumber'), ...personal('redeemedBy') },
  connector: {
    ...plain('source', 'name', 'mode', 'state', 'prefix', 'secretHints', 'apiKeyHint', 'mappings'),
    // The addresses that are notified.
    ...personal('settings'),
  },
  customer: {
    ...plain(
      'pseudonym',
      'licenses',
      'events',
      'machines',
      'users',
      'violations',
      'refusals',
      'licenseFiles',
      'redemptions',
    ),
    ...plain('orders', 'seats', 'storefrontEvents', 'shopSales', 'mails'),
  },
  destination: {
    ...plain('origin', 'types', 'productIds', 'includeLicenseKeys', 'includePersonalData', 'requestsPerSecond'),
    ...plain('state', 'reason', 'failingSince', 'previousEndsAt', 'position', 'from'),
    ...personal('description'),
  },
};

/** Returns the kind of a fact; undefined if the closed list does not contain it. */
export function kindOfFact(type: EventType, fact: string): FactKind | undefined {
  return FACTS[type.slice(0, type.indexOf('.')) as Group][fact];
}
