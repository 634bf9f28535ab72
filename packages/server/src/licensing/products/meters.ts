/** Meters of a variant: features that are counted and have a limit for each period (rules 14.8). */
import { FieldFault, readField } from '../../platform/endpoint/field-types.ts';
import { isRecord } from '../../storage/contract/stored-json.ts';
import { readNamed } from './features.ts';

/** The periods after which a meter begins anew: none, those of the calendar in UTC, or the term of the license. */
export const METER_PERIODS = ['none', 'day', 'month', 'year', 'term'] as const;
export type MeterPeriod = (typeof METER_PERIODS)[number];

/** What happens beyond the limit: the use is refused, or counted. */
export const OVERAGES = ['refuse', 'count'] as const;
export type Overage = (typeof OVERAGES)[number];

export interface Meter {
  /** Units of a period; -1 is unlimited. */
  readonly limit: number;
  readonly period: MeterPeriod;
  readonly overage: Overage;
}

/** Meters by name. A name has the form of a feature's. */
export type Meters = Readonly<Record<string, Meter>>;

/** Limits of a license itself, laid over those of its variant. A name that the variant lacks has no effect. */
export type OwnMeters = Readonly<Record<string, { readonly limit: number }>>;

/** The limit of a meter without a limit. */
export const UNLIMITED_UNITS = -1;

/** The most units of one use, and of one correction. */
export const MAXIMUM_UNITS = 1_000_000_000;

const MAXIMUM_METERS = 10;
const MAXIMUM_LIMIT = 1_000_000_000_000;

const LIMIT_FAULT = `.limit must be -1 or a whole number from 0 to ${MAXIMUM_LIMIT}`;

function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= UNLIMITED_UNITS && (value as number) <= MAXIMUM_LIMIT;
}

function isAmong<Choice extends string>(choices: readonly Choice[], value: unknown): value is Choice {
  return (choices as readonly unknown[]).includes(value);
}

function readMeter(value: unknown): Meter | FieldFault {
  if (!isRecord(value)) return new FieldFault('must be an object of limit, period and overage');
  const { limit, period, overage = 'refuse' } = value;
  if (!isLimit(limit)) return new FieldFault(LIMIT_FAULT);
  if (!isAmong(METER_PERIODS, period)) return new FieldFault(`.period must be one of ${METER_PERIODS.join(', ')}`);
  if (!isAmong(OVERAGES, overage)) return new FieldFault(`.overage must be one of ${OVERAGES.join(', ')}`);
  return { limit, period, overage };
}

function readOwnMeter(value: unknown): OwnMeters[string] | FieldFault {
  if (!isRecord(value)) return new FieldFault('must be an object of limit');
  return isLimit(value.limit) ? { limit: value.limit } : new FieldFault(LIMIT_FAULT);
}

const limitSchema = { type: 'integer', minimum: UNLIMITED_UNITS, maximum: MAXIMUM_LIMIT };

/** The meters of a variant as a field. */
export function metersField(description: string) {
  return readField<Meters>(
    {
      type: 'object',
      description,
      maxProperties: MAXIMUM_METERS,
      additionalProperties: {
        component: 'Meter',
        type: 'object',
        required: ['limit', 'period'],
        properties: {
          limit: limitSchema,
          period: { type: 'string', enum: [...METER_PERIODS] },
          overage: { type: 'string', enum: [...OVERAGES] },
        },
      },
    },
    `must be an object of at most ${MAXIMUM_METERS} names`,
    (given) => readNamed(given, MAXIMUM_METERS, readMeter),
  );
}

/** The limits of a license itself as a field. */
export function ownMetersField(description: string) {
  return readField<OwnMeters>(
    {
      type: 'object',
      description,
      maxProperties: MAXIMUM_METERS,
      additionalProperties: { type: 'object', required: ['limit'], properties: { limit: limitSchema } },
    },
    `must be an object of at most ${MAXIMUM_METERS} names`,
    (given) => readNamed(given, MAXIMUM_METERS, readOwnMeter),
  );
}

/** The entries of a stored object that are meters. */
export function storedMeters(stored: unknown): Meters | null {
  return readable(stored, readMeter);
}

/** The entries of a stored object that are limits of a license itself. */
export function storedOwnMeters(stored: unknown): OwnMeters | null {
  return readable(stored, readOwnMeter);
}

function readable<Value>(
  stored: unknown,
  read: (value: unknown) => Value | FieldFault,
): Readonly<Record<string, Value>> | null {
  if (!isRecord(stored)) return null;
  const kept = Object.entries(stored).flatMap(([name, value]) => {
    const result = read(value);
    return result instanceof FieldFault ? [] : [[name, result] as const];
  });
  return kept.length === 0 ? null : Object.fromEntries(kept);
}
