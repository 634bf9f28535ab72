/**
 * The requests of one figure, prepared before anything is measured. Whoever knows the database writes them to a file,
 * as the bytes that go over the wire; the driver reads it and only has to choose and send. Up to half a million of them
 * lie in one piece of memory: as objects they would keep the driver's garbage collector busy.
 */
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { wireText } from './wire.ts';

/**
 * Stands in a body where each sending needs a number that was not there before, such as the fingerprint of a machine
 * never seen. Eight digits take its place.
 */
export const FRESH_NUMBER_MARK = '########';

/** Between a request and its expectation, and after that: characters that neither HTTP heads nor JSON texts contain. */
const UNIT_SEPARATOR = '\u001f';
const RECORD_SEPARATOR = '\u001e';

/** The fields of an answer that must be as given here; others are not looked at. */
export type ExpectedFields = Readonly<Record<string, string | number | boolean | null>>;

/** A request and the fields of its answer, which has status 200. */
export interface PreparedRequest {
  readonly body: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly fields: ExpectedFields;
}

/** The requests to one endpoint. */
export interface RequestSource {
  /** The endpoint's path with its slash. */
  readonly path: string;
  /** Headers of each request beside the usual ones, such as a credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * How often each request may be sent, where a limit such as the attempts per hour forbids more; requests are then
   * sent in the order of the source. Infinity: chosen at random, any number of times.
   */
  readonly usesMax: number;
  readonly requests: Iterable<PreparedRequest>;
}

/** Where a pool was written. */
export interface PoolFile {
  readonly file: string;
  /** As in {@link RequestSource}, but null stands for Infinity, which JSON does not know. */
  readonly usesMax: number | null;
}

/** Writes requests to `file`, which only its owner can read. */
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
 * @throws when it holds no requests
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
  /** Of each request: where it starts, where its fresh number stands (-1: it has none), and where it ends. */
  readonly #starts: number[] = [];
  readonly #freshNumbers: number[] = [];
  readonly #ends: number[] = [];

  /** @param records the contents of a pool's file */
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

  /** How many requests there are. */
  get size(): number {
    return this.#starts.length;
  }

  /** The bytes of a request, with `freshNumber` where the body asks for one. They are valid until asked for again. */
  bytes(index: number, freshNumber: number): Buffer {
    let rest = freshNumber;
    const first = this.#freshNumbers[index]!;
    for (let at = first + FRESH_NUMBER_MARK.length - 1; first >= 0 && at >= first; at -= 1) {
      this.#records[at] = 48 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    return this.#records.subarray(this.#starts[index], this.#ends[index]);
  }

  /** The fields that the answer to a request must have. */
  expectedFields(index: number): ExpectedFields {
    const start = this.#ends[index]! + UNIT_SEPARATOR.length;
    const end = this.#records.indexOf(RECORD_SEPARATOR, start);
    return JSON.parse(this.#records.toString('utf8', start, end));
  }
}

/** One server's way through a pool. Two servers get the same requests in the same order. */
export class PoolCursor {
  readonly pool: RequestPool;
  readonly #isLimited: boolean;
  #taken = 0;
  /** State of an xorshift generator: cheap, good enough to choose requests, and the same in every run. */
  #random = 0x9e3779b9;

  /** @param isLimited whether the server minds how often it gets a request */
  constructor(pool: RequestPool, isLimited: boolean) {
    this.pool = pool;
    this.#isLimited = isLimited;
  }

  /** How many requests were taken so far. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether all requests have been sent as often as they may. */
  get isUsedUp(): boolean {
    return this.#isLimited && this.#taken >= this.pool.size * this.pool.usesMax;
  }

  /** Chooses the next request; its index, or -1 when they are used up. */
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
