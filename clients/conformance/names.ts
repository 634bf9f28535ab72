/** The names by which a scenario refers to values that differ in each playing, such as license keys and files. */
import { millisecondsOf } from './durations.ts';
import { isIn } from './matching.ts';

const NAME = /\{([\w-]+)\}/g;

export class Names {
  readonly #now: () => number;
  readonly #values = new Map<string, string>();

  /** @param now the correct time, milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The values by their names. */
  get all(): ReadonlyMap<string, string> {
    return this.#values;
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** Names a license key and its hint. A former key of this name goes on as `{name}-former`. */
  setKey(name: string, licenseKey: string): void {
    const former = this.#values.get(name);
    if (former !== undefined) this.setKey(`${name}-former`, former);
    this.set(name, licenseKey);
    this.set(`${name}-hint`, licenseKey.slice(licenseKey.lastIndexOf('-') + 1));
  }

  /** Replaces `{name}` by its value in all texts, and `{"in": "3d"}` by a time. */
  filled<Value>(value: Value): Value {
    if (typeof value === 'string')
      return value.replace(NAME, (whole, name: string) => this.#values.get(name) ?? whole) as Value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.filled(each)) as Value;
    if (isIn(value)) return new Date(this.#now() + millisecondsOf(value.in)).toISOString() as Value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.filled(each)])) as Value;
  }

  /** Fills in names, and `{"in": "3d"}` as milliseconds since 1970. */
  timed<Value>(value: Value): Value {
    return JSON.parse(JSON.stringify(this.named(value)), (_, each) =>
      isIn(each) ? this.#now() + millisecondsOf(each.in) : each,
    );
  }

  /** Fills in names only; times stay as they are, to be compared or computed. */
  named<Value>(value: Value): Value {
    return JSON.parse(JSON.stringify(value).replace(NAME, (whole, name: string) => this.#values.get(name) ?? whole));
  }
}
