/**
 * Holds a bounded number of refusals in memory until they are written. A program that is refused in a loop costs one
 * row an hour, and one that invents machines costs no more rows a minute than a license may have. Refusals beyond the
 * bounds appear only in the statistics.
 */
import { fromTimestamp, HOUR_MS, MINUTE_MS, SECOND_MS, toTimestamp } from '../../ground/base/clock.ts';
import { mintOrderedUuid } from '../../ground/base/random.ts';
import { type KeptRefusal, MAX_REFUSALS_OF_LICENSE } from './kept-refusal.ts';

/** Maximum number of new rows per second; the rows of MAX_SECONDS seconds may wait in memory. */
const MAX_ROWS = 1_000;
const MAX_SECONDS = 2;

/** A refused call of an existing license. */
export interface RefusedCall extends Omit<KeptRefusal, 'refusalId' | 'count' | 'firstAt' | 'lastAt'> {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A row in memory. Its times are numbers, because they are compared on every call. */
type Buffered = { -readonly [Field in keyof RefusedCall as Exclude<Field, 'now'>]: RefusedCall[Field] } & {
  readonly refusalId: string;
  count: number;
  /** Milliseconds since 1970, like `last`. */
  first: number;
  last: number;
};

export class RefusalBuffer {
  readonly #most: number;
  readonly #maxWaiting: number;
  /** By license, in order of creation; few enough for a linear search. */
  #licenses = new Map<string, Buffered[]>();
  #size = 0;
  /** New machine name by license, for licenses whose machines were renamed since rows were last taken. */
  #renamed = new Map<string, string>();
  /** The same, until the rows being written have been renamed as well. */
  #unwrittenNames = new Map<string, string>();
  readonly #second = new Span(SECOND_MS);
  #begunInSecond = 0;
  readonly #minute = new Span(MINUTE_MS);
  /**
   * New rows by license in this minute, at most {@link MAX_REFUSALS_OF_LICENSE}. A further one would replace another,
   * and PostgreSQL frees the room of those later: it grew by 150 MB a minute while 20 licenses were refused 3,000 times
   * a second under invented names.
   */
  #begunInMinute = new Map<string, number>();

  /** @param most maximum number of new rows per second */
  constructor(most = MAX_ROWS) {
    this.#most = most;
    this.#maxWaiting = most * MAX_SECONDS;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Adds a refusal to the row that it repeats, or creates a row. */
  gather(refused: RefusedCall): void {
    const { now } = refused;
    const known = this.#find(refused, now);
    if (known !== undefined) gatherInto(known, refused, 1, now, now);
    else if (this.#mayBegin(refused.licenseKey, now)) {
      const { now: first, ...facts } = refused;
      this.#put({ ...facts, refusalId: mintOrderedUuid(now), count: 1, first, last: first });
    }
  }

  /** Adds the refusals of another thread. */
  add(rows: readonly KeptRefusal[]): void {
    for (const row of rows) this.#addRow(row, ({ licenseKey, first }) => this.#mayBegin(licenseKey, first));
  }

  /** Removes and returns the rows since the last call. */
  take(): KeptRefusal[] {
    const rows = [...this.#licenses.values()].flat();
    this.#licenses = new Map();
    this.#size = 0;
    this.#renamed = new Map();
    return rows.map(({ first, last, ...row }) => ({ ...row, firstAt: toTimestamp(first), lastAt: toTimestamp(last) }));
  }

  /** Puts back rows that could not be written, as far as there is room. */
  giveBack(rows: readonly KeptRefusal[]): void {
    const renamed = this.#renamed;
    const given = rows.map((row) =>
      row.hostname === null ? row : { ...row, hostname: renamed.get(row.licenseKey) ?? row.hostname },
    );
    const since = this.take();
    for (const row of [...given, ...since]) this.#addRow(row, () => this.#size < this.#maxWaiting);
  }

  /**
   * Removes and returns the licenses and names of {@link renameMachines}. Rows that were being written at that time
   * have the former names in the table, because the rename in the table could not see them yet.
   */
  takeRenamed(): ReadonlyMap<string, string> {
    const renamed = this.#unwrittenNames;
    this.#unwrittenNames = new Map();
    return renamed;
  }

  /** Puts back licenses whose machines could not be renamed in the table. */
  giveBackRenamed(renamed: Iterable<readonly [licenseKey: string, hostname: string]>): void {
    this.#unwrittenNames = new Map([...renamed, ...this.#unwrittenNames]);
  }

  /** Replaces the names of a license's machines. */
  renameMachines(licenseKey: string, hostname: string): void {
    this.#renamed.set(licenseKey, hostname);
    this.#unwrittenNames.set(licenseKey, hostname);
    for (const row of this.#licenses.get(licenseKey) ?? []) if (row.hostname !== null) row.hostname = hostname;
  }

  #addRow(row: KeptRefusal, hasRoom: (row: Buffered) => boolean): void {
    const { firstAt, lastAt, ...facts } = row;
    const added = { ...facts, first: fromTimestamp(firstAt), last: fromTimestamp(lastAt) };
    const known = this.#find(added, added.first);
    if (known !== undefined) gatherInto(known, added, added.count, added.first, added.last);
    else if (hasRoom(added)) this.#put(added);
  }

  #find(kind: Pick<Buffered, 'licenseKey' | 'code' | 'fingerprint'>, now: number): Buffered | undefined {
    return this.#licenses
      .get(kind.licenseKey)
      ?.findLast(
        ({ code, fingerprint, first }) =>
          code === kind.code && fingerprint === kind.fingerprint && Math.abs(now - first) < HOUR_MS,
      );
  }

  /** True if there is room for a new row. A license that is full in memory drops its oldest row there. */
  #mayBegin(licenseKey: string, now: number): boolean {
    if ((this.#licenses.get(licenseKey)?.length ?? 0) >= MAX_REFUSALS_OF_LICENSE) return true;
    if (this.#second.hasPassed(now)) this.#begunInSecond = 0;
    if (this.#minute.hasPassed(now)) this.#begunInMinute = new Map();
    const ofLicense = this.#begunInMinute.get(licenseKey) ?? 0;
    if (ofLicense >= MAX_REFUSALS_OF_LICENSE) return false;
    if (this.#begunInSecond >= this.#most || this.#size >= this.#maxWaiting) return false;
    this.#begunInSecond += 1;
    this.#begunInMinute.set(licenseKey, ofLicense + 1);
    return true;
  }

  #put(row: Buffered): void {
    const rows = this.#licenses.get(row.licenseKey);
    if (rows === undefined) this.#licenses.set(row.licenseKey, [row]);
    else if (rows.push(row) > MAX_REFUSALS_OF_LICENSE) {
      rows.shift();
      return;
    }
    this.#size += 1;
  }
}

/** A span of time, by the clock of the calls. Counts begin at 0 with each span. */
class Span {
  readonly #lengthMs: number;
  #beganAt = 0;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /**
   * Returns true, and begins the next span, if this one is over. Late rows of another thread count in the present one;
   * a clock that was set back begins a new one.
   */
  hasPassed(now: number): boolean {
    if (now - this.#beganAt < this.#lengthMs && this.#beganAt - now <= MINUTE_MS) return false;
    this.#beganAt = now;
    return true;
  }
}

/** Adds refusals to a row. If they are later, the row takes its details from them. */
function gatherInto(
  row: Buffered,
  added: Pick<RefusedCall, 'endpoint' | 'hostname' | 'details' | 'requestId'>,
  count: number,
  first: number,
  last: number,
): void {
  row.count += count;
  row.first = Math.min(row.first, first);
  if (last < row.last) return;
  row.last = last;
  row.endpoint = added.endpoint;
  row.hostname = added.hostname ?? row.hostname;
  row.details = added.details;
  row.requestId = added.requestId;
}
