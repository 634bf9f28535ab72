/** Stores the progress of forgetting customers. */
import { statement, type Tx } from '../../storage/contract/storage.ts';
import { fieldsOf, isFiniteNumber, isText, recordOf } from '../../storage/contract/stored-json.ts';
import { jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';

/** The parts of a license that are forgotten. */
const PARTS = ['machines', 'users', 'violations', 'refusals', 'licenseFiles', 'events'] as const;

/** The position of the next step. */
export interface Progress {
  /** The license in progress; null if the next one has to be found. */
  readonly licenseKey: string | null;
  /** The part in progress of that license. */
  readonly part: (typeof PARTS)[number];
  /** The last row of that part that is done; '' before the first. */
  readonly after: string;
  /** The last note examined, across all licenses. */
  readonly noteAfter: string;
  /** The last row examined among those that are compared one by one, by kind; missing before the first. */
  readonly compared: Readonly<Partial<Record<ComparedKind, string>>>;
}

/**
 * Kinds of rows that are compared one by one: those whose addresses have letters beyond ASCII, and the events of
 * machines with users, whose facts have the name.
 */
export type ComparedKind = 'orders' | 'seats' | 'storefrontEvents' | 'userEvents';

/** The forgetting of one address. */
export interface Forgetting {
  readonly emailFolded: string;
  readonly pseudonym: string;
  readonly progress: Progress;
  readonly replaced: Replaced;
  readonly startedAt: string;
}

/** The beginning of the work: no license and no note was examined yet. */
export const BEGINNING: Progress = { licenseKey: null, part: 'machines', after: '', noteAfter: '', compared: {} };

/** Reads stored progress. Unreadable progress counts as none: the work starts again, and finds little left to do. */
function progressFrom(stored: unknown): Progress {
  const { licenseKey, part, after, noteAfter, compared } = recordOf(stored);
  const known = PARTS.find((each) => each === part);
  const isSound = known !== undefined && (licenseKey === null || isText(licenseKey));
  if (!isSound || !isText(after) || !isText(noteAfter)) return BEGINNING;
  return { licenseKey, part: known, after, noteAfter, compared: fieldsOf(compared, isText) };
}

/** Number of rows replaced, by kind. */
export type Replaced = Readonly<typeof NOTHING_REPLACED>;

/** The counts at the beginning. */
export const NOTHING_REPLACED = {
  licenses: 0,
  events: 0,
  machines: 0,
  users: 0,
  violations: 0,
  refusals: 0,
  licenseFiles: 0,
  redemptions: 0,
  orders: 0,
  seats: 0,
  storefrontEvents: 0,
  shopSales: 0,
  /** Deleted, not replaced. */
  mails: 0,
};

/** The counts of both. */
export function sumOf(one: Replaced, other: Partial<Replaced>): Replaced {
  const kinds = Object.keys(NOTHING_REPLACED) as (keyof Replaced)[];
  const sums = kinds.map((kind) => [kind, one[kind] + (other[kind] ?? 0)]);
  return Object.fromEntries(sums) as unknown as Replaced;
}

const forgettingTable = new Table<Forgetting>('forgetting', {
  emailFolded: textColumn('email_folded'),
  pseudonym: textColumn('pseudonym'),
  progress: jsonColumn('progress', progressFrom),
  replaced: jsonColumn('replaced', (stored) => sumOf(NOTHING_REPLACED, fieldsOf(stored, isFiniteNumber))),
  startedAt: textColumn('started_at'),
});

// Each of several calls waits here for the one before it, and starts again if that one removed the row.
const claim = forgettingTable.insert('forgetting.claim', {
  conflict: 'on conflict (email_folded) do update set started_at = forgetting.started_at',
});
const find = statement(
  'forgetting.find',
  `select ${forgettingTable.select('f')} from forgetting f where f.email_folded = $1`,
);
const update = forgettingTable.update('forgetting.update', ['emailFolded'], ['progress', 'replaced']);
const remove = statement('forgetting.delete', 'delete from forgetting where email_folded = $1');

/** Returns the forgetting of an address, stored or new; it stays locked until the transaction ends. */
export async function claimForgetting(tx: Tx, beginning: Forgetting): Promise<Forgetting> {
  await tx.run(claim, forgettingTable.rows([beginning], forgettingTable.fields));
  const row = await tx.first<StoredRow>(find, beginning.emailFolded);
  if (row === undefined) throw new Error('a row that is locked is gone');
  return forgettingTable.restore(row);
}

/** Stores the progress. */
export async function saveForgetting(tx: Tx, forgetting: Forgetting): Promise<void> {
  await tx.run(update, forgettingTable.rows([forgetting], ['emailFolded', 'progress', 'replaced']));
}

/** Removes the row of a forgotten address, and the address with it. */
export async function deleteForgetting(tx: Tx, emailFolded: string): Promise<void> {
  await tx.run(remove, emailFolded);
}
