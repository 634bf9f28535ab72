/**
 * Stops a SQLite file from growing when its disk is full; writes that fit into the file go on. Deleting needs no new
 * page then, so tidying frees pages inside the file, and later writes use them.
 *
 * A file that went on growing would fill the disk with log pages that have no place in the file. After that no write
 * succeeds, not even a delete (sqlite-reserve.ts).
 */
import { elapsedMs } from '../../ground/base/clock.ts';
import type { Connection } from './sqlite-connection.ts';
import { sqliteLogSettings } from './sqlite-differences.ts';
import { isDiskShort, logBytesOfFullDisk, releaseReserve } from './sqlite-reserve.ts';

/** Interval between checks of a full disk. */
const LOOK_INTERVAL_MS = 1_000;
/** SQLite's maximum number of pages of a file. */
const MAX_PAGES = 4_294_967_294;
/** While the disk is full, a checkpoint runs at one mebibyte of log, and the log restarts in the space that it has. */
const CHECKPOINT_PAGES_WHEN_FULL = 256;
/** Free pages inside the file (eight mebibytes) at which it accepts writes again although its disk is full. */
const ENOUGH_FREE_PAGES = 2_048;

/** Watches the disk of one file for its writing connection. */
export class FullDisk {
  readonly #connection: Connection;
  readonly #file: string;
  #isFull = false;
  #hasRoomInside = false;
  #nextLookAtMs = 0;

  /** @param connection the writing connection; @param file the path of its file */
  constructor(connection: Connection, file: string) {
    this.#connection = connection;
    this.#file = file;
    if (isDiskShort(file)) this.#stopGrowing();
  }

  /** Whether the disk is full and the file may not grow. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether writes that need new pages are refused. */
  get refusesGrowth(): boolean {
    return this.#isFull && !this.#hasRoomInside;
  }

  /**
   * Handles a write that did not fit; to be called outside a transaction. If the disk is full, deletes the reserve, so
   * that the log can be written back and restarted.
   *
   * @returns whether a retry may succeed
   */
  met(): boolean {
    // The disk is not short: the write was larger than the free space.
    if (!this.#isFull && !isDiskShort(this.#file)) return false;
    const hadReserve = releaseReserve(this.#file);
    if (this.#isFull && !hadReserve) return false;
    this.#stopGrowing();
    return true;
  }

  #stopGrowing(): void {
    this.#isFull = true;
    this.#connection.execute(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES_WHEN_FULL}`);
    this.#connection.execute(`pragma journal_size_limit = ${logBytesOfFullDisk(this.#file)}`);
    // SQLite raises this limit to the present number of pages.
    this.#connection.execute('pragma max_page_count = 1');
    this.#lookInside();
  }

  /** Checks once a second, while the disk is full, whether it has space again. To be called between transactions. */
  look(): void {
    if (!this.#isFull || elapsedMs() < this.#nextLookAtMs) return;
    if (isDiskShort(this.#file)) {
      this.#lookInside();
      return;
    }
    this.#isFull = false;
    this.#connection.execute(`pragma max_page_count = ${MAX_PAGES}`);
    for (const setting of sqliteLogSettings) this.#connection.execute(`pragma ${setting}`);
  }

  #lookInside(): void {
    this.#nextLookAtMs = elapsedMs() + LOOK_INTERVAL_MS;
    try {
      this.#connection.execute('pragma wal_checkpoint(passive)');
    } catch {
      // The log does not fit into the file; the next check tries again.
    }
    const row = this.#connection.database.prepare('pragma freelist_count').get();
    this.#hasRoomInside = Number(row?.freelist_count) >= ENOUGH_FREE_PAGES;
  }
}
