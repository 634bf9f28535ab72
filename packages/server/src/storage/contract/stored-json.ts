/**
 * Readers of the JSON in columns. A stored value may be anything: an older version may have imported the row, an
 * operator may have repaired it by hand, or the disk may have damaged it. Each reader therefore accepts any value and
 * leaves out the parts that do not fit. A bad row never fails the call that reads it, nor other calls in the same
 * batch.
 */

/** The parsed value of a column; undefined if it is not JSON. */
export function parseStored(stored: unknown): unknown {
  try {
    return JSON.parse(stored as string);
  } catch {
    return undefined;
  }
}

/** The elements of a list that have the wanted type; empty if the value is not a list. */
export function elementsOf<Element>(value: unknown, isWanted: (each: unknown) => each is Element): readonly Element[] {
  if (!Array.isArray(value)) return [];
  return value.every(isWanted) ? value : value.filter(isWanted);
}

/** The value if it is a record, else an empty record. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The fields of a record whose values have the wanted type. */
export function fieldsOf<Kind>(
  value: unknown,
  isWanted: (each: unknown) => each is Kind,
): Readonly<Record<string, Kind>> {
  const record = recordOf(value);
  // Nearly always all fields fit, and no copy is needed.
  if (Object.values(record).every(isWanted)) return record as Readonly<Record<string, Kind>>;
  return Object.fromEntries(Object.entries(record).filter((field): field is [string, Kind] => isWanted(field[1])));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Whether a value is a finite number: `1e999` is valid JSON and parses to Infinity. */
export function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
