/** What operators are told of changes that a restored backup does not know (rules 10.15). Never a secret, nor an address. */

import type { Event } from '../events/event.ts';

/** The kinds of changes that are told, each with how a line of text begins. */
const CHANGES = {
  'license.issued': 'Issued',
  'license.revoked': 'Revoked',
  'license.reinstated': 'Reinstated',
  'license.extended': 'Extended',
  'license.shortened': 'Shortened',
  'customer.forgotten': 'Forgotten',
  'api_key.created': 'Made',
  'api_key.revoked': 'Revoked',
  'operator_key.created': 'Made',
  'operator_key.revoked': 'Revoked',
  'token_key.created': 'Made',
  'token_key.dropped': 'Dropped',
  'signing_key.created': 'Made',
  'signing_key.dropped': 'Dropped',
} as const;
export type ChangeKind = keyof typeof CHANGES;

/** One change. */
export interface ToldChange {
  readonly change: ChangeKind;
  /** When, as a timestamp; null where no event tells it any more. */
  readonly at: string | null;
  /** The actor of the event, with the name of the key or person in parentheses; null where no event tells it. */
  readonly by: string | null;
  readonly licenseKey?: string;
  readonly productId?: string | null;
  readonly revocation?: string | null;
  /** When the license expired before, and expires now; null is never. */
  readonly from?: string | null;
  readonly to?: string | null;
  readonly pseudonym?: string;
  /** Of so many licenses a pseudonym replaced the address. */
  readonly licenses?: number | null;
  /** The hash of a key, or its id. */
  readonly key?: string | null;
  readonly name?: string | null;
  readonly creatorId?: string | null;
  /** So many keys of a creator were revoked at once. */
  readonly keys?: number;
}

/** When something happened and who did it, as its event tells; nulls where no event does. */
export function causeOf(event: Event | undefined): Pick<ToldChange, 'at' | 'by'> {
  if (event === undefined) return { at: null, by: null };
  const { actor, actorName, occurredAt } = event;
  return { at: occurredAt, by: actorName === null ? actor : `${actor} (${actorName})` };
}

/** What a change of the moment at which a license expires comes to; null is never. */
export function extension(from: string | null, to: string | null): 'license.extended' | 'license.shortened' {
  return to === null || (from !== null && to > from) ? 'license.extended' : 'license.shortened';
}

/** As wide as a timestamp. */
const UNKNOWN_MOMENT = 'at a time not known'.padEnd(24);

/** A change as a line of text. */
export function textOf(told: ToldChange): string {
  const by = told.by === null ? '' : `, by ${told.by}`;
  const line = `${told.at ?? UNKNOWN_MOMENT}  ${CHANGES[told.change]}: ${whatOf(told)}${by}`;
  // Names are whatever somebody typed, and a terminal obeys what it is shown.
  return line.replace(/\p{C}/gu, '?');
}

/** A change as a line of JSON. */
export function jsonOf(told: ToldChange): string {
  return JSON.stringify(told);
}

function whatOf(told: ToldChange): string {
  const { licenseKey, productId, revocation, from, to, pseudonym, licenses, key, name, creatorId, keys } = told;
  const license = `license ${licenseKey} of ${productId ?? 'no product'}`;
  switch (told.change) {
    case 'license.issued':
    case 'license.reinstated':
      return license;
    case 'license.revoked':
      return `${license}${revocation == null ? '' : ` (${revocation})`}`;
    case 'license.extended':
    case 'license.shortened':
      return `${license}, from ${from ?? 'never'} to ${to ?? 'never'}`;
    case 'customer.forgotten':
      return `a customer, who is ${pseudonym} now${licenses == null ? '' : ` (licenses: ${licenses})`}`;
    case 'api_key.created':
    case 'api_key.revoked':
      return keys === undefined ? `API key ${name} of ${creatorId}` : `all API keys of ${creatorId} (${keys})`;
    case 'operator_key.created':
    case 'operator_key.revoked':
      return `operator key ${name}`;
    case 'token_key.created':
    case 'token_key.dropped':
      return `key ${key} of session tokens`;
    case 'signing_key.created':
    case 'signing_key.dropped':
      return `key ${key} of license files`;
  }
}

/** How many changes of each kind there were, as a sentence. */
export function summaryOf(counts: ReadonlyMap<ChangeKind, number>): string {
  if (counts.size === 0) return 'No license, key or customer has changed since.';
  return `In all: ${[...counts].map(([change, count]) => `${change} ${count}`).join(', ')}.`;
}
