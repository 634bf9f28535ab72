/**
 * The terms that a variant gives its licenses beyond type, limits and duration in days (rules 14). Features and meters
 * are read live from the variant; all others are copied when a license is issued.
 */
import Type, { type TOptional, type TSchema } from 'typebox';
import { flag, listOfText, nullable, oneOf, text, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { isRecord, parseStored } from '../../storage/contract/stored-json.ts';
import type { Column } from '../../storage/contract/table.ts';
import { type Features, featuresField, storedFeatures } from './features.ts';
import { type Meters, metersField, storedMeters } from './meters.ts';

/** Several copies in one sale: a license for each, or one license with the limits of all. */
export const QUANTITY_RULES = ['licenses', 'scale'] as const;
export type QuantityRule = (typeof QUANTITY_RULES)[number];

/** The moment at which the lengths of a license begin: its issue, or its first activation. */
export const DURATION_STARTS = ['issue', 'activation'] as const;
export type DurationStart = (typeof DURATION_STARTS)[number];

/** Null is a term that the variant does not have. */
export interface VariantTerms {
  /** Calendar months that a license lasts, in place of `durationDays`. */
  readonly durationMonths: number | null;
  /** When the time of a license and of its updates begins; null is its issue. */
  readonly durationStarts: DurationStart | null;
  /** Days between the end of a paid period and the refusal. */
  readonly graceDays: number | null;
  /** Days of updates that a new license gets. */
  readonly updatesDays: number | null;
  /** Newest covered version: `2` covers 2 and 2.x. */
  readonly maxVersion: string | null;
  /** Days without a sign of life after which a machine makes room for another. */
  readonly releaseIdleDays: number | null;
  /** Persons who may hold a seat; null is a license without named users. */
  readonly maxUsers: number | null;
  /** Machines that one user may bind; null is any number. */
  readonly maxMachinesPerUser: number | null;
  /** Whether a user's seat is free with the last machine of the user. */
  readonly usersFloat: boolean | null;
  readonly unlockedProducts: readonly string[] | null;
  /** What several copies in one sale are; null leaves it to the kind of sale. */
  readonly quantity: QuantityRule | null;
  /** Whether a machine may start a trial of `defaultTrialDays` without a key. */
  readonly trialWithoutKey: boolean | null;
  readonly features: Features | null;
  readonly meters: Meters | null;
}

/** The terms of a variant without any. */
export const NO_VARIANT_TERMS: VariantTerms = Object.freeze({
  durationMonths: null,
  durationStarts: null,
  graceDays: null,
  updatesDays: null,
  maxVersion: null,
  releaseIdleDays: null,
  maxUsers: null,
  maxMachinesPerUser: null,
  usersFloat: null,
  unlockedProducts: null,
  quantity: null,
  trialWithoutKey: null,
  features: null,
  meters: null,
});

export type VariantTerm = keyof VariantTerms;
export const VARIANT_TERMS = Object.keys(NO_VARIANT_TERMS) as readonly VariantTerm[];

const MAXIMUM_GRACE_DAYS = 90;
const MAXIMUM_MONTHS = 120;
const MAXIMUM_UPDATES_DAYS = 3650;
const MAXIMUM_IDLE_DAYS = 3650;
/** The greatest number of users of a license. */
export const MAXIMUM_USERS = 10_000;

/** A version such as `2` or `2.3`: dotted whole numbers. */
const VERSION = '^\\d{1,9}(\\.\\d{1,9}){0,5}$';

/** The terms as fields of requests and replies, by name. */
export const termFields = {
  durationMonths: wholeNumber('Calendar months that a license lasts; not with durationDays.', 1, MAXIMUM_MONTHS),
  graceDays: wholeNumber('Days after expiresAt in which the license stays active.', 0, MAXIMUM_GRACE_DAYS),
  updatesDays: wholeNumber('Days of updates that a new license gets.', 1, MAXIMUM_UPDATES_DAYS),
  maxVersion: {
    ...text('Newest covered version; `2` covers 2 and 2.x. All versions by default.', 60),
    pattern: VERSION,
    errorText: 'must be a version of whole numbers with dots, such as 2 or 2.3',
  },
  releaseIdleDays: wholeNumber(
    'Days without a sign of life after which a machine makes room for another one; never by default.',
    1,
    MAXIMUM_IDLE_DAYS,
  ),
  maxUsers: wholeNumber('Named users who may hold a seat; no named users by default.', 1, MAXIMUM_USERS),
  maxMachinesPerUser: wholeNumber('Machines of one named user; any number by default.', 1),
  usersFloat: flag("Whether a user's seat is free with the last machine of the user; kept until released by default."),
  unlockedProducts: Type.Unsafe<readonly string[]>(listOfText('Further products that it opens.')),
} as const;

/** When the time of a license begins, as a field. */
export const durationStartsField = oneOf(
  'When the time of a license and of its updates begins: with its `issue`, by default, or with its first `activation`.',
  DURATION_STARTS,
  'DurationStart',
);

const variantFields = {
  ...termFields,
  durationStarts: durationStartsField,
  quantity: oneOf(
    'What several copies in one sale are: `licenses`, a license for each; `scale`, one license whose limits are ' +
      'multiplied. By default a subscription scales, and any other sale gives licenses.',
    QUANTITY_RULES,
    'QuantityRule',
  ),
  trialWithoutKey: flag('Whether a machine may start a trial without a key; needs defaultTrialDays.'),
  features: featuresField('Features of its licenses, read live: at most 50 names to true, false, a number or a text.'),
  meters: metersField(
    'Features of its licenses that are counted, read live: at most 10 names to limit, period and overage.',
  ),
} as const;

type FieldsOf<Wrap extends 'optional' | 'nullable', Fields> = {
  [Name in keyof Fields]: Fields[Name] extends TSchema
    ? TOptional<Wrap extends 'nullable' ? ReturnType<typeof nullable<Fields[Name]>> : Fields[Name]>
    : never;
};

/** Fields that a request or reply may leave out. */
export function optionalFields<Fields extends Readonly<Record<string, TSchema>>>(fields: Fields) {
  return wrapped(fields, (schema) => Type.Optional(schema)) as FieldsOf<'optional', Fields>;
}

/** Fields that a request or reply may leave out, and null. */
export function nullableFields<Fields extends Readonly<Record<string, TSchema>>>(fields: Fields) {
  return wrapped(fields, (schema) => Type.Optional(nullable(schema))) as FieldsOf<'nullable', Fields>;
}

function wrapped(fields: Readonly<Record<string, TSchema>>, wrap: (schema: TSchema) => TSchema): unknown {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, wrap(schema)]));
}

/** The terms of a new variant as fields. */
export const newVariantTerms = optionalFields(variantFields);

/** The terms of a variant as fields of a change, where null clears one, and of a reply. */
export const changedVariantTerms = nullableFields(variantFields);

/** The given terms, and those of `before` for the rest. */
export function termsAfter<Terms extends object>(before: Terms, given: Readonly<Record<string, unknown>>): Terms {
  const changed = Object.keys(before).filter((term) => given[term] !== undefined);
  return changed.length === 0
    ? before
    : { ...before, ...Object.fromEntries(changed.map((term) => [term, given[term]])) };
}

/** The terms that a thing has: those that are not null. */
export function setTerms<Terms extends object>(terms: Terms): Partial<Terms> {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== null)) as Partial<Terms>;
}

/** A column of terms: JSON of those that are set, null without any. @param read as of `jsonColumn` */
export function termsColumn<Terms extends object>(name: string, read: (stored: unknown) => Terms): Column<Terms> {
  return {
    name,
    type: 'text',
    store(terms) {
      const set = setTerms(terms);
      return Object.keys(set).length === 0 ? null : JSON.stringify(set);
    },
    restore: (stored) => read(stored === null ? undefined : parseStored(stored)),
  };
}

const isNumber = (value: unknown) => Number.isSafeInteger(value);
const isText = (value: unknown) => typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';

/** Whether a stored value of a simple term has its type. */
const IS_TERM: Readonly<Record<Exclude<VariantTerm, 'features' | 'meters'>, (value: unknown) => boolean>> = {
  durationMonths: isNumber,
  durationStarts: (value) => (DURATION_STARTS as readonly unknown[]).includes(value),
  graceDays: isNumber,
  updatesDays: isNumber,
  maxVersion: isText,
  releaseIdleDays: isNumber,
  maxUsers: isNumber,
  maxMachinesPerUser: isNumber,
  usersFloat: isFlag,
  trialWithoutKey: isFlag,
  unlockedProducts: (value) => Array.isArray(value) && value.every(isText),
  quantity: (value) => (QUANTITY_RULES as readonly unknown[]).includes(value),
};

/** A stored value of a simple term; null if it has another type. */
export function storedTerm<Term extends keyof typeof IS_TERM>(
  stored: Readonly<Record<string, unknown>>,
  term: Term,
): VariantTerms[Term] {
  const value = Object.hasOwn(stored, term) ? stored[term] : null;
  return (IS_TERM[term](value) ? value : null) as VariantTerms[Term];
}

/** The terms in a parsed column of a variant's row. */
export function variantTermsFrom(stored: unknown): VariantTerms {
  if (!isRecord(stored)) return NO_VARIANT_TERMS;
  const simple = Object.keys(IS_TERM).map((term) => [term, storedTerm(stored, term as keyof typeof IS_TERM)]);
  return {
    ...Object.fromEntries(simple),
    features: storedFeatures(stored.features),
    meters: storedMeters(stored.meters),
  } as VariantTerms;
}
