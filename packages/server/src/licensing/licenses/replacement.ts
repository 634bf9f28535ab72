/**
 * Replaces the key of a license (rules 3.5): a license with a new key takes its place, with its terms, its purchase and
 * everything that its key led to. The old one stays as revoked, without rights of its own.
 */
import Type from 'typebox';
import { maskLicenseKey } from '../../ground/base/masked-key.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { difference, type Facts, type Origin } from '../../platform/events/event.ts';
import { factsOfImportedNote, type Note } from '../../platform/events/note.ts';
import { listNotesOfLicenses } from '../../platform/events/note-store.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { lockWholeLicenses } from './email-store.ts';
import { type License, mintLicenseKey, UNUSED } from './license.ts';
import type { LicenseSave } from './license-save.ts';
import type { MoveRows } from './moved-rows-store.ts';
import { saveLicenses } from './save.ts';
import { listWholeLicenses } from './store.ts';
import { licenseFacts } from './views.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface RuleContext {
    /** Moves the rows of a license to the key that replaces its own. */
    readonly moveRows: MoveRows;
  }
}

/** The further field of the refusal of a replaced license. */
export const successorFields = Type.Object({
  replacedBy: Type.String({ description: 'Key of the license that took its place.' }),
});

/** The refusal of a change of a replaced license, which names the one to change; null for any other license. */
export function refusalOfReplaced({
  replacedBy,
}: Pick<License, 'replacedBy'>): Refusal<'license_already_replaced'> | null {
  return replacedBy === null ? null : refuse('license_already_replaced', { extra: { replacedBy } });
}

/** The refusal to replace the key of a license; null if it may be replaced. */
export function refusalToReplace(
  license: License,
): Refusal<'license_already_replaced' | 'revoked_not_replaceable'> | null {
  return refusalOfReplaced(license) ?? (license.revocation === null ? null : refuse('revoked_not_replaceable'));
}

/** The license with the new key. It takes the place of the old one in every order, so it keeps `createdAt`. */
function successorOf(before: License, licenseKey: string): License {
  const { machinesUsed, sessionsHeld } = before;
  return { ...before, ...UNUSED, licenseKey, issuedKey: null, machinesUsed, sessionsHeld, replaces: before.licenseKey };
}

/** The writes and events of both licenses. */
function savesOf(
  before: License,
  after: License,
  notes: readonly Note[],
  reason: Facts,
  origin: Origin,
): readonly LicenseSave[] {
  const { now } = origin;
  const replaced: License = {
    ...before,
    ...{ revocation: 'replaced', replacedBy: after.licenseKey, machinesUsed: 0, sessionsHeld: 0 },
  };
  const changed = difference(licenseFacts(before, now), licenseFacts(replaced, now));
  const old = {
    type: 'license.replaced',
    subject: null,
    before: changed.before,
    after: { ...changed.after, replacedBy: maskLicenseKey(after.licenseKey), ...reason },
    origin,
  } as const;
  const facts = { ...licenseFacts(after, now), replaces: maskLicenseKey(before.licenseKey), ...reason };
  const fresh = { type: 'license.replaced', subject: null, before: null, after: facts, origin } as const;
  const noted = notes.map((note) => ({
    ...({ type: 'license.noted', subject: null, before: null, origin } as const),
    after: factsOfImportedNote(note),
  }));
  return [
    { kind: 'changed', before, license: replaced, entries: [old] },
    { kind: 'new', license: after, entries: [fresh, ...noted] },
  ];
}

/**
 * Gives a license another key. The lock of the license is held until the end of the transaction, so every call with the
 * old key is decided before or after all of this.
 *
 * @param before locked, and {@link refusalToReplace} has none
 * @param reason for the events
 * @returns the license with the new key
 */
export async function replaceKey(
  tx: Tx,
  origin: Origin,
  before: License,
  reason: string | undefined,
  moveRows: MoveRows,
): Promise<License> {
  const after = successorOf(before, mintLicenseKey());
  const notes: Note[] = [];
  for await (const found of listNotesOfLicenses(tx, [before])) notes.push(...found);
  await moveRows(tx, before.licenseKey, after.licenseKey);
  const text = reason === undefined ? {} : { text: reason };
  await saveLicenses(tx, savesOf(before, after, notes, text, origin), origin.now);
  return after;
}

/** The licenses in whose places a license stands, the latest first. */
async function predecessors(
  license: Pick<License, 'replaces'>,
  read: (licenseKey: string) => Promise<License | undefined>,
): Promise<readonly License[]> {
  const found: License[] = [];
  for (let key = license.replaces; key !== null; ) {
    const before = await read(key);
    if (before === undefined) break;
    found.push(before);
    key = before.replaces;
  }
  return found;
}

/** The licenses in whose places a license stands, unlocked, the latest first. */
export function listPredecessors(sql: Sql, license: Pick<License, 'replaces'>): Promise<readonly License[]> {
  return predecessors(license, async (licenseKey) => (await listWholeLicenses(sql, [licenseKey]))[0]);
}

/** The licenses in whose places a license stands, locked, the latest first. */
export function lockPredecessors(tx: Tx, license: Pick<License, 'replaces'>): Promise<readonly License[]> {
  return predecessors(license, async (licenseKey) => (await lockWholeLicenses(tx, [licenseKey]))[0]);
}

/** The keys in whose place others stand by now lead to those; further keys stay. */
function keysInForce(licenseKeys: readonly string[], found: readonly License[]): readonly string[] {
  const replacedBy = new Map(found.map((license) => [license.licenseKey, license.replacedBy]));
  return licenseKeys.map((licenseKey) => replacedBy.get(licenseKey) ?? licenseKey);
}

/** Licenses by their keys in this order, or the licenses that took their places. */
async function inForce(
  licenseKeys: readonly string[],
  read: (licenseKeys: readonly string[]) => Promise<readonly License[]>,
): Promise<readonly License[]> {
  for (let keys = licenseKeys; ; ) {
    const found = await read(keys);
    if (found.every(({ replacedBy }) => replacedBy === null)) {
      const byKey = new Map(found.map((license) => [license.licenseKey, license]));
      return keys.flatMap((licenseKey) => byKey.get(licenseKey) ?? []);
    }
    keys = keysInForce(keys, found);
  }
}

/** The licenses with these keys, or those that took their places, unlocked, in the order of the keys. */
export function listLicensesInForce(sql: Sql, licenseKeys: readonly string[]): Promise<readonly License[]> {
  return inForce(licenseKeys, (keys) => listWholeLicenses(sql, keys));
}

/** The licenses with these keys, or those that took their places, locked, in the order of the keys. */
export function lockLicensesInForce(tx: Tx, licenseKeys: readonly string[]): Promise<readonly License[]> {
  return inForce(licenseKeys, (keys) => lockWholeLicenses(tx, keys));
}

/** The key in whose name the license of a key works now. */
export async function findKeyInForce(sql: Sql, licenseKey: string): Promise<string> {
  const [license] = await listLicensesInForce(sql, [licenseKey]);
  return license?.licenseKey ?? licenseKey;
}
