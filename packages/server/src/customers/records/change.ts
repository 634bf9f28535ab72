/** Forgets a customer: a pseudonym replaces the address, a bounded number of rows at a time. */

import { forgetInShops } from '../../commerce/connectors/forget-store.ts';
import { forgetRedemptions } from '../../commerce/discount-codes/store.ts';
import {
  forgetStorefrontEvents,
  listStorefrontEventsBeyondAscii,
  replaceInStorefrontEvents,
} from '../../commerce/storefront/store.ts';
import {
  BUYERS,
  type ForgottenOrders,
  forgetInOrders,
  listOrdersBeyondAsciiAfter,
  type OrderAddresses,
  REDEEMERS,
  replaceInOrders,
} from '../../commerce/studio-orders/forget-store.ts';
import { toTimestamp } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { listLicenseKeysOf, lockWholeLicenses } from '../../licensing/licenses/email-store.ts';
import { mintPseudonym } from '../../licensing/licenses/pseudonym.ts';
import { findLicenseOfUser } from '../../licensing/machines/user-store.ts';
import type { Origin } from '../../platform/events/event.ts';
import { recordChanges } from '../../platform/events/record.ts';
import {
  findLicenseOfFormerName,
  listEventsOfSubject,
  listNotesAfter,
  listUserEventsAfter,
  type UserEventCursor,
} from '../../platform/events/rewrite-store.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { parseStored } from '../../storage/contract/stored-json.ts';
import { forgetMails } from '../mail/store.ts';
import { endAccessOf } from '../self-service/forget.ts';
import type { Replacement } from './address.ts';
import { forgetOnLicense, type Memory, rewriteAll, type Step } from './forget-license.ts';
import {
  BEGINNING,
  type ComparedKind,
  claimForgetting,
  deleteForgetting,
  type Forgetting,
  NOTHING_REPLACED,
  type Progress,
  type Replaced,
  saveForgetting,
  sumOf,
} from './store.ts';

/** Rows examined by one call: some tens of milliseconds of database time. */
const ROWS_AT_ONCE = 500;
/** Notes and events of users that count as one row: those of all licenses are read, and hardly any is written. */
const NOTES_FOR_A_ROW = 4;
/** The most licenses that one call reaches, because each counts for ten rows and more. */
const LICENSES_AT_ONCE = 50;
/** Orders in one step, each with its events: the order was made, and its seats were redeemed. */
const ORDERS_AT_ONCE = 20;
const MAX_EVENTS_OF_ORDER = 1000;

/** The context of replacing an address. */
interface Work {
  readonly tx: Tx;
  readonly origin: Origin;
  readonly memory: Memory;
  readonly forgetting: Forgetting;
  readonly replacement: Replacement;
}

/** Examines some rows of one kind; null if no row of that kind is left. */
type Place = (work: Work, most: number) => Promise<Step | null>;

/** Every kind of row that may hold the address of a customer. */
const PLACES: readonly Place[] = [
  async ({ tx, origin, memory, forgetting }, most) => {
    const { emailFolded, progress } = forgetting;
    const licenseKey =
      progress.licenseKey ??
      (await listLicenseKeysOf(tx, emailFolded, 1))[0] ??
      (await findLicenseOfUser(tx, emailFolded)) ??
      (await findLicenseOfFormerName(tx, emailFolded));
    return licenseKey === undefined ? null : forgetOnLicense(tx, origin, forgetting, licenseKey, memory, most);
  },
  byColumn('redemptions', forgetRedemptions),
  ...inOrders('orders', BUYERS),
  ...inOrders('seats', REDEEMERS),
  byColumn('storefrontEvents', forgetStorefrontEvents),
  async ({ tx, forgetting: { emailFolded, pseudonym, progress } }, most) => {
    const events = await listStorefrontEventsBeyondAscii(tx, progress.compared.storefrontEvents ?? '', most);
    const last = events.at(-1)?.eventId;
    if (last === undefined) return null;
    const theirs = events.filter(({ email }) => foldEmail(email) === emailFolded);
    const storefrontEvents = await replaceInStorefrontEvents(tx, theirs, pseudonym);
    const advanced = advancedTo(progress, 'storefrontEvents', last);
    return { looked: events.length, replaced: { storefrontEvents }, progress: advanced };
  },
  async ({ tx, replacement, forgetting: { progress } }, most) => {
    const notes = await listNotesAfter(tx, progress.noteAfter, NOTES_FOR_A_ROW * most);
    const last = notes.at(-1);
    if (last === undefined) return null;
    const events = await rewriteAll(tx, notes, { ...replacement, replacesHostnames: false });
    const looked = Math.ceil(notes.length / NOTES_FOR_A_ROW);
    return { looked, replaced: { events }, progress: { ...progress, noteAfter: last.eventId } };
  },
  // Nothing else leads to a user who has neither a seat nor a machine any more.
  async ({ tx, replacement, forgetting: { progress } }, most) => {
    const after = userEventCursor(progress.compared.userEvents);
    const found = await listUserEventsAfter(tx, after, NOTES_FOR_A_ROW * most);
    const last = found.at(-1);
    if (last === undefined) return null;
    const events = await rewriteAll(tx, found, { ...replacement, replacesHostnames: false });
    const looked = Math.ceil(found.length / NOTES_FOR_A_ROW);
    const cursor = JSON.stringify([last.subject, last.eventId] satisfies readonly (string | null)[]);
    return { looked, replaced: { events }, progress: advancedTo(progress, 'userEvents', cursor) };
  },
  byColumn('shopSales', forgetInShops),
  byColumn('mails', (tx, emailFolded, _pseudonym, most) => forgetMails(tx, emailFolded, most)),
];

/** The result of forgetting so far. */
export interface Forgotten {
  /** Whether no row holds the address any more. */
  readonly isComplete: boolean;
  /** The pseudonym in place of the address; null as long as no row with the address was found. */
  readonly pseudonym: string | null;
  /** Number of rows of each kind in which it was replaced, since the first call. */
  readonly replaced: Replaced;
}

/**
 * Replaces an address with a pseudonym in the next rows that hold it. Call it until it is complete; then
 * `customer.forgotten` is recorded, if there was anything to forget.
 *
 * @param minted the pseudonym, unless an earlier call began to forget this address with another one
 */
export async function forgetCustomer(
  tx: Tx,
  origin: Origin,
  email: string,
  memory: Memory,
  minted = mintPseudonym(),
): Promise<Forgotten> {
  let forgetting = await claimForgetting(tx, {
    emailFolded: foldEmail(email),
    pseudonym: minted,
    progress: BEGINNING,
    replaced: NOTHING_REPLACED,
    startedAt: toTimestamp(origin.now),
  });
  const { emailFolded, pseudonym } = forgetting;
  await endAccessOf(tx, emailFolded);
  // All of them first, in the order in which batches of calls lock licenses, so that the two cannot deadlock.
  const licenseKeys = await listLicenseKeysOf(tx, emailFolded, LICENSES_AT_ONCE);
  await lockWholeLicenses(tx, licenseKeys);
  const replacement: Replacement = { address: emailFolded, pseudonym, replacesHostnames: true };
  let left = ROWS_AT_ONCE;
  for (const place of PLACES)
    while (left > 0) {
      const step = await place({ tx, origin, memory, forgetting, replacement }, left);
      if (step === null) break;
      left -= step.looked;
      forgetting = { ...forgetting, progress: step.progress, replaced: sumOf(forgetting.replaced, step.replaced) };
    }
  const { replaced } = forgetting;
  const isFound = Object.values(replaced).some((count: number) => count > 0);
  if (left <= 0) {
    await saveForgetting(tx, forgetting);
    return { isComplete: false, pseudonym: isFound ? pseudonym : null, replaced };
  }
  await deleteForgetting(tx, emailFolded);
  if (isFound) {
    const after = { pseudonym, ...replaced };
    await recordChanges(tx, [{ type: 'customer.forgotten', subject: pseudonym, after, origin }]);
  }
  return { isComplete: true, pseudonym: isFound ? pseudonym : null, replaced };
}

/** The place of an address in a column that a statement of its slice searches. */
function byColumn(
  kind: keyof Replaced,
  forget: (tx: Tx, emailFolded: string, pseudonym: string, most: number) => Promise<number>,
): Place {
  return async ({ tx, forgetting: { emailFolded, pseudonym, progress } }, most) => {
    const count = await forget(tx, emailFolded, pseudonym, most);
    return count === 0 ? null : { looked: count, replaced: { [kind]: count }, progress };
  };
}

/**
 * Places of an address in studio orders: first the rows that the databases find without case, then those with letters
 * beyond ASCII.
 */
function inOrders(kind: 'orders' | 'seats', addresses: OrderAddresses): readonly Place[] {
  return [
    async (work, most) => {
      const { emailFolded, pseudonym } = work.forgetting;
      const atOnce = Math.min(most, ORDERS_AT_ONCE);
      const found = await forgetInOrders(work.tx, addresses, emailFolded, pseudonym, atOnce);
      return found.count === 0 ? null : ordersStep(work, found, kind);
    },
    async (work, most) => {
      const { emailFolded, pseudonym, progress } = work.forgetting;
      const after = progress.compared[kind] ?? '';
      const rows = await listOrdersBeyondAsciiAfter(work.tx, addresses, after, Math.min(most, ORDERS_AT_ONCE));
      const last = rows.at(-1)?.id;
      if (last === undefined) return null;
      const theirs = rows.filter(({ email }) => foldEmail(email) === emailFolded);
      const step = await ordersStep(work, await replaceInOrders(work.tx, addresses, theirs, pseudonym), kind);
      return { ...step, looked: step.looked + rows.length, progress: advancedTo(progress, kind, last) };
    },
  ];
}

/** The place after which events of users are read; stored progress that is unreadable begins anew. */
function userEventCursor(stored: string | undefined): UserEventCursor {
  const read = stored === undefined ? undefined : parseStored(stored);
  const [subject, eventId] = Array.isArray(read) ? read : [];
  return typeof subject === 'string' && typeof eventId === 'string' ? [subject, eventId] : ['', ''];
}

function advancedTo(progress: Progress, kind: ComparedKind, last: string): Progress {
  return { ...progress, compared: { ...progress.compared, [kind]: last } };
}

/** Replaces the address also in the events of the studio orders in which it was replaced. */
async function ordersStep(
  { tx, replacement, forgetting: { progress } }: Work,
  { count, studioOrderIds }: ForgottenOrders,
  kind: 'orders' | 'seats',
): Promise<Step> {
  let [looked, events] = [count, 0];
  for (const studioOrderId of studioOrderIds) {
    const found = await listEventsOfSubject(tx, studioOrderId, '', MAX_EVENTS_OF_ORDER);
    looked += found.length;
    events += await rewriteAll(tx, found, replacement);
  }
  return { looked, replaced: { [kind]: count, events }, progress };
}
