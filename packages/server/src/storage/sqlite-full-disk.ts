/**
 * What becomes of a SQLite file when its disk is full: it grows no more, and what fits into it goes on. Deleting needs no
 * new page then, so tidying makes room inside the file, and what is written afterwards takes that room.
 *
 * A file that went on growing would take the last space for pages of its log that have no place in the file, after which
 * nothing can be written any more, not even a delete (sqlite-reserve.ts).
 */
import { elapsedMs } from '../clock.ts';
import { sqliteLogSettings } from './engine-differences.ts';
import type { Connection } from './sqlite-connection.ts';
import { isDiskShort, logBytesOfFullDisk, releaseReserve } from './sqlite-reserve.ts';

/** How often a full disk is looked at. */
const LOOK_INTERVAL_MS = 1_000;
/** As many pages as SQLite lets a file have. */
const MOST_PAGES = 4_294_967_294;
/** The log is written back at a mebibyte while the disk is full, and begun anew in the space that it has. */
const CHECKPOINT_PAGES_WHEN_FULL = 256;
/** So many free pages inside the file, eight mebibytes, and it takes writes again although its disk is full. */
const ENOUGH_FREE_PAGES = 2_048;

/** Watches the disk of one file for the connection that writes it. */
export class FullDisk {
  readonly #connection: Connection;
  readonly #file: string;
  #isFull = false;
  #hasRoomInside = false;
  #nextLookAtMs = 0;

  /** @param connection the one that writes; @param file its path */
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
   * Notes that something did not fit, outside a transaction. Where the disk is full the reserve is given up, so that the
   * log finds its place in the file and is begun anew.
   *
   * @returns whether it helps to try again
   */
  met(): boolean {
    // It was larger than what is free.
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
    // No fewer than the file has.
    this.#connection.execute('pragma max_page_count = 1');
    this.#lookInside();
  }

  /** Looks, once a second while the disk is full, whether it has room again. To be called between transactions. */
  look(): void {
    if (!this.#isFull || elapsedMs() < this.#nextLookAtMs) return;
    if (isDiskShort(this.#file)) {
      this.#lookInside();
      return;
    }
    this.#isFull = false;
    this.#connection.execute(`pragma max_page_count = ${MOST_PAGES}`);
    for (const setting of sqliteLogSettings) this.#connection.execute(`pragma ${setting}`);
  }

  #lookInside(): void {
    this.#nextLookAtMs = elapsedMs() + LOOK_INTERVAL_MS;
    try {
      this.#connection.execute('pragma wal_checkpoint(passive)');
    } catch {
      // There is no room for the log in the file; the next look tries again.
    }
    const row = this.#connection.database.prepare('pragma freelist_count').get();
    this.#hasRoomInside = Number(row?.freelist_count) >= ENOUGH_FREE_PAGES;
  }
}
