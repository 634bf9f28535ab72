/** Exports the readable rows of a damaged SQLite file as lines for {@link importLines}. */
import { listNotesByIds } from '../../platform/events/note-store.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import { DamagedFile } from '../../storage/sqlite/sqlite-salvage.ts';
import { firstLine, LINE_KINDS, type LineKind, lastLine } from './format.ts';
import { KINDS } from './kinds.ts';

type Stored = Readonly<StoredRow>;

/** The result for one table. */
export interface Salvaged {
  readonly kind: LineKind;
  /** Number of lines written. */
  readonly lines: number;
  /** Number of unreadable rows; null when unknown, because no index of them can be read either. */
  readonly unreadable: number | null;
  /** Readable rows whose references are unreadable, so that an import refuses them. */
  readonly withoutOwner: number;
}

/** Notes read together. */
const NOTES_AT_ONCE = 200;

/** The sources of note ids: two indexes, and the table itself. */
const NOTE_IDS = [
  "select event_id from event indexed by event_by_note where type = 'license.noted' order by license_key",
  // The index omits activations, and SQLite needs the condition to use it.
  "select event_id from event indexed by event_by_type where type = 'license.noted' and type <> 'activation.created' order by event_id",
  "select event_id from event not indexed where type = 'license.noted' order by event_id",
];

/**
 * Reads a damaged file without changing it, and writes lines in the order for an import. Keeps about 100 bytes per
 * license to check whether the licenses of machines, violations and notes are readable.
 *
 * @param exportedAt the present time, a timestamp
 * @param write takes some lines, including their line ends
 * @param handled called with the number of rows read and their kind
 * @throws when the file does not exist, or its list of tables cannot be read
 */
export async function salvageFile(
  file: string,
  exportedAt: string,
  write: (text: string) => Promise<void>,
  handled: (rows: number, kind: LineKind) => void,
): Promise<readonly Salvaged[]> {
  const damaged = new DamagedFile(file);
  try {
    const salvage = new Salvage(damaged, write, handled);
    await write(firstLine(exportedAt));
    const salvaged: Salvaged[] = [];
    for (const kind of LINE_KINDS) salvaged.push(await salvage.table(kind));
    await write(lastLine(salvaged.reduce((sum, { lines }) => sum + lines, 0)));
    return salvaged;
  } finally {
    damaged.close();
  }
}

/** The identifying column of each kind that other lines refer to. */
const IDENTIFIERS: Readonly<Partial<Record<LineKind, string>>> = {
  product: 'product_id',
  code: 'code_folded',
  license: 'license_key',
};

/** The kinds that each kind refers to, with the referring column. */
const REFERENCES: Readonly<Partial<Record<LineKind, Readonly<Partial<Record<LineKind, string>>>>>> = {
  variant: { product: 'product_id' },
  machine: { license: 'license_key' },
  violation: { license: 'license_key' },
  note: { license: 'licenseKey' },
  redemption: { code: 'code_folded', license: 'license_key' },
};

class Salvage {
  readonly #damaged: DamagedFile;
  readonly #write: (text: string) => Promise<void>;
  readonly #handled: (rows: number, kind: LineKind) => void;
  readonly #known = new Map<LineKind, Set<unknown>>();

  constructor(
    damaged: DamagedFile,
    write: (text: string) => Promise<void>,
    handled: (rows: number, kind: LineKind) => void,
  ) {
    this.#damaged = damaged;
    this.#write = write;
    this.#handled = handled;
  }

  async table(kind: LineKind): Promise<Salvaged> {
    let [lines, readable, withoutOwner] = [0, 0, 0];
    const rows = kind === 'note' ? this.#notes() : this.#rows(KINDS[kind].table);
    for (let page = await rows.next(); ; page = await rows.next()) {
      if (page.done === true) {
        const total = page.value;
        return { kind, lines, withoutOwner, unreadable: total === null ? null : Math.max(0, total - readable) };
      }
      let text = '';
      for (const row of page.value) {
        const line = await this.#line(kind, row);
        if (line === undefined) continue;
        readable += 1;
        if (!this.#hasOwner(kind, row)) {
          withoutOwner += 1;
          continue;
        }
        this.#remember(kind, row);
        text += `${JSON.stringify({ kind, ...line })}\n`;
        lines += 1;
      }
      if (text !== '') await this.#write(text);
      this.#handled(page.value.length, kind);
    }
  }

  /** The rows of a table; returns their total number, or null when it is unknown. */
  async *#rows(table: string): AsyncGenerator<readonly Stored[], number | null> {
    let read = 0;
    const rows = this.#damaged.rows(table);
    for (let page = rows.next(); ; page = rows.next()) {
      if (page.done === true) return page.value.isWhole ? read : this.#damaged.count(table);
      read += page.value.length;
      yield page.value;
    }
  }

  /** Notes are events, found through the indexes that list them. */
  async *#notes(): AsyncGenerator<readonly Stored[], number | null> {
    const ids = new Set<string>();
    let isWhole = false;
    for (const query of NOTE_IDS) {
      const listed = this.#damaged.texts(query);
      for (const id of listed.found) ids.add(id);
      isWhole = listed.isWhole;
      if (isWhole) break;
    }
    const all = [...ids];
    for (let at = 0; at < all.length; at += NOTES_AT_ONCE) {
      const some = all.slice(at, at + NOTES_AT_ONCE);
      yield await this.#notesOf(some);
    }
    return isWhole ? ids.size : null;
  }

  async #notesOf(ids: readonly string[]): Promise<readonly Stored[]> {
    try {
      return await listNotesByIds(this.#damaged.sql, ids);
    } catch {
      if (ids.length === 1) return [];
      const notes = await Promise.all(ids.map((id) => this.#notesOf([id])));
      return notes.flat();
    }
  }

  /** The line of a row; undefined when the row is malformed, or its related rows are unreadable. */
  async #line(kind: LineKind, row: Stored): Promise<object | undefined> {
    try {
      return await KINDS[kind].line(row, this.#damaged.sql);
    } catch {
      return undefined;
    }
  }

  #hasOwner(kind: LineKind, row: Stored): boolean {
    return Object.entries(REFERENCES[kind] ?? {}).every(([owner, column]) =>
      this.#known.get(owner as LineKind)?.has(row[column]),
    );
  }

  #remember(kind: LineKind, row: Stored): void {
    const column = IDENTIFIERS[kind];
    if (column === undefined) return;
    const known = this.#known.get(kind) ?? new Set();
    this.#known.set(kind, known.add(row[column]));
  }
}
