/** Values that two versions generated for the same thing: the key of a license here, and its key beside. */

/** This version, or the one beside it. */
export type Side = 'here' | 'beside';

/** The same thing of both versions. */
export interface Both<Value> {
  readonly here: Value;
  readonly beside: Value;
}

/** A generated value of each version, for one thing. */
export class Twin implements Both<string> {
  /** The kind of value, such as `license key`. */
  readonly kind: string;
  /** Counts all twins, so that reports name them without their values. */
  readonly number: number;
  readonly here: string;
  readonly beside: string;

  constructor(kind: string, number: number, { here, beside }: Both<string>) {
    this.kind = kind;
    this.number = number;
    this.here = here;
    this.beside = beside;
  }

  toString(): string {
    return `<${this.kind} ${this.number}>`;
  }
}

/** All twins: each value has one counterpart, and keeps it. */
export class Twins {
  readonly #all: Twin[] = [];
  readonly #bySide: Readonly<Record<Side, Map<string, Twin>>> = { here: new Map(), beside: new Map() };

  /**
   * Pairs two values, unless they are a pair already. Returns null if one of them belongs to another value: then the
   * two versions speak of different things.
   */
  pair(values: Both<string>, kind: string): Twin | null {
    const known = this.#bySide.here.get(values.here);
    if (known !== this.#bySide.beside.get(values.beside)) return null;
    if (known !== undefined) return known;
    const twin = new Twin(kind, this.#all.length + 1, values);
    this.#all.push(twin);
    this.#bySide.here.set(twin.here, twin);
    this.#bySide.beside.set(twin.beside, twin);
    return twin;
  }

  /** The twin that a value of one version belongs to. */
  of(side: Side, value: string): Twin | undefined {
    return this.#bySide[side].get(value);
  }

  get count(): number {
    return this.#all.length;
  }

  /** Separates the twins that were paired since there were `count`: they came with answers that do not agree. */
  undoTo(count: number): void {
    for (const { here, beside } of this.#all.splice(count)) {
      this.#bySide.here.delete(here);
      this.#bySide.beside.delete(beside);
    }
  }
}

/** A value for one version: twins within it become that version's values. */
export function forSide(value: unknown, side: Side): unknown {
  if (value instanceof Twin) return value[side];
  if (Array.isArray(value)) return value.map((each) => forSide(each, side));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, forSide(each, side)]));
  return value;
}

/** A value as a report shows it: twins by their kinds and numbers. */
export function forReport(value: unknown): unknown {
  if (value instanceof Twin) return String(value);
  if (Array.isArray(value)) return value.map(forReport);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, forReport(each)]));
  return value;
}
