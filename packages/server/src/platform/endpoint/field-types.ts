/**
 * The types of request fields. Each is a TypeBox schema that validates, documents itself and carries, as `errorText`,
 * the sentence about its valid values.
 */
import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { endOf, MOMENT_FORM, momentOf } from '../../ground/base/clock.ts';
import { readAddress, repairedName } from '../../ground/base/typed-text.ts';
import type { ReplyOf } from './endpoint.ts';

/** The part of the error message after the field's name. */
interface WithErrorText {
  readonly errorText: string;
}

/** A schema created by one of the functions below. */
export type FieldSchema = TSchema & Partial<WithErrorText>;

/** Text of 1 to `maximum` characters; any Unicode except NUL and unpaired surrogates (see fields.ts). */
export function text(description: string, maximum = 255) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: maximum,
    errorText: `must be a string of at most ${maximum} characters`,
  });
}

/** Maximum length of a license key: keys of this service have 29 characters, imported ones may have more. */
export const LONGEST_LICENSE_KEY = 512;

/** A license key as typed by a person (`foldKey` in ground/base/typed-text.ts). */
export const licenseKeyField = text(
  'License key. Case, spaces and marks around it do not matter.',
  LONGEST_LICENSE_KEY,
);

/** A product's identifier: its slug. */
export const productIdField = text('Product identifier (its slug).');

/** The hash that identifies a key in lists of keys. */
export function keyHash(description: string) {
  return Type.String({
    description,
    minLength: 64,
    maxLength: 64,
    pattern: '^[0-9a-f]{64}$',
    errorText: 'must be 64 hexadecimal digits in lower case',
  });
}

/** Maximum length of the name of a machine. */
export const LONGEST_MACHINE_NAME = 255;

/**
 * The name of a machine. It serves people alone, so one that cannot be stored is repaired and cut instead of refused
 * ({@link repairedName}).
 */
export function machineName(description: string) {
  const errorText = 'must be a string';
  return readField({ description, type: 'string', minLength: 1 }, errorText, (given) =>
    typeof given === 'string' ? repairedName(given, LONGEST_MACHINE_NAME) : new FieldFault(errorText),
  );
}

/**
 * An e-mail address as people type it: text, an @, text. It is stored as {@link readAddress} returns it. Deliverability
 * is the storefront's responsibility.
 */
export function email(description: string) {
  const errorText = 'must be an e-mail address';
  return readField(
    { description, type: 'string', minLength: 3, pattern: '^\\s*[^\\s@]+@[^\\s@]+\\s*$' },
    errorText,
    (given) => (typeof given === 'string' ? readAddress(given) : null) ?? new FieldFault(errorText),
  );
}

/** A whole number from `minimum` to `maximum`. */
export function wholeNumber(description: string, minimum: number, maximum = 1_000_000_000) {
  return Type.Integer({
    description,
    minimum,
    maximum,
    errorText: `must be a whole number from ${minimum} to ${maximum}`,
  });
}

/** A limit on machines: at least 1, or -1 for unlimited. */
export function machineLimit(description: string) {
  return Type.Integer({
    description,
    minimum: -1,
    maximum: 1_000_000_000,
    not: { const: 0 },
    errorText: 'must be -1 (unlimited) or a whole number from 1 to 1000000000',
  });
}

/** A non-negative number, for amounts of money as the storefront states them. */
export function amountOfMoney(description: string) {
  return Type.Number({ description, minimum: 0, maximum: 1e15, errorText: 'must be a number from 0 to 1e15' });
}

/**
 * One of a few values.
 *
 * @param component the reference's name for these values, shared by all fields that use them
 */
export function oneOf<const Choices extends readonly string[]>(
  description: string,
  choices: Choices,
  component?: string,
) {
  return Type.Unsafe<Choices[number]>({
    type: 'string',
    enum: [...choices],
    description,
    errorText: `must be one of ${choices.join(', ')}`,
    ...(component === undefined ? {} : { component }),
  });
}

/** The body of a success: `success`, which is true, and these properties. */
export function success<Properties extends TProperties>(properties: Properties) {
  return Type.Object({ success: Type.Literal(true), ...properties });
}

/**
 * A named type, such as a `License`, that the reference describes once and refers to by name.
 *
 * @param component the name, as a type is named in code
 */
export function resource<Properties extends TProperties>(
  component: string,
  description: string,
  properties: Properties,
) {
  return Type.Object(properties, { component, description });
}

/** The fields of a reply or {@link resource}, in their order, of a thing that may have further ones. */
export function viewOf<Shape extends TObject>(shape: Shape, thing: ReplyOf<Shape>): ReplyOf<Shape> {
  const values = thing as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.keys(shape.properties).map((name) => [name, values[name]])) as ReplyOf<Shape>;
}

export function flag(description: string) {
  return Type.Boolean({ description, errorText: 'must be true or false' });
}

/** Reads the text of a moment; null for a moment that does not exist. */
export type MomentReader = (text: string) => string | null;

function moment(description: string, read: MomentReader) {
  return Type.String({
    description,
    pattern: MOMENT_FORM.source,
    maxLength: 40,
    moment: read,
    errorText: 'must be an ISO 8601 timestamp, for example 2027-01-31T00:00:00Z',
  });
}

/** A moment as ISO 8601 text; stored and returned in UTC with milliseconds. A day alone is its first moment. */
export function timestamp(description: string) {
  return moment(description, momentOf);
}

/** A {@link timestamp} that ends something: a day without a time is its last moment in UTC. */
export function endTimestamp(description: string) {
  return moment(description, endOf);
}

/** A list of at most `maximum` texts. */
export function listOfText(description: string, maximum = 200) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    description,
    maxItems: maximum,
    errorText: `must be a list of at most ${maximum} strings of 1 to 255 characters`,
  });
}

/** A list of at most `maximum` of a few values; `component` as in {@link oneOf}. */
export function listOf<const Choices extends readonly string[]>(
  description: string,
  choices: Choices,
  maximum: number,
  component: string,
) {
  return Type.Array(oneOf('One of them.', choices, component), {
    description,
    maxItems: maximum,
    errorText: `must be a list of at most ${maximum} of ${choices.join(', ')}`,
  });
}

/** The fault of a value. */
export class FieldFault {
  /** The text after the name of the field; one that begins with a dot names a part of the value. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A field whose values have parts: an object or a list that a function reads.
 *
 * @param schema of the reference
 * @param errorText about a value as a whole
 * @param read converts a given value, or returns its fault
 */
export function readField<Value>(
  schema: Readonly<Record<string, unknown>>,
  errorText: string,
  read: (given: unknown) => Value | FieldFault,
) {
  return Type.Unsafe<Value>({ ...schema, errorText, read });
}

/** Makes a field nullable, where null has a meaning of its own. */
export function nullable<Schema extends FieldSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()], {
    description: (schema as { description?: string }).description ?? '',
    errorText: `${schema.errorText}, or null`,
  });
}
