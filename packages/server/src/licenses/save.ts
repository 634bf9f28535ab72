/**
 * The one place where licenses, their machines and their violations are written. Whatever decides on a license hands
 * over what it was and what it is to be; this writes what differs, tells the cache of licenses once it is committed,
 * and hands every change to the recorder (events/record.ts).
 *
 * Signs of life, activation attempts and the countries of the last day are written, too, but are no changes to record.
 */
import type { Change, Origin } from '../events/event.ts';
import { recordChanges } from '../events/record.ts';
import type { Tx } from '../storage/storage.ts';
import type { MachineChanges } from './activation.ts';
import {
  deleteAllMachines,
  deleteMachines,
  endAllSessions,
  insertMachines,
  touchMachines,
  updateMachines,
} from './activation-store.ts';
import type { License, UsedLicense } from './license.ts';
import { updateLicensesUse } from './license-set-store.ts';
import { insertLicenses, updateEmails, updateLicenses } from './store.ts';
import type { Violation } from './violation.ts';
import { addToViolations, insertViolations, resolveViolations } from './violation-store.ts';

/** What happened to a license: an entry of its events, without what all entries of one license share. */
export interface LicenseEntry extends Pick<Change, 'type' | 'subject' | 'before' | 'after'> {
  readonly origin: Origin;
  /** From mintEventId, where a reply names the event. */
  readonly eventId?: string;
}

/** What is to be written of a license: the license itself, ... */
type LicenseWrite =
  | { readonly kind: 'new'; readonly license: License }
  | { readonly kind: 'changed'; readonly license: License }
  /** Only what the calls of machines change; `isVisible` where /verify would answer otherwise than before. */
  | { readonly kind: 'used'; readonly license: UsedLicense; readonly isVisible: boolean }
  /** Only the e-mail address. */
  | { readonly kind: 'readdressed'; readonly license: License }
  /** Nothing of the license's own row but the count of its events. */
  | { readonly kind: 'unchanged'; readonly license: UsedLicense };

/** ... its machines, its violations, and what is recorded of it. */
export type LicenseSave = LicenseWrite & {
  readonly machines?: MachineChanges | 'unbind all' | 'end all sessions';
  /** Violations that are new. */
  readonly opened?: readonly Violation[];
  /** Violations in which more was gathered; `occurrences` are those to add. */
  readonly grown?: readonly Violation[];
  /** Identifiers of violations that are resolved now. */
  readonly resolved?: readonly string[];
  readonly entries: readonly LicenseEntry[];
};

/** Writes and records what was decided on locked or new licenses. `now` is the moment of the decision, milliseconds. */
export async function saveLicenses(tx: Tx, saves: readonly LicenseSave[], now: number): Promise<void> {
  // Statements that travel together keep their order. A machine unbound and bound anew is deleted first.
  await Promise.all([
    ...machineWrites(tx, saves),
    ...violationWrites(tx, saves, now),
    ...licenseWrites(tx, saves, now),
    recordChanges(tx, saves.flatMap(recordedOf)),
  ]);
  for (const save of saves) {
    const isForgotten = save.kind === 'used' ? save.isVisible : save.kind !== 'unchanged';
    if (isForgotten) tx.markChanged(save.license.licenseKey);
  }
}

function* licenseWrites(tx: Tx, saves: readonly LicenseSave[], now: number): Generator<Promise<void>> {
  const added = saves.flatMap((save) => (save.kind === 'new' ? [counted(save.license, save)] : []));
  const changed = saves.flatMap((save) => (save.kind === 'changed' ? [counted(save.license, save)] : []));
  const readdressed = saves.flatMap((save) => (save.kind === 'readdressed' ? [counted(save.license, save)] : []));
  const used = saves.flatMap((save) =>
    save.kind === 'used' || (save.kind === 'unchanged' && save.entries.length > 0) ? [counted(save.license, save)] : [],
  );
  if (added.length > 0) yield insertLicenses(tx, added, now);
  if (changed.length > 0) yield updateLicenses(tx, changed, now);
  if (readdressed.length > 0) yield updateEmails(tx, readdressed, now);
  if (used.length > 0) yield updateLicensesUse(tx, used);
}

function* machineWrites(tx: Tx, saves: readonly LicenseSave[]): Generator<Promise<void>> {
  const changes = saves.flatMap(({ machines }) => (typeof machines === 'object' ? [machines] : []));
  const deleted = changes.flatMap((change) => change.deleted);
  const touched = changes.flatMap((change) => change.touched);
  const updated = changes.flatMap((change) => change.updated);
  const inserted = changes.flatMap((change) => change.inserted);
  if (deleted.length > 0) yield deleteMachines(tx, deleted);
  if (touched.length > 0) yield touchMachines(tx, touched);
  if (updated.length > 0) yield updateMachines(tx, updated);
  if (inserted.length > 0) yield insertMachines(tx, inserted);
  for (const { license, machines } of saves) {
    if (machines === 'unbind all') yield deleteAllMachines(tx, license.licenseKey);
    if (machines === 'end all sessions') yield endAllSessions(tx, license.licenseKey);
  }
}

function* violationWrites(tx: Tx, saves: readonly LicenseSave[], now: number): Generator<Promise<void>> {
  const opened = saves.flatMap((save) => save.opened ?? []);
  const grown = saves.flatMap((save) => save.grown ?? []);
  if (opened.length > 0) yield insertViolations(tx, opened);
  if (grown.length > 0) yield addToViolations(tx, grown);
  for (const { license, resolved = [] } of saves)
    if (resolved.length > 0) yield resolveViolations(tx, license.licenseKey, resolved, now);
}

/** The license with its count of recorded changes moved on. */
function counted<Saved extends UsedLicense>(license: Saved, { entries }: LicenseSave): Saved {
  return entries.length === 0 ? license : { ...license, eventCount: license.eventCount + entries.length };
}

function recordedOf({ license, entries }: LicenseSave) {
  const { licenseKey, productId, eventCount } = license;
  return entries.map((entry, index) => ({ ...entry, licenseKey, productId, licenseNumber: eventCount + index + 1 }));
}
