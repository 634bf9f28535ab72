/** The difference between two values of a field, as a caller is told it. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord, recordOf } from '../../storage/contract/stored-json.ts';

/** The first difference between two values of a field. Within a record the field is `record.name`. */
export interface Difference {
  readonly field: string;
  readonly from: unknown;
  /** Undefined, as `from`, for a name that a record lacks. */
  readonly to: unknown;
}

/** The first difference between two values of a field; null if they are equal. Names of a record have no order. */
export function firstDifference(field: string, from: unknown, to: unknown): Difference | null {
  if (!isRecord(from) && !isRecord(to)) return isDeepStrictEqual(from, to) ? null : { field, from, to };
  return namedDifference(field, [...Object.keys(recordOf(from)), ...Object.keys(recordOf(to))], from, to);
}

/** The first of some names whose values differ in two records; null without one. Any other value has no names. */
export function namedDifference(
  field: string,
  names: readonly string[],
  from: unknown,
  to: unknown,
): Difference | null {
  const differing = names.find((name) => !isDeepStrictEqual(namedValue(from, name), namedValue(to, name)));
  if (differing === undefined) return null;
  return {
    field: `${field}.${differing}`,
    from: told(namedValue(from, differing)),
    to: told(namedValue(to, differing)),
  };
}

/** A null in a record is a value of its own, so it is not told as an absent name. */
function told(value: unknown): unknown {
  return value === null ? 'null' : value;
}

/** Objects have inherited names, such as `constructor`, which are not those of the record. */
function namedValue(record: unknown, name: string): unknown {
  return Object.hasOwn(recordOf(record), name) ? recordOf(record)[name] : undefined;
}

/** A value within a sentence. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
