/** Metadata: a vendor's own facts about a license, for staff and systems, never for the app (rules 14.10). */
import { createHash } from 'node:crypto';
import { FieldFault, readField } from '../../platform/endpoint/field-types.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { isRecord, parseStored } from '../../storage/contract/stored-json.ts';
import type { Column } from '../../storage/contract/table.ts';

/** Texts by name; at least one. */
export type Metadata = Readonly<Record<string, string>>;

/** Metadata of a change: null takes a name away. */
export type MetadataChange = Readonly<Record<string, string | null>>;

const MAXIMUM_NAMES = 50;
const LONGEST_NAME = 40;
const LONGEST_VALUE = 500;
/** The most bytes of all names and values together, as JSON in UTF-8. */
const MAXIMUM_BYTES = 8192;

const SHAPE = `an object of at most ${MAXIMUM_NAMES} names`;
const TEXT_SCHEMA = { type: 'string', minLength: 1, maxLength: LONGEST_VALUE };

/** The metadata of a new license as a field. */
export function metadataField(description: string) {
  return readField<Metadata>(
    { type: 'object', description, maxProperties: MAXIMUM_NAMES, additionalProperties: TEXT_SCHEMA },
    `must be ${SHAPE}`,
    (given) => {
      const read = readMetadata(given, false);
      return read instanceof FieldFault ? read : (read as Metadata);
    },
  );
}

/** The metadata of a change as a field. */
export function metadataChangeField(description: string) {
  return readField<MetadataChange>(
    {
      type: 'object',
      description,
      maxProperties: MAXIMUM_NAMES,
      additionalProperties: { anyOf: [TEXT_SCHEMA, { type: 'null' }] },
    },
    `must be ${SHAPE}`,
    (given) => readMetadata(given, true),
  );
}

/** One name and its value as a field of a list. */
export function metadataPairField(description: string) {
  return readField<readonly [name: string, value: string]>(
    { type: 'object', description, minProperties: 1, maxProperties: 1, additionalProperties: TEXT_SCHEMA },
    'must be an object of one name',
    (given) => {
      const read = readMetadata(given, false);
      if (read instanceof FieldFault) return read;
      const [pair, ...others] = Object.entries(read as Metadata);
      return pair === undefined || others.length > 0 ? new FieldFault('must be an object of one name') : pair;
    },
  );
}

function readMetadata(given: unknown, takesNull: boolean): MetadataChange | FieldFault {
  if (!isRecord(given)) return new FieldFault(`must be ${SHAPE}`);
  const entries = Object.entries(given);
  if (entries.length > MAXIMUM_NAMES) return new FieldFault(`must be ${SHAPE}`);
  for (const [name, value] of entries) {
    if (name === '' || name.length > LONGEST_NAME || !isStorable(name))
      return new FieldFault(`has a name that is not of 1 to ${LONGEST_NAME} characters`);
    if (takesNull && value === null) continue;
    if (typeof value !== 'string' || value === '' || value.length > LONGEST_VALUE || !isStorable(value))
      return new FieldFault(`.${name} must be a text of 1 to ${LONGEST_VALUE} characters`);
  }
  const read = Object.fromEntries(entries) as MetadataChange;
  const fault = faultOf(read);
  return fault === null ? read : new FieldFault(fault);
}

/** Databases cannot store NUL, and UTF-8 cannot encode half of a surrogate pair. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function faultOf(metadata: MetadataChange): string | null {
  if (Object.keys(metadata).length > MAXIMUM_NAMES) return `must be ${SHAPE}`;
  return Buffer.byteLength(JSON.stringify(metadata)) > MAXIMUM_BYTES
    ? `must have at most ${MAXIMUM_BYTES} bytes in all`
    : null;
}

/** The metadata of a license after a change, which merges; null without any. In an object, because names are free. */
export function metadataAfter(
  before: Metadata | null,
  change: MetadataChange | undefined,
): { readonly metadata: Metadata | null } | Refusal<'invalid_field'> {
  if (change === undefined) return { metadata: before };
  const merged = new Map<string, string>(Object.entries(before ?? {}));
  for (const [name, value] of Object.entries(change))
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  if (merged.size === 0) return { metadata: null };
  const after = Object.fromEntries(merged);
  const fault = faultOf(after);
  return fault === null ? { metadata: after } : refuse('invalid_field', { details: { message: `metadata ${fault}` } });
}

/** A column of metadata: JSON; null without any. */
export function metadataColumn(name: string): Column<Metadata | null> {
  return {
    name,
    type: 'text',
    store: (metadata) => (metadata === null || Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)),
    restore: (stored) => storedMetadata(stored === null ? undefined : parseStored(stored)),
  };
}

function storedMetadata(stored: unknown): Metadata | null {
  if (!isRecord(stored)) return null;
  const texts = Object.entries(stored).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.length === 0 ? null : Object.fromEntries(texts);
}

/** The hash by which an index finds a name with its value. */
export function hashOfPair(name: string, value: string): string {
  return hashOf(JSON.stringify([name, value]));
}

/** The hash by which an index finds a value in any case. */
export function hashOfValue(value: string): string {
  return hashOf(value.trim().toLowerCase());
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
