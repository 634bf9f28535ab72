/** Changes that a restored backup lacks, as operators read them (rules 10.15). They hold no secret and no address. */

import { counted } from '../../ground/base/count-words.ts';
import type { Event } from '../../platform/events/event.ts';

/** The reported kinds of changes, each with the verb of its line of text. */
const CHANGES = {
  'license.issued': 'Issued',
  'license.revoked': 'Revoked',
  'license.reinstated': 'Reinstated',
  'license.extended': 'Extended',
  'license.shortened': 'Shortened',
  'customer.forgotten': 'Forgotten',
  'api_key.created': 'Created',
  'api_key.revoked': 'Revoked',
  'operator_key.created': 'Created',
  'operator_key.revoked': 'Revoked',
  'token_key.created': 'Created',
  'token_key.dropped': 'Dropped',
  'signing_key.created': 'Created',
  'signing_key.dropped': 'Dropped',
} as const;
export type ChangeKind = keyof typeof CHANGES;

/** One change. */
export interface ReportedChange {
  readonly change: ChangeKind;
  /** Timestamp; null if its event is no longer stored. */
  readonly at: string | null;
  /** The actor of the event, with the name of the key or person in parentheses; null if its event is not stored. */
  readonly by: string | null;
  readonly licenseKey?: string;
  readonly productId?: string | null;
  readonly revocation?: string | null;
  /** The former and the new expiry of the license; null is never. */
  readonly from?: string | null;
  readonly to?: string | null;
  readonly pseudonym?: string;
  /** Number of licenses whose address was replaced by the pseudonym. */
  readonly licenses?: number | null;
  /** The hash of a key, or its id. */
  readonly key?: string | null;
  readonly name?: string | null;
  readonly creatorId?: string | null;
  /** Number of keys, if all keys of a creator were revoked at once. */
  readonly keys?: number;
}

/** The time and the author of an event; nulls if there is no event. */
export function causeOf(event: Event | undefined): Pick<ReportedChange, 'at' | 'by'> {
  if (event === undefined) return { at: null, by: null };
  const { actor, actorName, occurredAt } = event;
  return { at: occurredAt, by: actorName === null ? actor : `${actor} (${actorName})` };
}

/** Classifies a change of a license's expiry; null is never. */
export function extension(from: string | null, to: string | null): 'license.extended' | 'license.shortened' {
  return to === null || (from !== null && to > from) ? 'license.extended' : 'license.shortened';
}

/** Padded to the width of a timestamp. */
const UNKNOWN_MOMENT = 'at an unknown time'.padEnd(24);

/** A change as a line of text. */
export function textOf(change: ReportedChange): string {
  const by = change.by === null ? '' : `, by ${change.by}`;
  const line = `${change.at ?? UNKNOWN_MOMENT}  ${CHANGES[change.change]}: ${whatOf(change)}${by}`;
  // Names are free text, and control characters in them would reach the terminal.
  return line.replace(/\p{C}/gu, '?');
}

function whatOf(change: ReportedChange): string {
  const { licenseKey, productId, revocation, from, to, pseudonym, licenses, key, name, creatorId, keys } = change;
  const license = `license ${licenseKey} of ${productId ?? 'no product'}`;
  switch (change.change) {
    case 'license.issued':
    case 'license.reinstated':
      return license;
    case 'license.revoked':
      return `${license}${revocation == null ? '' : ` (${revocation})`}`;
    case 'license.extended':
    case 'license.shortened':
      return `${license}, from ${from ?? 'never'} to ${to ?? 'never'}`;
    case 'customer.forgotten':
      return `a customer, now ${pseudonym}${licenses == null ? '' : ` (${counted(licenses, 'license')})`}`;
    case 'api_key.created':
    case 'api_key.revoked':
      return keys === undefined ? `API key ${name} of ${creatorId}` : `all API keys of ${creatorId} (${keys})`;
    case 'operator_key.created':
    case 'operator_key.revoked':
      return `operator key ${name}`;
    case 'token_key.created':
    case 'token_key.dropped':
      return `token key ${key}`;
    case 'signing_key.created':
    case 'signing_key.dropped':
      return `signing key ${key}`;
  }
}

/** The number of changes of each kind, as a sentence. */
export function summaryOf(counts: ReadonlyMap<ChangeKind, number>): string {
  if (counts.size === 0) return 'No license, key or customer has changed since.';
  return `Total: ${[...counts].map(([change, count]) => `${change} ${count}`).join(', ')}.`;
}
