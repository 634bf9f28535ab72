/** Features of a license: flags, numbers and texts by name (rules 14.2). */
import { endOf } from '../../ground/base/clock.ts';
import { FieldFault, readField } from '../../platform/endpoint/field-types.ts';
import { isRecord } from '../../storage/contract/stored-json.ts';

/** A flag, a whole number of at most 2^53-1 either way, or a text of 1 to 200 characters. */
export type FeatureValue = boolean | number | string;

/** Values by name. A name is 1 to 40 of `a-z 0-9 _ . -` and begins with a letter. */
export type Features = Readonly<Record<string, FeatureValue>>;

/** A value with an end, for an add-on that is rented. */
export interface RentedFeature {
  readonly value: FeatureValue;
  /** From this timestamp on, the variant's value is back. */
  readonly until: string;
}

/** The features of a license itself, laid over those of its variant. Null takes the variant's feature away. */
export type OwnFeatures = Readonly<Record<string, FeatureValue | RentedFeature | null>>;

const MAXIMUM_FEATURES = 50;
const MAXIMUM_TEXT = 200;
const NAME = /^[a-z][a-z0-9_.-]{0,39}$/;

const VALUE_FORM = `true, false, a whole number or a text of 1 to ${MAXIMUM_TEXT} characters`;

/** The sentence about a name of a feature or meter. */
export const NAME_FORM = 'a name of 1 to 40 of a-z 0-9 _ . - that begins with a letter';

/** Whether a text is a name of a feature or meter. */
export function isTermName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name);
}

function isFeatureValue(value: unknown): value is FeatureValue {
  if (typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (typeof value !== 'string' || value === '' || value.length > MAXIMUM_TEXT) return false;
  return !value.includes('\0') && value.isWellFormed();
}

/** Reads an object of at most `maximum` named entries; `entry` reads a value or returns the fault. */
export function readNamed<Value>(
  given: unknown,
  maximum: number,
  entry: (value: unknown) => Value | FieldFault,
): Readonly<Record<string, Value>> | FieldFault {
  if (!isRecord(given) || Object.keys(given).length > maximum)
    return new FieldFault(`must be an object of at most ${maximum} names`);
  const read: [string, Value][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (!isTermName(name)) return new FieldFault(`must have names of another form: ${NAME_FORM}`);
    const result = entry(value);
    if (result instanceof FieldFault)
      return new FieldFault(`.${name}${result.text.startsWith('.') ? '' : ' '}${result.text}`);
    read.push([name, result]);
  }
  return Object.fromEntries(read);
}

/** The value of a feature in the reference. */
export const featureValueSchema = {
  component: 'FeatureValue',
  anyOf: [{ type: 'boolean' }, { type: 'integer' }, { type: 'string' }],
} as const;

/** The features of a variant as a field. */
export function featuresField(description: string) {
  return readField<Features>(
    {
      type: 'object',
      description,
      maxProperties: MAXIMUM_FEATURES,
      additionalProperties: featureValueSchema,
    },
    `must be an object of at most ${MAXIMUM_FEATURES} names`,
    (given) =>
      readNamed(given, MAXIMUM_FEATURES, (value) =>
        isFeatureValue(value) ? value : new FieldFault(`must be ${VALUE_FORM}`),
      ),
  );
}

/** The features of a license itself as a field. */
export function ownFeaturesField(description: string) {
  return readField<OwnFeatures>(
    {
      type: 'object',
      description,
      maxProperties: MAXIMUM_FEATURES,
      additionalProperties: {
        component: 'OwnFeature',
        anyOf: [
          ...featureValueSchema.anyOf,
          { type: 'null' },
          {
            type: 'object',
            required: ['value', 'until'],
            properties: {
              value: featureValueSchema,
              until: { type: 'string', format: 'date-time' },
            },
          },
        ],
      },
    },
    `must be an object of at most ${MAXIMUM_FEATURES} names`,
    (given) => readNamed(given, MAXIMUM_FEATURES, readOwnFeature),
  );
}

function readOwnFeature(value: unknown): FeatureValue | RentedFeature | null | FieldFault {
  if (value === null || isFeatureValue(value)) return value;
  if (!isRecord(value)) return new FieldFault(`must be ${VALUE_FORM}, null, or an object of value and until`);
  const { value: rented, until } = value;
  if (!isFeatureValue(rented)) return new FieldFault(`.value must be ${VALUE_FORM}`);
  const end = typeof until === 'string' ? endOf(until) : null;
  return end === null ? new FieldFault('.until must be an ISO 8601 timestamp') : { value: rented, until: end };
}

/** A list of 1 to 50 names of features as a field. */
export function featureNamesField(description: string) {
  return readField<readonly string[]>(
    { type: 'array', description, minItems: 1, maxItems: MAXIMUM_FEATURES, items: { type: 'string' } },
    `must be a list of 1 to ${MAXIMUM_FEATURES} names of features`,
    (given) =>
      Array.isArray(given) && given.length > 0 && given.length <= MAXIMUM_FEATURES && given.every(isTermName)
        ? [...new Set(given)]
        : new FieldFault(`must be a list of 1 to ${MAXIMUM_FEATURES} names of features`),
  );
}

/** Whether an entry of {@link OwnFeatures} has an end. */
export function isRented(value: OwnFeatures[string]): value is RentedFeature {
  return typeof value === 'object' && value !== null;
}

/** The variant's features, overlaid by the license's own without those that have ended, by name. */
export function effectiveFeatures(variant: Features | null, own: OwnFeatures | null, now: string): Features | null {
  if (own === null) return variant;
  const laid = new Map<string, FeatureValue>(Object.entries(variant ?? {}));
  for (const [name, value] of Object.entries(own)) {
    if (value === null) laid.delete(name);
    else if (!isRented(value)) laid.set(name, value);
    else if (value.until > now) laid.set(name, value.value);
  }
  return laid.size === 0 ? null : Object.fromEntries(laid);
}

/** The names among those asked for that a license lacks: absent, false or 0 (rules 14.2). */
export function missingFeatures(features: Features | null, names: readonly string[]): readonly string[] {
  const has = (name: string) => features !== null && Object.hasOwn(features, name) && isGiven(features[name]);
  return names.filter((name) => !has(name));
}

function isGiven(value: FeatureValue | undefined): boolean {
  return value !== undefined && value !== false && value !== 0;
}

/** The entries of a stored object that are features; see storage/contract/stored-json.ts. */
export function storedFeatures(stored: unknown): Features | null {
  if (!isRecord(stored)) return null;
  const kept = Object.entries(stored).filter((entry): entry is [string, FeatureValue] => isFeatureValue(entry[1]));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** The entries of a stored object that are features of a license itself. */
export function storedOwnFeatures(stored: unknown): OwnFeatures | null {
  if (!isRecord(stored)) return null;
  const kept = Object.entries(stored).flatMap(([name, value]) => {
    const read = readOwnFeature(value);
    return read instanceof FieldFault ? [] : [[name, read] as const];
  });
  return kept.length === 0 ? null : Object.fromEntries(kept);
}
