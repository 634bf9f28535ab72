/** Stored counts of rates; see rates.ts. */
import { type RecentCounts, recentCountsIn } from '../../ground/base/recent-counts.ts';
import { afterBeginning, listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';

/** A row: the recent occurrences of a subject. */
export interface Rate {
  readonly subject: string;
  readonly counts: RecentCounts;
  /** The timestamp from which nothing of it counts any more. */
  readonly endsAt: string;
}

const rateTable = new Table<Rate>('rate', {
  subject: textColumn('subject'),
  counts: jsonColumn('counts', recentCountsIn),
  endsAt: textColumn('ends_at'),
});

const selected = (where: string) =>
  `select ${rateTable.select('r', ['subject', 'counts'])} from rate r where r.subject ${where}`;

const find = statement('rate.find', (dialect) => selected(dialect.among('$1')));

const claim = rateTable.insert('rate.claim', { conflict: 'on conflict (subject) do nothing' });

const lock = statement(
  'rate.lock',
  (dialect) => `${selected(dialect.among('$1'))} order by r.subject ${dialect.forUpdate}`,
);

const save = rateTable.insert('rate.save', {
  conflict: 'on conflict (subject) do update set counts = excluded.counts, ends_at = excluded.ends_at',
});

const listBeginning = statement(
  'rate.list_beginning',
  `select ${rateTable.select('r', ['subject', 'counts'])} from rate r where r.subject >= $1 and r.subject < $2`,
);

const removeBeginning = statement('rate.delete_beginning', 'delete from rate where subject >= $1 and subject < $2');

type CountsBySubject = ReadonlyMap<string, RecentCounts>;

/** The counts of some subjects that have any. */
export async function findRates(sql: Sql, subjects: readonly string[]): Promise<CountsBySubject> {
  return bySubject(await sql.all<StoredRow>(find, listOf(subjects)));
}

/** The same, locked until the transaction ends; subjects without a row get one. In the order of the subjects. */
export async function lockRateRows(tx: Tx, rates: readonly Rate[]): Promise<CountsBySubject> {
  await tx.run(claim, rateTable.rows(rates, rateTable.fields));
  return bySubject(await tx.all<StoredRow>(lock, listOf(rates.map(({ subject }) => subject))));
}

/** Writes the counts of locked subjects. */
export async function saveRateRows(tx: Tx, rates: readonly Rate[]): Promise<void> {
  await tx.run(save, rateTable.rows(rates, rateTable.fields));
}

/** The counts of all subjects that begin with a text. */
export async function findRatesBeginning(sql: Sql, beginning: string): Promise<CountsBySubject> {
  return bySubject(await sql.all<StoredRow>(listBeginning, beginning, afterBeginning(beginning)));
}

/** Removes the counts of all subjects that begin with a text. */
export async function deleteRatesBeginning(tx: Tx, beginning: string): Promise<void> {
  await tx.run(removeBeginning, beginning, afterBeginning(beginning));
}

function bySubject(rows: readonly StoredRow[]): CountsBySubject {
  return new Map(
    rows.map((row) => {
      const { subject, counts } = rateTable.restore<Pick<Rate, 'subject' | 'counts'>>(row);
      return [subject, counts];
    }),
  );
}
