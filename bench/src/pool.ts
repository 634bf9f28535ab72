/**
 * The requests of one figure, prepared before the measurement. The side that knows the database writes them to a file
 * in wire format; the driver reads the file and only has to choose and send. Up to half a million requests lie in one
 * buffer, because as objects they would keep the driver's garbage collector busy.
 */
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { wireText } from './wire.ts';

/**
 * Placeholder in a body for a number that is new in every request, such as in the fingerprint of an unknown machine.
 * Eight digits replace it.
 */
export const FRESH_NUMBER_MARK = '########';

/**
 * Separator between a request and its expectation, and separator after that: characters that neither HTTP heads nor
 * JSON texts contain.
 */
const UNIT_SEPARATOR = '\u001f';
const RECORD_SEPARATOR = '\u001e';

/** Required fields of a response; others are ignored. */
export type ExpectedFields = Readonly<Record<string, string | number | boolean | null>>;

/** A request and the required fields of its response, which has status 200. */
export interface PreparedRequest {
  readonly body: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly fields: ExpectedFields;
}

/** The requests to one endpoint. */
export interface RequestSource {
  /** The endpoint's path with its slash. */
  readonly path: string;
  /** Additional headers of each request, such as a credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Maximum number of uses of each request, for limits such as the attempts per hour; requests are then sent in the
   * order of the source. Infinity: chosen at random, any number of times.
   */
  readonly usesMax: number;
  readonly requests: Iterable<PreparedRequest>;
}

/** Location of a written pool. */
export interface PoolFile {
  readonly file: string;
  /** As in {@link RequestSource}, with null for Infinity, which JSON cannot express. */
  readonly usesMax: number | null;
}

/** Writes requests to `file`, readable only by its owner. */
export async function writePool(file: string, source: RequestSource): Promise<PoolFile> {
  const { path, headers, requests } = source;
  function* records() {
    for (const { body, fields } of requests) {
      const request = wireText(path, JSON.stringify(body), headers);
      yield `${request}${UNIT_SEPARATOR}${JSON.stringify(fields)}${RECORD_SEPARATOR}`;
    }
  }
  await pipeline(Readable.from(records()), createWriteStream(file, { mode: 0o600 }));
  return { file, usesMax: Number.isFinite(source.usesMax) ? source.usesMax : null };
}

/**
 * Reads a pool.
 *
 * @throws if it contains no requests
 */
export async function readPool({ file, usesMax }: PoolFile): Promise<RequestPool> {
  const pool = new RequestPool(await readFile(file), usesMax ?? Number.POSITIVE_INFINITY);
  if (pool.size === 0) throw new Error(`${file} holds no requests`);
  return pool;
}

/** Prepared requests, by their index. */
export class RequestPool {
  readonly usesMax: number;
  readonly #records: Buffer;
  /** For each request: its start, the position of its fresh number (-1 for none), and its end. */
  readonly #starts: number[] = [];
  readonly #freshNumbers: number[] = [];
  readonly #ends: number[] = [];

  /** @param records the contents of a pool file */
  constructor(records: Buffer, usesMax: number) {
    this.#records = records;
    this.usesMax = usesMax;
    let start = 0;
    while (start < records.length) {
      const end = records.indexOf(UNIT_SEPARATOR, start);
      const freshNumber = records.subarray(start, end).indexOf(FRESH_NUMBER_MARK);
      this.#starts.push(start);
      this.#freshNumbers.push(freshNumber < 0 ? -1 : start + freshNumber);
      this.#ends.push(end);
      start = records.indexOf(RECORD_SEPARATOR, end) + 1;
    }
  }

  /** Number of requests. */
  get size(): number {
    return this.#starts.length;
  }

  /** The bytes of a request, with `freshNumber` in place of the mark. They are valid until the next call. */
  bytes(index: number, freshNumber: number): Buffer {
    let rest = freshNumber;
    const first = this.#freshNumbers[index]!;
    for (let at = first + FRESH_NUMBER_MARK.length - 1; first >= 0 && at >= first; at -= 1) {
      this.#records[at] = 48 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    return this.#records.subarray(this.#starts[index], this.#ends[index]);
  }

  /** The required fields of the response to a request. */
  expectedFields(index: number): ExpectedFields {
    const start = this.#ends[index]! + UNIT_SEPARATOR.length;
    const end = this.#records.indexOf(RECORD_SEPARATOR, start);
    return JSON.parse(this.#records.toString('utf8', start, end));
  }
}

/** The position of one server in a pool. Two servers get the same requests in the same order. */
export class PoolCursor {
  readonly pool: RequestPool;
  readonly #isLimited: boolean;
  #taken = 0;
  /** State of an xorshift generator: cheap, random enough to choose requests, and the same in every run. */
  #random = 0x9e3779b9;

  /** @param isLimited whether the server limits the uses of a request */
  constructor(pool: RequestPool, isLimited: boolean) {
    this.pool = pool;
    this.#isLimited = isLimited;
  }

  /** Number of requests taken so far. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether all requests have reached their maximum number of uses. */
  get isUsedUp(): boolean {
    return this.#isLimited && this.#taken >= this.pool.size * this.pool.usesMax;
  }

  /** Chooses the next request. Returns its index, or -1 if the pool is used up. */
  next(): number {
    const { size, usesMax } = this.pool;
    if (this.isUsedUp) return -1;
    this.#taken += 1;
    if (usesMax !== Number.POSITIVE_INFINITY) return (this.#taken - 1) % size;
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return (this.#random >>> 0) % size;
  }
}
