/**
 * Imports a file of lines: reports each refused line, and adds the others in batches. Existing content is left
 * unchanged, so a file can be imported again.
 */
import { createHash } from 'node:crypto';
import { toTimestamp } from '../../ground/base/clock.ts';
import { type FieldSource, fieldReader } from '../../platform/endpoint/fields.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Sql, Storage, Tx } from '../../storage/contract/storage.ts';
import { ColumnsError, csvRows, separatorOf, shownName, UnreadableRestError } from './csv.ts';
import { FORMAT_VERSION, LINE_KINDS, type LineKind } from './format.ts';
import { KINDS } from './kinds.ts';
import { type Line, linesOf, peekFirstLine } from './lines.ts';
import type { Given, PlannedRecords, RecordKind } from './record.ts';

/** Parsers for the fields of each kind. */
const readers = new Map(LINE_KINDS.map((kind) => [kind, fieldReader(KINDS[kind].shape, KINDS[kind].missing)] as const));

/** The number of lines without JSON at the beginning of a file after which the rest is not read. */
const FOREIGN_LINES = 10;

/** The fault of a line that is not JSON. */
const NOT_JSON = 'is not JSON';

/** Maximum number of lines of one kind, and of their bytes, per batch. */
const BATCH_LINES = 2_000;
const BATCH_BYTES = 4_000_000;

/** The result of an import. */
export interface ImportResult {
  readonly added: Readonly<Partial<Record<LineKind, number>>>;
  /** Lines whose content existed already. */
  readonly present: number;
  readonly refused: number;
  /** A fault of the file as a whole; null without one. */
  readonly fault: ImportFault | null;
}

export type ImportFault =
  /** The file is neither JSON Lines nor CSV. */
  | { readonly kind: 'format' }
  /** The file is UTF-16, and nothing was read. */
  | { readonly kind: 'utf16' }
  /** The header of a CSV file is wrong, and nothing was read. */
  | { readonly kind: 'columns'; readonly reason: string }
  /** The file is damaged; its lines before the damage were read. */
  | { readonly kind: 'damage'; readonly reason: string };

/** Receives the progress of an import. */
export interface ImportListener {
  /** A line was refused. The reason never quotes the line, which may contain a license key. */
  refused(line: number, reason: string): void;
  /** Reports further lines and bytes as processed. */
  handled(lines: number, bytes: number): void;
}

/** A line with its fields. In CSV every value is text, as in a query. */
interface ReadLine {
  readonly kind: LineKind;
  readonly values: Readonly<Record<string, unknown>>;
  readonly from: FieldSource;
}

/** A line waiting for its batch. */
interface Waiting {
  readonly line: number;
  readonly given: Given<object>;
}

/**
 * Imports a file of lines into a database: JSON Lines, or CSV with a header line. Nothing is overwritten.
 *
 * @param isDry only determines the result of each line; keeps about 150 bytes for each line that it would add and
 *   for each key that the line claims
 * @param now milliseconds since 1970
 * @throws when the database cannot be read or written; earlier batches stay, and no batch is written in part
 */
export async function importLines(
  storage: Storage,
  source: AsyncIterable<Uint8Array>,
  { isDry, now }: { readonly isDry: boolean; readonly now: number },
  listener: ImportListener,
): Promise<ImportResult> {
  return new Import(storage, isDry, now, listener).run(source);
}

class Import {
  readonly #storage: Storage;
  readonly #isDry: boolean;
  readonly #origin: Origin;
  readonly #listener: ImportListener;
  readonly #planned = new DryRunLines();
  readonly #added: Partial<Record<LineKind, number>> = {};
  #present = 0;
  #refused = 0;
  #kind: LineKind = 'license';
  #batch: Waiting[] = [];
  #bytes = 0;
  /** The numbers of the lines without JSON before the first one with JSON; null after that one. */
  #foreign: number[] | null = [];

  constructor(storage: Storage, isDry: boolean, now: number, listener: ImportListener) {
    this.#storage = storage;
    this.#isDry = isDry;
    this.#origin = { actor: { kind: 'command', name: 'import' }, requestId: null, now };
    this.#listener = listener;
  }

  async run(source: AsyncIterable<Uint8Array>): Promise<ImportResult> {
    const { firstLine, isUtf16, whole } = await peekFirstLine(source);
    if (isUtf16) return { added: {}, present: 0, refused: 0, fault: { kind: 'utf16' } };
    const separator = separatorOf(firstLine);
    const fault = separator === null ? await this.#readLines(whole) : await this.#readCsv(whole, separator);
    await this.#flush();
    return { added: this.#added, present: this.#present, refused: this.#refused, fault };
  }

  /** Reads the rows of a CSV file of licenses. */
  async #readCsv(source: AsyncIterable<Uint8Array>, separator: string): Promise<ImportFault | null> {
    try {
      for await (const row of csvRows(source, separator, KINDS.license.shape)) {
        if ('fault' in row.read) this.#refuse(row.number, row.read.fault);
        else await this.#take(row, { kind: 'license', values: row.read.values, from: 'query' });
        this.#listener.handled(1, row.bytes);
      }
      return null;
    } catch (error) {
      if (error instanceof ColumnsError) return { kind: 'columns', reason: error.message };
      if (error instanceof UnreadableRestError) return { kind: 'damage', reason: error.message };
      throw error;
    }
  }

  async #readLines(source: AsyncIterable<Uint8Array>): Promise<ImportFault | null> {
    let isWhole = true;
    let fault: string | null = null;
    for await (const line of linesOf(source)) {
      const parsed = parseLine(line);
      if (this.#isForeign(line.number, parsed)) {
        if (this.#foreign?.length === FOREIGN_LINES) break;
      } else if ('header' in parsed) {
        fault = line.number === 1 ? headerFault(parsed.header) : 'its header stands among other lines';
        if (fault !== null) break;
        isWhole = false;
      } else if ('end' in parsed) {
        isWhole = true;
        if (parsed.end !== line.number - 2) fault = 'its last line states another number of lines';
      } else if ('fault' in parsed) this.#refuse(line.number, parsed.fault);
      else if (!('blank' in parsed)) await this.#take(line, { ...parsed, from: 'body' });
      this.#listener.handled(1, line.bytes + 1);
    }
    if (this.#foreign !== null && this.#foreign.length > 0) return { kind: 'format' };
    if (!isWhole) fault ??= 'it was cut off: its last line is missing';
    return fault === null ? null : { kind: 'damage', reason: fault };
  }

  /** Whether only lines without JSON came so far. The first line with JSON refuses those before it one by one. */
  #isForeign(number: number, parsed: Parsed): boolean {
    if (this.#foreign === null || 'blank' in parsed) return false;
    if ('fault' in parsed && parsed.fault === NOT_JSON) {
      this.#foreign.push(number);
      return true;
    }
    for (const each of this.#foreign) this.#refuse(each, NOT_JSON);
    this.#foreign = null;
    return false;
  }

  async #take(line: Pick<Line, 'number' | 'bytes'>, { kind, values, from }: ReadLine): Promise<void> {
    const records = KINDS[kind];
    const read = readers.get(kind)!(values, from);
    if ('refusal' in read) {
      this.#refuse(line.number, String(read.refusal.details?.message));
      return;
    }
    const made = records.content(read.fields, toTimestamp(this.#origin.now));
    if ('fault' in made) {
      this.#refuse(line.number, made.fault);
      return;
    }
    if (kind !== this.#kind || this.#batch.length === BATCH_LINES || this.#bytes + line.bytes > BATCH_BYTES)
      await this.#flush();
    this.#kind = kind;
    this.#bytes += line.bytes;
    this.#batch.push({ line: line.number, given: { ...made, said: Object.keys(read.fields) } });
  }

  async #flush(): Promise<void> {
    const [batch, kind] = [this.#batch, this.#kind];
    this.#batch = [];
    this.#bytes = 0;
    if (batch.length === 0) return;
    const records = KINDS[kind];
    const decide = async (sql: Sql, tx: Tx | null) =>
      decideBatch(kind, batch, await records.loadExisting(sql, tx, contentsOf(batch), this.#planned), this.#planned);
    const outcome = this.#isDry
      ? await this.#storage.read((sql) => decide(sql, null))
      : await this.#storage.transaction(async (tx) => {
          const decided = await decide(tx, tx);
          if (decided.added.length > 0) await records.add(tx, contentsOf(decided.added), this.#origin);
          return decided;
        });
    const { added, refused } = outcome;
    // In a dry run, additions of earlier batches are not in the database.
    if (this.#isDry) for (const { given } of added) this.#planned.add(kind, given);
    this.#present += outcome.present;
    if (added.length > 0) this.#added[kind] = (this.#added[kind] ?? 0) + added.length;
    for (const { line, reason } of refused) this.#refuse(line, reason);
  }

  #refuse(line: number, reason: string): void {
    this.#refused += 1;
    this.#listener.refused(line, reason);
  }
}

const ANOTHER_LINE = 'a line before it has the same identifier and other content';

const contentsOf = (batch: readonly Waiting[]): readonly object[] => batch.map(({ given }) => given.content);

/** Decides on a batch line by line, because a line may repeat an earlier one of the batch. */
function decideBatch(
  kind: LineKind,
  batch: readonly Waiting[],
  { present, refusal }: Awaited<ReturnType<RecordKind<object>['loadExisting']>>,
  planned: DryRunLines,
): { added: Waiting[]; present: number; refused: { line: number; reason: string }[] } {
  const added: Waiting[] = [];
  const ofBatch = new Map<string, object>();
  const claimed = new Set<string>();
  const refused: { line: number; reason: string }[] = [];
  let there = 0;
  for (const waiting of batch) {
    const { line, given } = waiting;
    const known = present.get(given.id) ?? ofBatch.get(given.id);
    if (known !== undefined) {
      const differing = differingField(given, known);
      const confused = KINDS[kind].confused?.(given.content, known) ?? null;
      if (confused !== null) refused.push({ line, reason: confused });
      else if (differing === null) there += 1;
      else refused.push({ line, reason: `it exists already with another ${differing}, which stays unchanged` });
      continue;
    }
    if (planned.has(kind, given.id)) {
      if (planned.agrees(kind, given)) there += 1;
      else refused.push({ line, reason: ANOTHER_LINE });
      continue;
    }
    const keys = claimsOf(kind, given);
    const isTaken = keys.some((key) => claimed.has(key) || planned.isClaimed(kind, key));
    const reason = refusal(given.content) ?? (isTaken ? KINDS[kind].claims!.taken : null);
    if (reason !== null) refused.push({ line, reason });
    else {
      added.push(waiting);
      ofBatch.set(given.id, given.content);
      for (const key of keys) claimed.add(key);
    }
  }
  return { added, present: there, refused };
}

const claimsOf = (kind: LineKind, { content }: Given<object>) => KINDS[kind].claims?.keysOf(content) ?? [];

/** The first field of a line that differs from the existing content; null without a difference. */
function differingField({ content, said }: Given<object>, known: object): string | null {
  const [stated, present] = [content as Record<string, unknown>, known as Record<string, unknown>];
  return said.find((name) => canonical(stated[name]) !== canonical(reduced(present[name], stated[name]))) ?? null;
}

/** A value as text, independent of the order of its fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** The existing list items, reduced to the fields that lines state. */
function reduced(present: unknown, stated: unknown): unknown {
  if (!Array.isArray(present) || !Array.isArray(stated)) return present;
  const [first] = stated as unknown[];
  if (typeof first !== 'object' || first === null) return present;
  const names = Object.keys(first);
  return (present as Record<string, unknown>[]).map((each) =>
    Object.fromEntries(names.map((name) => [name, each[name]])),
  );
}

/** The memory of a dry run: a hash of each line that it would have added, and of each key that such a line claims. */
class DryRunLines implements PlannedRecords {
  readonly #contents = new Map<string, string>();
  readonly #claimed = new Set<string>();

  has(kind: string, id: string): boolean {
    return this.#contents.has(hashOf([kind, id]));
  }

  agrees(kind: string, { id, content }: Given<object>): boolean {
    return this.#contents.get(hashOf([kind, id])) === hashOf(canonical(content));
  }

  isClaimed(kind: string, key: string): boolean {
    return this.#claimed.has(hashOf([kind, key]));
  }

  add(kind: LineKind, given: Given<object>): void {
    this.#contents.set(hashOf([kind, given.id]), hashOf(canonical(given.content)));
    for (const key of claimsOf(kind, given)) this.#claimed.add(hashOf([kind, key]));
  }
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64').slice(0, 22);
}

type Parsed =
  | { readonly kind: LineKind; readonly values: Record<string, unknown> }
  | { readonly header: Readonly<Record<string, unknown>> }
  | { readonly end: unknown }
  | { readonly blank: true }
  | { readonly fault: string };

/** Parses a line. A line without a kind is a license. */
function parseLine({ read }: Line): Parsed {
  if ('fault' in read) return { fault: read.fault };
  if (read.text.trim() === '') return { blank: true };
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch {
    return { fault: NOT_JSON };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: 'is not a JSON object' };
  const { kind = 'license', ...values } = value as Record<string, unknown>;
  if (kind === 'latchkey') return { header: values };
  if (kind === 'end') return { end: values.lines };
  const known = LINE_KINDS.find((each) => each === kind);
  if (known === undefined) return { fault: `has a kind that is none of ${LINE_KINDS.join(', ')}` };
  const unknown = Object.keys(values).find((name) => !(name in KINDS[known].shape.properties));
  if (unknown !== undefined) return { fault: `has the field ${shownName(unknown)}, which a ${known} does not have` };
  return { kind: known, values };
}

function headerFault({ version }: Readonly<Record<string, unknown>>): string | null {
  return version === FORMAT_VERSION
    ? null
    : `it has another version of the format than ${FORMAT_VERSION}, which this Latchkey reads`;
}
