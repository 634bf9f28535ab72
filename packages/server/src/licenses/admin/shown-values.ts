/** Values of a license that a caller saw before it asked for a change (rules 3.1). */
import type { Scope } from '../../endpoint/caller.ts';
import { email, machineLimit, nullable, oneOf, text, timestamp, wholeNumber } from '../../endpoint/field-types.ts';
import { type Refusal, refuse } from '../../endpoint/refusals.ts';
import type { Event } from '../../events/event.ts';
import { listEvents } from '../../events/listing-store.ts';
import { LICENSE_TYPES } from '../../products/license-type.ts';
import type { Sql } from '../../storage/storage.ts';
import { eventView } from '../event-view.ts';
import { type License, REVOCATIONS } from '../license.ts';

/** The fields for shown values. Null has a meaning of its own where the license may have null. */
export const shownFields = {
  wasVariant: text('The variant that the caller saw.'),
  wasLicenseType: oneOf('The type that the caller saw.', LICENSE_TYPES),
  wasMaxMachines: machineLimit('The number of machines that the caller saw.'),
  wasMaxConcurrent: nullable(wholeNumber('The number of floating sessions that the caller saw.', 1)),
  wasExpiresAt: nullable(timestamp('The expiry that the caller saw; null for a perpetual license.')),
  wasEmail: email('The address of the license that the caller saw.'),
  wasRevocation: nullable(
    oneOf('The revocation that the caller saw; `plain` has no reason, null is none.', REVOCATIONS),
  ),
} as const;

/** The field of the license that each shown value belongs to. */
const SHOWN = {
  wasVariant: 'variant',
  wasLicenseType: 'licenseType',
  wasMaxMachines: 'maxMachines',
  wasMaxConcurrent: 'maxConcurrent',
  wasExpiresAt: 'expiresAt',
  wasEmail: 'email',
  wasRevocation: 'revocation',
} as const satisfies Readonly<Record<keyof typeof shownFields, keyof License>>;

/** The values that a caller saw; absent ones are not compared. */
export type ShownValues = {
  readonly [Name in keyof typeof SHOWN]?: License[(typeof SHOWN)[Name]] | undefined;
};

/** A value that is not the one that the caller saw. */
interface Difference {
  readonly field: (typeof SHOWN)[keyof typeof SHOWN];
  readonly shown: string | number | null;
  readonly stored: string | number | null;
}

/** Maximum number of events that are searched for the author of the change. */
const EVENTS_SEARCHED = 100;

/**
 * The refusal if a license is not as the caller saw it; null if it is. It names the author of the latest change of that
 * value as far as the caller may know.
 *
 * @param shown the values that the caller saw
 * @param license locked
 */
export async function refusalOfShown(
  sql: Sql,
  shown: ShownValues,
  license: License,
  reader: Scope,
): Promise<Refusal<'changed_meanwhile'> | null> {
  const found = differenceOf(shown, license);
  if (found === null) return null;
  const filter = { productIds: null, licenseKey: license.licenseKey };
  const events = await listEvents(sql, filter, null, EVENTS_SEARCHED);
  const change = events.find(({ after }) => after !== null && found.field in after);
  return refuse('changed_meanwhile', {
    details: {
      author: change === undefined ? 'somebody else' : authorText(change, reader),
      field: found.field,
      shown: valueText(found.shown),
      stored: valueText(found.stored),
    },
  });
}

function differenceOf(shown: ShownValues, license: License): Difference | null {
  for (const [name, field] of Object.entries(SHOWN)) {
    const value = shown[name as keyof ShownValues];
    if (value !== undefined && value !== license[field]) return { field, shown: value, stored: license[field] };
  }
  return null;
}

function valueText(value: string | number | null): string {
  return value === null ? 'none' : String(value);
}

/** The author of a change as the reader may know it: a name, else the kind of caller. */
function authorText(event: Event, reader: Scope): string {
  const { kind, id, keyName } = eventView(event, reader).actor;
  if (keyName !== null) return keyName;
  return id === null ? `the ${kind}` : `${kind} ${id}`;
}
