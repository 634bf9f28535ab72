/**
 * The only writer of licenses, their machines and their violations. A caller that decides on a license passes its state
 * before and after; this module writes the difference, updates the license cache after the commit, and sends every
 * change to the recorder (platform/events/record.ts).
 *
 * Signs of life, activation attempts and the countries of the last day are written but not recorded as changes.
 */

import { mintEventId, type Recorded } from '../../platform/events/event.ts';
import { recording } from '../../platform/events/record.ts';
import type { RecordedTx } from '../../storage/contract/recorded.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { requireUnchanged } from '../../storage/contract/table.ts';
import type { Activation } from '../machines/activation.ts';
import {
  deleteAllMachines,
  deleteMachines,
  endAllSessions,
  insertMachines,
  touchMachines,
  touchMachinesLast,
  updateMachines,
} from '../machines/activation-store.ts';
import { deleteSessionPools, insertSessionPools } from '../machines/session-pool-store.ts';
import { moveMeterUses } from '../meters/store.ts';
import { changedLicenses } from '../products/changed-licenses.ts';
import { addToViolations, insertViolations, resolveViolations } from '../violations/violation-store.ts';
import type { License, UsedLicense } from './license.ts';
import type { LicenseSave } from './license-save.ts';
import { beginLicenses, updateLicensesUse } from './license-set-store.ts';
import { UNWRITTEN_FIELDS } from './license-table.ts';
import { indexMetadata } from './metadata-store.ts';
import { keptTerms } from './meters.ts';
import { insertLicenses, updateEmails, updateLicenses } from './store.ts';
import { userWrites, userWritesBefore } from './user-writes.ts';

/**
 * Writes and records decisions on locked or new licenses.
 *
 * @param now time of the decision in milliseconds
 * @param options `isLast`: nothing follows in the transaction
 * @throws when a decision changes a field that its kind of write leaves out
 */
export async function saveLicenses(
  tx: Tx,
  decided: readonly LicenseSave[],
  now: number,
  { isLast = false }: { readonly isLast?: boolean } = {},
): Promise<void> {
  const touched = isLast ? signsOfLife(decided) : null;
  if (touched !== null) return touchMachinesLast(tx, touched);
  const changes: Recorded[] = [];
  for (const save of decided) requireWritten(save);
  const saves = decided.map((save) => counted(save, changes));
  // Statements sent together keep their order. A machine unbound and bound again is deleted first.
  await recording(tx, changes, (tx) =>
    Promise.all([
      ...userWritesBefore(tx, saves),
      ...machineWrites(tx, saves),
      ...userWrites(tx, saves, now),
      ...violationWrites(tx, saves, now),
      ...licenseWrites(tx, saves, now),
      ...metadataWrites(tx, saves),
      ...poolWrites(tx, saves),
      ...termWrites(tx, saves),
    ]),
  );
  for (const save of saves) {
    const isForgotten = save.kind === 'used' ? save.isVisible : save.kind !== 'unchanged';
    if (isForgotten) tx.publish(changedLicenses, save.license.licenseKey);
  }
}

/** The machines with signs of life, if the decisions are nothing else; null otherwise. */
function signsOfLife(decided: readonly LicenseSave[]): Activation[] | null {
  const all: Activation[] = [];
  for (const { kind, machines, opened, repeated, resolved, entries } of decided) {
    if (kind !== 'unchanged' || typeof machines !== 'object' || entries.length > 0) return null;
    if (opened?.length || repeated?.length || resolved?.length) return null;
    const { inserted, touched, updated, deleted } = machines;
    if (inserted.length + updated.length + deleted.length > 0) return null;
    all.push(...touched);
  }
  return all.length === 0 ? null : all;
}

function requireWritten(save: LicenseSave): void {
  const { kind } = save;
  if (kind !== 'new' && kind !== 'unchanged')
    requireUnchanged('license', save.before, save.license, UNWRITTEN_FIELDS[kind]);
}

function* licenseWrites(tx: RecordedTx, saves: readonly LicenseSave[], now: number): Generator<Promise<void>> {
  const added: License[] = [];
  const changed: License[] = [];
  const readdressed: License[] = [];
  const used: UsedLicense[] = [];
  const begun: UsedLicense[] = [];
  for (const save of saves)
    if (save.kind === 'new') added.push(save.license);
    else if (save.kind === 'changed') changed.push(save.license);
    else if (save.kind === 'readdressed') readdressed.push(save.license);
    else if (save.kind === 'begun') begun.push(save.license);
    else if (save.kind === 'used' || save.entries.length > 0) used.push(save.license);
  if (added.length > 0) yield insertLicenses(tx, added, now);
  if (changed.length > 0) yield updateLicenses(tx, changed, now);
  if (readdressed.length > 0) yield updateEmails(tx, readdressed, now);
  if (used.length > 0) yield updateLicensesUse(tx, used);
  if (begun.length > 0) yield beginLicenses(tx, begun);
}

/** Writes the index of metadata for licenses whose metadata changed. */
function* metadataWrites(tx: Tx, saves: readonly LicenseSave[]): Generator<Promise<unknown>> {
  const added = saves.flatMap((save) => (save.kind === 'new' && save.license.metadata !== null ? [save.license] : []));
  const changed = saves.flatMap((save) =>
    save.kind === 'changed' && save.license.metadata !== save.before.metadata ? [save.license] : [],
  );
  yield* indexMetadata(tx, added, true);
  yield* indexMetadata(tx, changed, false);
}

/** Keeps the uses of terms whose end moved without a renewal. */
function* termWrites(tx: Tx, saves: readonly LicenseSave[]): Generator<Promise<void>> {
  for (const save of saves) {
    if (
      (save.kind !== 'changed' && save.kind !== 'begun') ||
      save.entries.some(({ type }) => type === 'license.renewed')
    )
      continue;
    const kept = keptTerms(save.before, save.license);
    if (kept !== null) yield moveMeterUses(tx, kept);
  }
}

/**
 * Writes pool rows only when a license starts or stops holding sessions, which is rarer than a change of their number.
 */
function* poolWrites(tx: Tx, saves: readonly LicenseSave[]): Generator<Promise<void>> {
  const held = (save: LicenseSave) => (save.kind === 'new' ? save.license : (save.before ?? save.license)).sessionsHeld;
  const begun = saves.filter((save) => held(save) === 0 && save.license.sessionsHeld > 0);
  const ended = saves.filter((save) => held(save) > 0 && save.license.sessionsHeld === 0);
  if (begun.length > 0)
    yield insertSessionPools(
      tx,
      begun.map(({ license }) => license),
    );
  if (ended.length > 0)
    yield deleteSessionPools(
      tx,
      ended.map(({ license }) => license.licenseKey),
    );
}

function* machineWrites(tx: RecordedTx, saves: readonly LicenseSave[]): Generator<Promise<void>> {
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

function* violationWrites(tx: RecordedTx, saves: readonly LicenseSave[], now: number): Generator<Promise<void>> {
  const opened = saves.flatMap((save) => save.opened ?? []);
  const repeated = saves.flatMap((save) => save.repeated ?? []);
  if (opened.length > 0) yield insertViolations(tx, opened);
  if (repeated.length > 0) yield addToViolations(tx, repeated);
  for (const { license, resolved = [] } of saves)
    if (resolved.length > 0) yield resolveViolations(tx, license.licenseKey, resolved, now);
}

/**
 * Increments the license's count of recorded changes and appends those changes to `changes`, each linked to the
 * previous one.
 */
function counted(save: LicenseSave, changes: Recorded[]): LicenseSave {
  const { license, entries } = save;
  if (entries.length === 0) return save;
  const { licenseKey, productId } = license;
  let { eventCount, lastEventId } = license;
  for (const { type, subject, before, after, origin, eventId = mintEventId(origin.now) } of entries) {
    eventCount += 1;
    const about = { licenseKey, productId, licenseNumber: eventCount, previousEventId: lastEventId };
    changes.push({ ...about, eventId, type, subject, before, after, origin });
    lastEventId = eventId;
  }
  return { ...save, license: { ...license, eventCount, lastEventId } } as LicenseSave;
}
