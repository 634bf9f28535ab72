/** Reads the fields of sellers' bodies: each with a type and a bound, and an error that names the field. */
import { readAddress } from '../../../ground/base/typed-text.ts';

const MAX_TEXT = 255;
const MAX_ITEMS = 1000;
const MAX_AMOUNT = 1e15;
const MAX_DEPTH = 64;
/** Longest address that a license takes. */
const MAX_ADDRESS = 320;

/** The first moment of the year 10000. */
const END_OF_TIME = 253_402_300_800_000;

/** A field is not as the source knows it. The message is the path of the field, and never its value. */
export class UnknownShape extends Error {}

/** An object of JSON, or a form. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnknownShape(path);
    this.#values = value as Readonly<Record<string, unknown>>;
    this.#path = path;
  }

  get names(): readonly string[] {
    return Object.keys(this.#values);
  }

  /** All fields as JSON. */
  json(): string {
    return JSON.stringify(this.#values);
  }

  /** Whether the field is there and not null. */
  has(name: string): boolean {
    return Object.hasOwn(this.#values, name) && this.#values[name] !== null && this.#values[name] !== undefined;
  }

  object(name: string): Fields {
    return new Fields(this.#get(name), this.#at(name));
  }

  maybeObject(name: string): Fields | null {
    return this.has(name) && typeof this.#get(name) === 'object' && !Array.isArray(this.#get(name))
      ? this.object(name)
      : null;
  }

  list(name: string): readonly Fields[] {
    const value = this.#get(name);
    if (!Array.isArray(value) || value.length > MAX_ITEMS) throw this.#unknown(name);
    return value.map((each, index) => new Fields(each, `${this.#at(name)}[${index}]`));
  }

  maybeList(name: string): readonly Fields[] {
    return this.has(name) ? this.list(name) : [];
  }

  /** A text of 1 to 255 characters. */
  text(name: string): string {
    const value = this.#get(name);
    if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT) throw this.#unknown(name);
    // Databases store neither.
    if (value.includes('\0') || !value.isWellFormed()) throw this.#unknown(name);
    return value;
  }

  /** Null for a field that is absent, null or empty. */
  maybeText(name: string): string | null {
    return this.has(name) && this.#get(name) !== '' ? this.text(name) : null;
  }

  /** An id: a text, or a whole number that is kept as text. 0 is no id. */
  id(name: string): string {
    const value = this.#get(name);
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? String(value) : this.text(name);
  }

  maybeId(name: string): string | null {
    const value = this.#get(name);
    return this.has(name) && value !== '' && value !== 0 && value !== '0' ? this.id(name) : null;
  }

  /** The id of an object that stands here whole or by its id alone. */
  maybeIdOf(name: string): string | null {
    return this.maybeObject(name)?.id('id') ?? this.maybeId(name);
  }

  /** A whole number, or a text of one. */
  whole(name: string): number {
    const given = this.#get(name);
    const value = typeof given === 'string' && /^-?\d{1,15}$/.test(given) ? Number(given) : given;
    if (!Number.isSafeInteger(value) || Math.abs(value as number) > MAX_AMOUNT) throw this.#unknown(name);
    return value as number;
  }

  maybeWhole(name: string): number | null {
    return this.has(name) && this.#get(name) !== '' ? this.whole(name) : null;
  }

  /** A number with decimals, as it was written. */
  decimal(name: string): string {
    const value = this.#get(name);
    const written = typeof value === 'number' ? String(value) : value;
    if (typeof written !== 'string' || !/^-?\d{1,15}(\.\d{1,12})?$/.test(written)) throw this.#unknown(name);
    return written;
  }

  /** True for `true`, 1 and `"true"`; a field that is absent is false. */
  flag(name: string): boolean {
    const value = this.#get(name);
    return value === true || value === 1 || value === 'true' || value === '1';
  }

  /** A moment that is given in seconds, as milliseconds since 1970. */
  seconds(name: string): number {
    return this.#moment(name, this.whole(name) * 1000);
  }

  maybeSeconds(name: string): number | null {
    return this.has(name) ? this.seconds(name) : null;
  }

  /** A moment that is given in milliseconds since 1970. */
  milliseconds(name: string): number {
    return this.#moment(name, this.whole(name));
  }

  /** A moment in ISO 8601, as milliseconds since 1970. Without a time zone it is UTC. */
  moment(name: string): number {
    const text = this.text(name);
    if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/.test(text)) throw this.#unknown(name);
    const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
    return this.#moment(name, Date.parse(zoned.replace(' ', 'T')));
  }

  maybeMoment(name: string): number | null {
    return this.maybeText(name) === null ? null : this.moment(name);
  }

  /** An e-mail address ({@link readAddress}); null for anything else, because buyers type them. */
  email(name: string): string | null {
    const value = this.#get(name);
    return typeof value === 'string' && value.length <= MAX_ADDRESS ? readAddress(value) : null;
  }

  /** The language of a locale such as `de-AT` or `pt_BR`; null for anything else. */
  language(name: string): string | null {
    return languageOf(this.#get(name));
  }

  /** The first language of a list of locales. */
  firstLanguage(name: string): string | null {
    const value = this.#get(name);
    return Array.isArray(value) ? languageOf(value[0]) : null;
  }

  /** An ISO 4217 code in capitals. */
  currency(name: string): string {
    const code = this.text(name).toUpperCase();
    if (!/^[A-Z]{3}$/.test(code)) throw this.#unknown(name);
    return code;
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  #at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  #unknown(name: string): UnknownShape {
    return new UnknownShape(this.#at(name));
  }

  #moment(name: string, milliseconds: number): number {
    if (!(milliseconds >= 0 && milliseconds < END_OF_TIME)) throw this.#unknown(name);
    return milliseconds;
  }
}

function languageOf(value: unknown): string | null {
  return (typeof value === 'string' ? /^([a-z]{2,3})(?:[-_]|$)/i.exec(value)?.[1]?.toLowerCase() : null) ?? null;
}

/**
 * Reads JSON that is nested up to 64 deep.
 *
 * @throws {UnknownShape} for anything else
 */
export function parseJson(text: string): Fields {
  if (deepestNesting(text) > MAX_DEPTH) throw new UnknownShape('body');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnknownShape('body');
  }
  return new Fields(value, '');
}

/** How deep arrays and objects are nested, for text that need not be JSON; in one pass. */
function deepestNesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInText && character === '\\') at += 1;
    else if (character === '"') isInText = !isInText;
    else if (isInText) continue;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
