/** Undoes a change of a license or a reply template: the request that puts the former values in place again. Pure. */
import type { License, Path, ReplyTemplate, RequestOf, RevocationReason } from '../api/contract.ts';
import { type ConsoleSession, limitAt } from '../api/session.ts';
import { shortKey } from '../parts/key-text.ts';

/** A request that undoes a change. The service refuses it if somebody has changed the same values since. */
export interface Undoing {
  readonly path: Path;
  readonly request: RequestOf<Path>;
  /** The effect beyond the former values, as a sentence without its full stop; null without one. */
  readonly effect: string | null;
  /** A part of the thing that is not put back, as a sentence; absent without one. */
  readonly stays?: string;
  /** The message after the success. */
  readonly done: string;
}

/** The fields that a request can put back. Each has a field that names the value to replace, as `wasExpiresAt`. */
const RESTORED = {
  '/updateLicense': [
    ...(['variant', 'licenseType', 'maxMachines', 'maxConcurrent', 'expiresAt', 'unlockedProducts'] as const),
    ...(['graceDays', 'updatesUntil', 'maxVersion', 'releaseIdleDays'] as const),
    ...(['maxUsers', 'maxMachinesPerUser', 'usersFloat', 'features', 'meters', 'metadata'] as const),
  ],
  '/updateProduct': ['name', 'status', 'creatorId'],
  '/updateVariant': [
    ...(['maxMachines', 'maxConcurrent', 'defaultTrialDays', 'durationDays', 'price', 'active'] as const),
    ...(['durationMonths', 'durationStarts', 'graceDays', 'updatesDays', 'maxVersion', 'releaseIdleDays'] as const),
    ...(['maxUsers', 'maxMachinesPerUser', 'usersFloat', 'unlockedProducts', 'quantity'] as const),
    ...(['trialWithoutKey', 'features', 'meters'] as const),
  ],
  '/updateDiscountCode': ['active', 'maxUses', 'expiresAt'],
} as const satisfies { readonly [At in Path]?: readonly (keyof RequestOf<At>)[] };
type Updating = keyof typeof RESTORED;

/** Fields that follow from the other fields. */
const DERIVED: { readonly [At in Updating]?: string } = { '/updateLicense': 'status' };
/** A field that a request cannot make null again. */
const NEVER_EMPTIED: { readonly [At in Updating]?: string } = { '/updateLicense': 'maxConcurrent' };

/** Fields of a thing with their values. */
export type Facts = Readonly<Record<string, unknown>>;

/** Records that a request merges: it names the values to change, and null for those to take away. */
const MERGED: readonly string[] = ['metadata'];

/** `expiresAt` as `wasExpiresAt`. */
export const seenName = (field: string) => `was${field.charAt(0).toUpperCase()}${field.slice(1)}`;

/**
 * Undoes an update; null if no request restores the former values.
 *
 * @param named the fields of the request that name the changed thing
 * @param before the changed fields with their former values
 * @param after the changed fields with their new values
 * @param subject the changed thing within a sentence
 */
export function undoOfValues<At extends Updating>(
  path: At,
  named: Partial<RequestOf<At>>,
  before: Facts,
  after: Facts,
  subject: string,
): Undoing | null {
  // The seats of a license that is no longer floating count for nothing, so they may stay noted.
  const staysNoted = hadNoSeats(before, after);
  const names = Object.keys(after).filter(
    (name) => name !== DERIVED[path] && !(staysNoted && name === NEVER_EMPTIED[path]),
  );
  const restored: readonly string[] = RESTORED[path];
  const canRestore = (name: string) => restored.includes(name) && !(name === NEVER_EMPTIED[path] && !before[name]);
  if (names.length === 0 || !names.every(canRestore)) return null;
  const values = names.flatMap((name) => {
    const [former, present] = MERGED.includes(name) ? merging(before[name], after[name]) : [before[name], after[name]];
    return [
      [name, former ?? null],
      [seenName(name), present ?? null],
    ];
  });
  const request = { ...named, ...Object.fromEntries(values) } as RequestOf<Path>;
  const stays = [
    ...(staysNoted ? ['The number of seats stays noted and counts again if the license becomes floating.'] : []),
    ...(path === '/updateLicense' && lostSeats(before, after) ? ['Seats of users without a machine stay free.'] : []),
  ].join(' ');
  return {
    ...{ path, request, effect: null, done: `The change to ${subject} was undone.` },
    ...(stays === '' ? {} : { stays }),
  };
}

/** The names whose values differ in two records, with both values; null for one that a record lacks. */
function merging(former: unknown, present: unknown): readonly [Facts, Facts] {
  const [before, after] = [new Map(Object.entries(former ?? {})), new Map(Object.entries(present ?? {}))];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  const valuesIn = (record: ReadonlyMap<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, record.get(name) ?? null]));
  return [valuesIn(before), valuesIn(after)];
}

/** Whether a license lost its named users, and the seats with them. */
function lostSeats(before: Facts, after: Facts): boolean {
  return typeof before.maxUsers === 'number' && 'maxUsers' in after && !after.maxUsers;
}

/** Whether a license became floating, and got its first number of seats with that. */
function hadNoSeats(before: Facts, after: Facts): boolean {
  const isFirst = (before.maxConcurrent ?? null) === null && typeof after.maxConcurrent === 'number';
  return isFirst && after.licenseType === 'floating' && before.licenseType !== 'floating';
}

/** Undoes an update by the thing before it and the values that the request gave it. */
export function undoOfThing<At extends Updating, Thing extends object>(
  path: At,
  named: Partial<RequestOf<At>>,
  before: Thing,
  after: Partial<Thing>,
  subject: string,
): Undoing | null {
  const valueIn = (thing: object, name: string) => (thing as Facts)[name] ?? null;
  const differing = RESTORED[path].filter(
    (name) => name in after && JSON.stringify(valueIn(before, name)) !== JSON.stringify(valueIn(after, name)),
  );
  const only = (thing: object) => Object.fromEntries(differing.map((name) => [name, valueIn(thing, name)]));
  return undoOfValues(path, named, only(before), only(after), subject);
}

/**
 * The values that a request gave a thing, null for those that it cleared, which a reply may leave out. The reply may
 * also hold later changes by others.
 */
export function sentAmong<Thing extends object>(after: Thing, sent: object): Partial<Thing> {
  return Object.fromEntries(Object.keys(sent).map((name) => [name, (after as Facts)[name] ?? null])) as Partial<Thing>;
}

/** Undoes an update of a license. @param sent the request, whose fields alone are put back */
export function undoOfUpdate(before: License, after: License, sent: RequestOf<'/updateLicense'>): Undoing | null {
  // A time that waited for the first activation does not wait again.
  if (before.waiting && JSON.stringify(before.waiting) !== JSON.stringify(after.waiting)) return null;
  const { key: licenseKey, email } = after;
  const changes = sentAmong(withOwn(after, sent), sent);
  return undoOfThing('/updateLicense', { licenseKey }, withOwn(before, sent), changes, `the license of ${email}`);
}

/** A license with the features that it has itself, and the metadata that a request names. */
function withOwn(license: License, { metadata: sent }: RequestOf<'/updateLicense'>): License {
  const { ownFeatures = null, metadata = {} } = license;
  const named = Object.entries(metadata).filter(([name]) => Object.hasOwn(sent ?? {}, name));
  return {
    ...license,
    features: ownFeatures as NonNullable<License['features']> | null,
    metadata: Object.fromEntries(named),
  };
}

/** Ends the addresses that forgetting a customer leaves. */
const FORGOTTEN = '@invalid';

/** Undoes a new address of a license; null where the former one was forgotten. */
export function undoOfAddress(licenseKey: string, former: unknown, present: unknown): Undoing | null {
  if (typeof former !== 'string' || typeof present !== 'string' || former.endsWith(FORGOTTEN)) return null;
  return {
    path: '/changeEmail',
    request: { licenseKey, newEmail: former, wasEmail: present },
    effect: `The license gets the address ${former} again`,
    done: `The license ${shortKey(licenseKey)} has the address ${former} again.`,
  };
}

/** Every kind of revocation. */
export const REVOCATIONS: readonly unknown[] = ['plain', 'refund', 'fraud', 'chargeback'];

/** Undoes a revocation. @param revocation the reason, `plain` for none @param subject within a sentence */
export function undoOfRevocation(
  licenseKey: string,
  revocation: unknown,
  subject = `license ${shortKey(licenseKey)}`,
): Undoing | null {
  if (!REVOCATIONS.includes(revocation)) return null;
  return {
    path: '/reinstateLicense',
    request: { licenseKey, wasRevocation: revocation as RevocationReason | 'plain' },
    effect:
      'The license is reinstated, and its open violations of the highest level are resolved, which cannot be undone',
    done: `The ${subject} is reinstated.`,
  };
}

/** Undoes a change of a reply template. @param wasUpdatedAt the time of the change; null for a deletion */
export function undoOfTemplate(
  { templateId, creatorId, name, text, verdict }: Omit<ReplyTemplate, 'createdAt' | 'updatedAt'>,
  wasUpdatedAt: string | null,
): Undoing {
  const isBack = wasUpdatedAt === null;
  return {
    path: '/saveReplyTemplate',
    request: { templateId, ...(creatorId === null ? {} : { creatorId }), name, text, verdict, wasUpdatedAt },
    effect: isBack ? `The template "${name}" is made again, with the same text` : null,
    done: `The template "${name}" is ${isBack ? 'back' : 'as before'}.`,
  };
}

/** Whether a person may undo a change: a limited role may not put former values back, which can take away. */
export function mayUndo(session: Pick<ConsoleSession, 'can' | 'limits'>, { path }: Pick<Undoing, 'path'>): boolean {
  return session.can.includes(path) && limitAt(session, path) === undefined;
}
