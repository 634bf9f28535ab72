/**
 * Forgets the customer of one license in steps: its machines, its violations, its files, its events, and then its
 * address.
 */

import { foldEmail } from '../../ground/base/typed-text.ts';
import { listFilesAfter, renameFileMachines } from '../../licensing/license-files/store.ts';
import { lockWholeLicenses } from '../../licensing/licenses/email-store.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { isPseudonym, mintPseudonym } from '../../licensing/licenses/pseudonym.ts';
import { saveLicenses } from '../../licensing/licenses/save.ts';
import { listActivations, renameMachines } from '../../licensing/machines/activation-store.ts';
import { foldUser } from '../../licensing/machines/user.ts';
import { listUserNames, renameUser } from '../../licensing/machines/user-store.ts';
import { renameRefusedMachines } from '../../licensing/observed-calls/store.ts';
import { listViolationsAfter, rewriteEvidence } from '../../licensing/violations/violation-store.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import type { Origin } from '../../platform/events/event.ts';
import { listEventsOfFormerName, type RewritableEvent, rewriteEvents } from '../../platform/events/rewrite-store.ts';
import { followEvents } from '../../platform/events/scan-store.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { forgetReplies } from '../mail/store.ts';
import { forgetReleases } from '../self-service/release-store.ts';
import { FORGOTTEN_HOSTNAME, FORGOTTEN_USER, factsWithout, type Replacement, textWithout } from './address.ts';
import { BEGINNING, type Forgetting, type Progress, type Replaced } from './store.ts';

/** Data on licenses that this process has in memory and has not written yet. */
export type Memory = Pick<RuleContext, 'violationTally' | 'observedCalls'>;

/** The result of one step. */
export interface Step {
  /** Rows examined. */
  readonly looked: number;
  readonly replaced: Partial<Replaced>;
  readonly progress: Progress;
}

/** The result of examining some rows of a license. */
interface PartDone {
  readonly looked: number;
  readonly replaced: number;
  /** The last row examined. */
  readonly last: string | undefined;
}

type Part = (tx: Tx, licenseKey: string, after: string, most: number, replacement: Replacement) => Promise<PartDone>;

/**
 * Users are renamed before the events, which hold their names, too. Events come last, because changes made in the
 * meantime are written as events.
 */
const PARTS: Readonly<Record<Progress['part'], Part>> = {
  async machines(tx, licenseKey, after, most, replacement) {
    if (!replacement.replacesHostnames) return { looked: 0, replaced: 0, last: undefined };
    const found = await listActivations(tx, licenseKey, after, most);
    const named = found.filter(({ hostname }) => hostname !== FORGOTTEN_HOSTNAME);
    await renameMachines(
      tx,
      named.map(({ fingerprint }) => ({ licenseKey, fingerprint, hostname: FORGOTTEN_HOSTNAME })),
    );
    const users = found.flatMap(({ userFolded }) => userFolded ?? []);
    await forgetUsers(tx, licenseKey, users, replacement);
    return { looked: found.length, replaced: named.length, last: found.at(-1)?.fingerprint };
  },
  async users(tx, licenseKey, after, most, replacement) {
    const { address, replacesHostnames } = replacement;
    const found = replacesHostnames ? await listUserNames(tx, licenseKey, after, most) : [address];
    const replaced = await forgetUsers(tx, licenseKey, found, replacement);
    return replacesHostnames
      ? { looked: found.length, replaced, last: found.at(-1) }
      : { looked: 0, replaced, last: undefined };
  },
  async violations(tx, licenseKey, after, most, replacement) {
    const found = await listViolationsAfter(tx, licenseKey, after, most);
    const rewritten = found.flatMap(({ violationId, evidence }) => {
      const kept = factsWithout(evidence, replacement);
      return JSON.stringify(kept) === JSON.stringify(evidence) ? [] : [{ licenseKey, violationId, evidence: kept }];
    });
    await rewriteEvidence(tx, rewritten);
    return { looked: found.length, replaced: rewritten.length, last: found.at(-1)?.violationId };
  },
  async refusals(tx, licenseKey, _after, _most, { replacesHostnames }) {
    // A license has few of them.
    const replaced = replacesHostnames ? await renameRefusedMachines(tx, licenseKey, FORGOTTEN_HOSTNAME) : 0;
    return { looked: 0, replaced, last: undefined };
  },
  async licenseFiles(tx, licenseKey, after, most, { replacesHostnames }) {
    if (!replacesHostnames) return { looked: 0, replaced: 0, last: undefined };
    // A file that is renewed meanwhile comes last again, by then with the new name of its machine.
    const found = await listFilesAfter(tx, licenseKey, after, most);
    const named = found.filter(({ hostname }) => hostname !== null && hostname !== FORGOTTEN_HOSTNAME);
    await renameFileMachines(
      tx,
      named.map((file) => ({ ...file, hostname: FORGOTTEN_HOSTNAME })),
    );
    return { looked: found.length, replaced: named.length, last: found.at(-1)?.fileId };
  },
  async events(tx, licenseKey, after, most, replacement) {
    // The newest first. Notes older than all other events are reached with the notes of all licenses.
    const found = await followEvents(tx, licenseKey, after === '' ? null : after, most);
    return { looked: found.length, replaced: await rewriteAll(tx, found, replacement), last: found.at(-1)?.eventId };
  },
};
const ORDER = Object.keys(PARTS) as readonly Progress['part'][];

/**
 * Gives users of a license pseudonyms. The users stay apart, and keep their seats and machines.
 *
 * @returns the number of users
 */
async function forgetUsers(
  tx: Tx,
  licenseKey: string,
  names: readonly string[],
  { address, pseudonym }: Replacement,
): Promise<number> {
  let replaced = 0;
  for (const userFolded of new Set(names.filter((name) => !isPseudonym(name))))
    if (await renameUser(tx, { licenseKey, userFolded }, userFolded === address ? pseudonym : mintPseudonym()))
      replaced += 1;
  return replaced;
}

/** The cost of finishing a license, in rows: the license is locked and written, and an event recorded. */
const ROWS_FOR_LICENSE = 8;

/** More events than a license gets while its customer is being forgotten. */
const RECENT_EVENTS = 100;

/** Rewrites those of the given events that contain the address or a name to replace; returns their number. */
export async function rewriteAll(
  tx: Tx,
  events: readonly RewritableEvent[],
  replacement: Replacement,
): Promise<number> {
  const rewritten = events.flatMap((event) => {
    const { eventId, subject, before, after } = event;
    const kept = {
      eventId,
      subject: subjectWithout(event, replacement),
      before: factsWithout(before, replacement),
      after: factsWithout(after, replacement),
    };
    return JSON.stringify(kept) === JSON.stringify({ eventId, subject, before, after }) ? [] : [kept];
  });
  await rewriteEvents(tx, rewritten);
  return rewritten.length;
}

/** The subject of a released user is the name, which the facts before the release show. */
function subjectWithout({ subject, before }: RewritableEvent, replacement: Replacement): string | null {
  if (subject === null) return null;
  const user = before?.user;
  const isUser = typeof user === 'string' && foldUser(user) === subject;
  return isUser && replacement.replacesHostnames ? FORGOTTEN_USER : textWithout(subject, replacement);
}

/** Runs one step on one license, which examines at most `most` rows. */
export async function forgetOnLicense(
  tx: Tx,
  origin: Origin,
  { emailFolded, pseudonym, progress }: Forgetting,
  licenseKey: string,
  memory: Memory,
  most: number,
): Promise<Step> {
  const [license] = await lockWholeLicenses(tx, [licenseKey]);
  if (license === undefined) throw new Error('a license that was found is gone');
  // The machines of a license that has another address by now may be somebody else's.
  const isTheirs = foldEmail(license.email) === emailFolded;
  const replacement: Replacement = { address: emailFolded, pseudonym, replacesHostnames: isTheirs };
  const { part, after } = progress;
  const { looked, replaced, last } = await PARTS[part](tx, licenseKey, after, most, replacement);
  const done = { looked: looked + 1, replaced: { [part]: replaced } };
  if (part === 'violations') tx.afterwards((isCommitted) => isCommitted && memory.violationTally.forget(licenseKey));
  if (part === 'refusals' && isTheirs)
    tx.afterwards(
      (isCommitted) => isCommitted && memory.observedCalls.refusals.renameMachines(licenseKey, FORGOTTEN_HOSTNAME),
    );
  if (looked === most) return { ...done, progress: { ...progress, licenseKey, after: last ?? after } };
  const next = ORDER[ORDER.indexOf(part) + 1];
  if (next !== undefined) return { ...done, progress: { ...progress, licenseKey, part: next, after: '' } };
  // Events recorded since the steps through the events began.
  const recent = await rewriteAll(tx, await followEvents(tx, licenseKey, null, RECENT_EVENTS), replacement);
  // A license is found by these events. Those that the steps have not reached would lead here again and again.
  const former = await listEventsOfFormerName(tx, licenseKey, emailFolded, RECENT_EVENTS);
  const unreached = await rewriteAll(tx, former, replacement);
  if (isTheirs) {
    await forgetReleases(tx, licenseKey);
    await forgetReplies(tx, licenseKey);
    await givePseudonym(tx, origin, await withoutMetadata(tx, license, origin.now), pseudonym);
  }
  return {
    looked: looked + ROWS_FOR_LICENSE,
    replaced: { [part]: replaced + recent + unreached, ...(isTheirs ? { licenses: 1 } : {}) },
    progress: { ...BEGINNING, noteAfter: progress.noteAfter },
  };
}

/** Removes the metadata of a locked license; no event says so, because it would repeat what is forgotten. */
async function withoutMetadata(tx: Tx, license: License, now: number): Promise<License> {
  if (license.metadata === null) return license;
  const after = { ...license, metadata: null };
  await saveLicenses(tx, [{ kind: 'changed', before: license, license: after, entries: [] }], now);
  return after;
}

async function givePseudonym(tx: Tx, origin: Origin, license: License, email: string): Promise<void> {
  const changed = { type: 'license.email_changed', subject: null, before: null, after: { email }, origin } as const;
  await saveLicenses(
    tx,
    [{ kind: 'readdressed', before: license, license: { ...license, email }, entries: [changed] }],
    origin.now,
  );
}
