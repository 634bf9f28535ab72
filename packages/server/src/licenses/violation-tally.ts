/**
 * What this process saw of open violations since it last wrote them. A program that is refused in a loop would otherwise
 * write its evidence with every call: so a violation is written at most once a minute unless it gets graver, and repeats
 * are counted here until then.
 *
 * Nothing here decides anything. Whether a violation is open is always asked of the database, under the license's lock;
 * what is known here of one that is not open any more is no longer recalled.
 */
import { MINUTE_MS } from '../clock.ts';
import { merged, type Violation } from './violation.ts';

/** A violation is not written again before so long unless it gets graver. */
const WRITE_INTERVAL_MS = MINUTE_MS;
/** Violations that are remembered at once: 8 KiB each at most. Further ones are written every time. */
const MOST_REMEMBERED = 4_096;

/** A violation as this process knows it. */
export interface Remembered {
  /** What is stored, and gathered since; `occurrences` are as of the last write. */
  readonly violation: Violation;
  /** When it was written last, in milliseconds; by another process, when it was seen last. */
  readonly writtenAt: number;
  /** Repeats that are counted and not written. */
  readonly pending: number;
}

/** What names a violation in which observations gather. */
export type Gathering = Pick<Violation, 'licenseKey' | 'violationId'> & { readonly type: Violation['type'] };

/** Whether a violation may be written again. A clock that was set back does not put it off. */
export function isDue(writtenAt: number, now: number): boolean {
  return Math.abs(now - writtenAt) >= WRITE_INTERVAL_MS;
}

export class ViolationTally {
  /** By license key, then by type. */
  readonly #known = new Map<string, Map<Violation['type'], Remembered>>();
  readonly #most: number;
  #size = 0;
  /** Repeats of violations that are no longer the open ones of their license and type. */
  readonly #left = new Map<string, Remembered>();

  /** @param most how many violations are remembered at once */
  constructor(most = MOST_REMEMBERED) {
    this.#most = most;
  }

  /** What is known of a violation; undefined when that is nothing, or about another one of this license and type. */
  recall({ licenseKey, type, violationId }: Gathering): Remembered | undefined {
    const known = this.#known.get(licenseKey)?.get(type);
    return known?.violation.violationId === violationId ? known : undefined;
  }

  /** Whether a violation is remembered, or one more can be. */
  hasRoomFor(gathering: Gathering): boolean {
    return this.#size < this.#most || this.recall(gathering) !== undefined;
  }

  /** Remembers a violation as it was written. */
  written(violation: Violation, now: number): void {
    const gathering = violation;
    const pending = this.recall(gathering)?.pending ?? 0;
    if (this.hasRoomFor(gathering)) this.#set(gathering, { violation, writtenAt: now, pending });
  }

  /**
   * Counts repeats that are not written.
   *
   * @param before what the violation was taken for when they came, and when that was written last
   * @param after what they make of it
   */
  count(before: Omit<Remembered, 'pending'>, after: Violation, repeats: number, now: number): void {
    const gathering = after;
    const known = this.recall(gathering);
    // Repeats that were decided at the same time may have been counted in between.
    const isSame = known === undefined || known.violation === before.violation;
    this.#set(gathering, {
      violation: isSame ? after : merged(known.violation, after, now),
      writtenAt: known?.writtenAt ?? before.writtenAt,
      pending: (known?.pending ?? 0) + repeats,
    });
  }

  /** Takes the repeats out that are pending of a violation, to write them. Give them back when that fails. */
  take(gathering: Gathering): number {
    const left = this.#left.get(gathering.violationId);
    const known = this.recall(gathering);
    this.#left.delete(gathering.violationId);
    if (known !== undefined) this.#set(gathering, { ...known, pending: 0 });
    return (known?.pending ?? 0) + (left?.pending ?? 0);
  }

  /** Puts repeats back that were taken out and not written. */
  giveBack(taken: Remembered): void {
    const gathering = taken.violation;
    const known = this.recall(gathering);
    if (known === undefined) this.#leave(taken);
    else this.#set(gathering, { ...known, pending: known.pending + taken.pending });
  }

  /**
   * The violations whose repeats are to be written now. Forgets those of which nothing was seen for a while.
   *
   * @param isLast whether all are to be written because the process ends
   */
  due(now: number, isLast: boolean): Remembered[] {
    const due: Remembered[] = [...this.#left.values()];
    for (const types of this.#known.values())
      for (const known of types.values()) {
        if (!isLast && !isDue(known.writtenAt, now)) continue;
        if (known.pending > 0) due.push(known);
        else this.#forget(known.violation);
      }
    return due;
  }

  /** Forgets what is known of the violations of a license, and the repeats of them that are not written. */
  forget(licenseKey: string): void {
    for (const { violation } of [...(this.#known.get(licenseKey)?.values() ?? [])]) this.#forget(violation);
    for (const [violationId, { violation }] of this.#left)
      if (violation.licenseKey === licenseKey) this.#left.delete(violationId);
  }

  #set(gathering: Gathering, known: Remembered): void {
    const { licenseKey, type } = gathering;
    let types = this.#known.get(licenseKey);
    if (types === undefined) {
      types = new Map();
      this.#known.set(licenseKey, types);
    }
    const before = types.get(type);
    if (before === undefined) this.#size += 1;
    else if (before.violation.violationId !== gathering.violationId) this.#leave(before);
    types.set(type, known);
  }

  /** Keeps the repeats of a violation whose place another one takes: it was resolved, and a new one opened. */
  #leave(known: Remembered): void {
    const { violationId } = known.violation;
    if (known.pending === 0 || (this.#left.size >= this.#most && !this.#left.has(violationId))) return;
    const pending = (this.#left.get(violationId)?.pending ?? 0) + known.pending;
    this.#left.set(violationId, { ...known, pending });
  }

  #forget({ licenseKey, type }: Gathering): void {
    const types = this.#known.get(licenseKey);
    if (!types?.delete(type)) return;
    this.#size -= 1;
    if (types.size === 0) this.#known.delete(licenseKey);
  }
}
