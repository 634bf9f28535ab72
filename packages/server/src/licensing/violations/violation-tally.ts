/**
 * Observations of open violations by this process since their last write. A program that is refused in a loop would
 * otherwise write its evidence with every call. So a violation is written at most once a minute unless it becomes more
 * severe, and this class counts the repeats until then.
 *
 * Nothing here is a decision. The database always decides, under the license's lock, whether a violation is open; this
 * class does not recall violations that are no longer open.
 */
import { MINUTE_MS } from '../../ground/base/clock.ts';
import { merged, type Violation } from './violation.ts';
import { WaitingMachines } from './waiting-machines.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface RuleContext {
    /** Repeated violations that this process has counted but not written yet. */
    readonly violationTally: ViolationTally;
  }
}

/** Minimum interval between two writes of a violation, unless it becomes more severe. */
const WRITE_INTERVAL_MS = MINUTE_MS;
/** Violations remembered at once, at most 8 KiB each. Others are written every time. */
const MAX_REMEMBERED = 4_096;

/** A violation as known to this process. */
export interface Remembered {
  /** The stored violation with the observations since; `occurrences` are those of the last write. */
  readonly violation: Violation;
  /** Time of the last write in milliseconds; for a write by another process, the time of the last observation. */
  readonly writtenAt: number;
  /** Repeats counted but not written. */
  readonly pending: number;
}

/** Identifies a violation that gathers observations. */
export type Gathering = Pick<Violation, 'licenseKey' | 'violationId'> & { readonly type: Violation['type'] };

/** Whether a violation may be written again. A clock that was set back does not delay the write. */
export function isDue(writtenAt: number, now: number): boolean {
  return Math.abs(now - writtenAt) >= WRITE_INTERVAL_MS;
}

export class ViolationTally {
  /** New machines that wait for a seat; they are no violation yet. */
  readonly waiting = new WaitingMachines();
  /** By license key, then by type. */
  readonly #known = new Map<string, Map<Violation['type'], Remembered>>();
  readonly #most: number;
  #size = 0;
  /** Repeats of violations that have been replaced as the open one of their license and type. */
  readonly #left = new Map<string, Remembered>();

  /** @param most maximum number of remembered violations */
  constructor(most = MAX_REMEMBERED) {
    this.#most = most;
  }

  /**
   * The remembered state of a violation; undefined when there is none, or when it belongs to another violation of this
   * license and type.
   */
  recall({ licenseKey, type, violationId }: Gathering): Remembered | undefined {
    const known = this.#known.get(licenseKey)?.get(type);
    return known?.violation.violationId === violationId ? known : undefined;
  }

  /** Whether a violation is remembered, or there is room for one more. */
  hasRoomFor(gathering: Gathering): boolean {
    return this.#size < this.#most || this.recall(gathering) !== undefined;
  }

  /** Remembers a violation after its write. */
  written(violation: Violation, now: number): void {
    const gathering = violation;
    const pending = this.recall(gathering)?.pending ?? 0;
    if (this.hasRoomFor(gathering)) this.#set(gathering, { violation, writtenAt: now, pending });
  }

  /**
   * Counts repeats without writing them.
   *
   * @param before the violation that the repeats were decided on, and the time of its last write
   * @param after the violation with the repeats
   */
  count(before: Omit<Remembered, 'pending'>, after: Violation, repeats: number, now: number): void {
    const gathering = after;
    const known = this.recall(gathering);
    // Concurrent calls may have counted repeats in between.
    const isSame = known === undefined || known.violation === before.violation;
    this.#set(gathering, {
      violation: isSame ? after : merged(known.violation, after, now),
      writtenAt: known?.writtenAt ?? before.writtenAt,
      pending: (known?.pending ?? 0) + repeats,
    });
  }

  /** Removes and returns the pending repeats of a violation for a write. Call `giveBack` if the write fails. */
  take(gathering: Gathering): number {
    const left = this.#left.get(gathering.violationId);
    const known = this.recall(gathering);
    this.#left.delete(gathering.violationId);
    if (known !== undefined) this.#set(gathering, { ...known, pending: 0 });
    return (known?.pending ?? 0) + (left?.pending ?? 0);
  }

  /** Restores repeats that were taken and not written. */
  giveBack(taken: Remembered): void {
    const gathering = taken.violation;
    const known = this.recall(gathering);
    if (known === undefined) this.#leave(taken);
    else this.#set(gathering, { ...known, pending: known.pending + taken.pending });
  }

  /**
   * The violations whose repeats are due for a write. Drops violations without recent observations.
   *
   * @param isLast whether all repeats are due because the process ends
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

  /** Drops the remembered violations of a license, their unwritten repeats, and the machines that wait for a seat. */
  forget(licenseKey: string): void {
    this.waiting.forget(licenseKey);
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

  /** Keeps the repeats of a violation that was resolved and replaced by a new one. */
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
