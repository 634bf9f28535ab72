/**
 * The replays under way: reads the feed for them again, a few events at a time, and adds these to the outboxes. A
 * replay's position is saved with the outbox that got its events, so it survives a restart.
 */
import { fromTimestamp } from '../../ground/base/clock.ts';
import { eventIdBound } from '../../platform/events/event.ts';
import { includesType, MAX_WAITING } from '../destinations/destination.ts';
import type { Replay } from '../destinations/replay.ts';
import type { ReplayProgress } from '../destinations/replay-store.ts';
import { matches } from '../destinations/sendable.ts';
import type { Outbox } from './outbox.ts';
import type { Outboxes } from './outboxes.ts';
import type { DeliveryReader, FeedEntry, Saved, StoredDelivery } from './store.ts';
import { wantedBy } from './wanted-events.ts';

/** Untried events of a replay in an outbox at most; more are read when half of them were tried. */
const MAX_QUEUED = 100;
/** Replays read in one round. */
const READ_AT_ONCE = 4;

/**
 * Returns the number of events to add; 0 while more than half of the last ones are untried. Refused events have a bound
 * of their own: each waits for days, and a few of them would stop the replay.
 */
function roomIn(outbox: Outbox): number {
  const { untried, refused } = outbox.replayed;
  return untried > MAX_QUEUED / 2 ? 0 : Math.min(MAX_QUEUED - untried, MAX_WAITING - untried - refused);
}

class Cursor {
  readonly replay: Replay;
  position: number;
  sent: number;
  readonly #first: string;
  readonly #end: string;

  constructor(replay: Replay) {
    this.replay = replay;
    this.position = replay.position;
    this.sent = replay.sent;
    this.#first = eventIdBound(fromTimestamp(replay.since));
    this.#end = replay.until === null ? '~' : eventIdBound(fromTimestamp(replay.until));
  }

  get isOver(): boolean {
    return this.position >= this.replay.toPosition;
  }

  includes({ eventId, type }: FeedEntry['event']): boolean {
    const { types } = this.replay;
    return eventId >= this.#first && eventId < this.#end && (types === null || includesType(types, type));
  }
}

export class Replays {
  readonly #cursors = new Map<Outbox, Cursor>();

  /**
   * Applies the stored replay of a destination.
   *
   * @param waiting the stored deliveries. A replay that was read to its end leaves its last ones to be sent, and none
   * if it was ended
   */
  take(outbox: Outbox, stored: Replay | null, waiting: readonly StoredDelivery[]): void {
    const known = this.#cursors.get(outbox);
    if (known !== undefined && known.replay.replayId === stored?.replayId) return;
    outbox.dropReplayed(new Set(waiting.map(({ eventId }) => eventId)));
    outbox.hasReplay = stored !== null;
    if (stored === null) this.#cursors.delete(outbox);
    else {
      const cursor = new Cursor(stored);
      this.#cursors.set(outbox, cursor);
      // Nothing is read for a replay without positions, and the next write ends it.
      if (cursor.isOver) outbox.noteReplay();
    }
  }

  /** Forgets the replays that a write has ended: every event of them is settled or stored. */
  finish({ replays, progress }: Pick<Saved, 'replays' | 'progress'>): void {
    const over = new Set(replays.flatMap(({ replayId, isOver }) => (isOver ? [replayId] : [])));
    if (over.size === 0) return;
    const written = new Set(progress.map(({ destinationId }) => destinationId));
    for (const [outbox, { replay }] of this.#cursors) {
      if (!over.has(replay.replayId) || !written.has(replay.destinationId)) continue;
      outbox.hasReplay = false;
      this.#cursors.delete(outbox);
    }
  }

  clear(): void {
    this.#cursors.clear();
  }

  /** Forgets the replays of outboxes that were dropped. */
  forgetDropped(outboxes: Outboxes): void {
    for (const outbox of this.#cursors.keys())
      if (outboxes.get(outbox.destination.destinationId) !== outbox) this.#cursors.delete(outbox);
  }

  /**
   * Reads a page of the feed for each of a few replays.
   *
   * @returns true if there is more to read at once
   */
  async read(reader: Pick<DeliveryReader, 'readFeed'>, pageSize: number, outboxes: Outboxes): Promise<boolean> {
    let hasMore = false;
    const ready = [...this.#cursors].filter(
      ([outbox, cursor]) => !cursor.isOver && outbox.mayReplay && roomIn(outbox) >= 1,
    );
    for (const [outbox, cursor] of ready.slice(0, READ_AT_ONCE)) {
      const { entries, upTo, owners } = await reader.readFeed(
        cursor.position,
        pageSize,
        wantedBy([outbox.destination]),
      );
      const { toPosition } = cursor.replay;
      let position = Math.min(upTo, toPosition);
      let room = roomIn(outbox);
      for (const entry of entries) {
        if (entry.position > toPosition) break;
        if (!cursor.includes(entry.event) || !matches(outbox.destination, entry.event, owners)) continue;
        if (room === 0) {
          position = entry.position - 1;
          break;
        }
        if (!outboxes.change(outbox, () => outbox.addReplayed(entry))) continue;
        room -= 1;
        cursor.sent += 1;
      }
      cursor.position = Math.max(cursor.position, position);
      outbox.noteReplay();
      outboxes.noteChange(outbox);
      // Others have their turn before this one is read again.
      this.#cursors.delete(outbox);
      this.#cursors.set(outbox, cursor);
      if (room > 0 && !cursor.isOver) hasMore = true;
    }
    return hasMore;
  }

  /** The progress of all replays, to be saved with the outboxes. */
  progress(): ReplayProgress[] {
    return [...this.#cursors].map(([outbox, { replay, position, sent, isOver }]) => ({
      destinationId: outbox.destination.destinationId,
      replayId: replay.replayId,
      position,
      sent,
      isOver,
    }));
  }
}
