/** Undoes a recorded change. Pure. */
import type { DiscountCode, Event, Path, ReplyTemplate, RequestOf, RevocationReason } from '../api/contract.ts';
import { shortKey } from '../parts/key-text.ts';
import {
  type Facts,
  REVOCATIONS,
  type Undoing,
  undoOfAddress,
  undoOfRevocation,
  undoOfTemplate,
  undoOfValues,
} from './undo.ts';
import { undoneBrand, undoOfDeletion } from './undo-catalogue.ts';
import { undoOfPause, undoOfRecordedDestination } from './undo-destination.ts';

/** Undoes a reinstatement; null where the former dispute differs from the one that the revocation would record. */
function undoOfReinstatement(licenseKey: string, { revocation, disputeReason = null }: Facts): Undoing | null {
  const dispute = revocation === 'refund' || revocation === 'chargeback' ? revocation : null;
  if (!REVOCATIONS.includes(revocation) || disputeReason !== dispute) return null;
  const reason = revocation === 'plain' ? {} : { reason: revocation as RevocationReason };
  const recorded = 'reason' in reason ? `, and the ${String(revocation)} is recorded as a new violation` : '';
  return {
    path: '/revokeLicense',
    request: { licenseKey, ...reason, wasRevocation: null },
    effect: `The license is revoked again${recorded}. Violations that were resolved stay so`,
    done: `The license ${shortKey(licenseKey)} is revoked again.`,
  };
}

/**
 * The parts of an event from which it is undone. The id is absent where a dialog knows the change, but not its event.
 */
export type UndoableEvent = Pick<
  Event,
  'type' | 'at' | 'licenseKey' | 'productId' | 'creatorId' | 'subject' | 'before' | 'after'
> &
  Partial<Pick<Event, 'id'>>;

/** A change of a license that an action on many items made, as its event records it. */
export type UndoableChange = Pick<UndoableEvent, 'type' | 'licenseKey' | 'before' | 'after' | 'id'>;

/** Undoes such a change; null if no request does. */
export function undoOfChange(change: UndoableChange): Undoing | null {
  const { type, licenseKey, id: noteId } = change;
  if (type === 'license.noted' && licenseKey !== null && noteId !== undefined)
    return { path: '/deleteNote', request: { licenseKey, noteId }, effect: null, done: 'The note was deleted.' };
  return undoOfEvent({ at: '', productId: null, creatorId: null, subject: null, ...change });
}

/** The endpoints that take the undone event: the values that they compare may have come round again. */
const TAKES_EVENT: readonly Path[] = [
  '/updateLicense',
  '/changeEmail',
  '/revokeLicense',
  '/reinstateLicense',
  '/updateProduct',
  '/updateVariant',
  '/updateDiscountCode',
] satisfies { [At in Path]: 'undoes' extends keyof RequestOf<At> ? At : never }[Path][];

/** Undoes a recorded change; null if no request does. The service refuses it after another's change. */
export function undoOfEvent(event: UndoableEvent): Undoing | null {
  const undoing = undoingOf(event);
  if (undoing === null || event.id === undefined || !TAKES_EVENT.includes(undoing.path)) return undoing;
  return { ...undoing, request: { ...undoing.request, undoes: event.id } as RequestOf<Path> };
}

function undoingOf(event: UndoableEvent): Undoing | null {
  const { type, before, after } = event;
  if (before === null) return null;
  if (type === 'discount_code.deleted') return undoOfDeletion(deletedCode(event, before));
  if (type === 'reply_template.deleted') return undoOfTemplate(templateOf(event, before), null);
  if (after === null) return null;
  if (event.licenseKey !== null) return undoOfLicense({ type, licenseKey: event.licenseKey }, before, after);
  return undoOfCatalogue(event, before, after) ?? undoOfOwnersThing(event, before);
}

function templateOf({ subject, creatorId }: UndoableEvent, before: Facts): ReplyTemplate {
  return { ...(before as unknown as ReplyTemplate), templateId: String(subject), creatorId };
}

/** Undoes a change of a destination or a reply template, which belong to an owner and no product. */
function undoOfOwnersThing(event: UndoableEvent, before: Facts): Undoing | null {
  const { type, at, subject } = event;
  if (subject === null) return null;
  switch (type) {
    case 'destination.updated':
      return undoOfRecordedDestination(subject, before, at);
    case 'destination.paused':
      return before.state === 'active' ? undoOfPause(subject, at) : null;
    case 'reply_template.saved':
      return undoOfTemplate(templateOf(event, before), at);
    default:
      return null;
  }
}

function deletedCode({ productId, creatorId }: UndoableEvent, before: Facts): DiscountCode {
  return { ...(before as unknown as DiscountCode), productId, creatorId };
}

function undoOfLicense(
  { type, licenseKey }: { readonly type: Event['type']; readonly licenseKey: string },
  before: Facts,
  after: Facts,
): Undoing | null {
  switch (type) {
    case 'license.updated':
      return undoOfValues('/updateLicense', { licenseKey }, before, after, `the license ${shortKey(licenseKey)}`);
    case 'license.email_changed':
      return undoOfAddress(licenseKey, before.email, after.email);
    case 'license.revoked':
      return before.status === 'revoked' || before.revocation !== null
        ? null
        : undoOfRevocation(licenseKey, after.revocation);
    case 'license.reinstated':
      return after.revocation === null ? undoOfReinstatement(licenseKey, before) : null;
    default:
      return null;
  }
}

/** The fields of a brand that events hold: not its logo. */
const OF_BRAND: readonly string[] = ['name', 'supportAddress', 'supportUrl', 'accent', 'allowsNewKeys'];

function undoOfCatalogue({ type, productId, subject, at }: UndoableEvent, before: Facts, after: Facts): Undoing | null {
  switch (type) {
    case 'product.updated':
      return productId === null
        ? null
        : undoOfValues('/updateProduct', { productId }, before, after, `the product ${productId}`);
    case 'variant.updated':
      return productId === null || subject === null
        ? null
        : undoOfValues('/updateVariant', { variantId: subject, productId }, before, after, `the variant ${subject}`);
    case 'discount_code.updated':
      return subject === null
        ? null
        : undoOfValues('/updateDiscountCode', { code: subject }, before, after, `the code ${subject}`);
    case 'brand.updated':
      return Object.keys(after).every((name) => OF_BRAND.includes(name)) ? undoneBrand(subject, at, before) : null;
    default:
      return null;
  }
}
