/**
 * Readers of the JSON that columns hold. What is stored may be anything: a row may have been imported by an older version,
 * repaired by hand or damaged on disk. So each reader takes every value and leaves out what does not fit; a row never
 * fails the call that meets it, nor the calls that are decided with it.
 */

/** What a column holds; undefined where that is no JSON. */
export function parseStored(stored: unknown): unknown {
  try {
    return JSON.parse(stored as string);
  } catch {
    return undefined;
  }
}

/** The elements of a list that are of the wanted kind; none where it is no list. */
export function elementsOf<Element>(value: unknown, isWanted: (each: unknown) => each is Element): readonly Element[] {
  if (!Array.isArray(value)) return [];
  return value.every(isWanted) ? value : value.filter(isWanted);
}

/** A record; empty where the value is none. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The fields of a record whose values are of the wanted kind. */
export function fieldsOf<Kind>(
  value: unknown,
  isWanted: (each: unknown) => each is Kind,
): Readonly<Record<string, Kind>> {
  const record = recordOf(value);
  // Nearly always all of them: then nothing is made.
  if (Object.values(record).every(isWanted)) return record as Readonly<Record<string, Kind>>;
  return Object.fromEntries(Object.entries(record).filter((field): field is [string, Kind] => isWanted(field[1])));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Whether a value is a number that can be reckoned with: JSON may hold `1e999`. */
export function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
