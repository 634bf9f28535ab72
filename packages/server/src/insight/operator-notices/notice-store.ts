/** SQL of the conditions that the operator was told of, and of those that nodes report. */
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { fieldsOf, isText } from '../../storage/contract/stored-json.ts';
import {
  integerColumn,
  jsonColumn,
  momentColumn,
  type StoredRow,
  Table,
  textColumn,
} from '../../storage/contract/table.ts';
import type { Condition, KnownCondition } from './condition.ts';
import type { ConditionKind, NoticeKind } from './notice-kinds.ts';

const ofCondition = {
  subject: textColumn<string>('subject'),
  stage: integerColumn<number>('stage'),
  facts: jsonColumn('facts', (stored) => fieldsOf(stored, isText)),
};

/** A row of a kind; that of the digest holds the moment of the last one. */
type NoticeRow = Omit<KnownCondition, 'kind'> & { readonly kind: NoticeKind };

const noticeTable = new Table<NoticeRow>('operator_notice', {
  kind: textColumn<NoticeKind>('kind'),
  ...ofCondition,
  since: momentColumn('since'),
  endedAt: momentColumn('ended_at'),
  toldAt: momentColumn('told_at'),
  tellings: integerColumn('tellings'),
});

const list = statement('operator_notice.list', `select ${noticeTable.select('n')} from operator_notice n`);

const save = noticeTable.insert('operator_notice.save', {
  conflict: `on conflict (kind, subject) do update set stage = excluded.stage, facts = excluded.facts,
    since = excluded.since, ended_at = excluded.ended_at, told_at = excluded.told_at, tellings = excluded.tellings`,
});

const remove = statement('operator_notice.delete', 'delete from operator_notice where kind = $1 and subject = $2');

/** A condition that a node reports about itself. */
interface NodeCondition extends Condition {
  /** Milliseconds since 1970. */
  readonly seenAt: number;
}

const nodeTable = new Table<NodeCondition>('node_condition', {
  kind: textColumn<ConditionKind>('kind'),
  ...ofCondition,
  seenAt: momentColumn('seen_at'),
});

const listOfNodes = statement(
  'node_condition.list',
  `select ${nodeTable.select('n', ['kind', 'subject', 'stage', 'facts'])} from node_condition n
   where n.seen_at > $1 order by n.seen_at desc limit 100`,
);

const saveOfNode = nodeTable.insert('node_condition.save', {
  conflict: `on conflict (kind, subject) do update set stage = excluded.stage, facts = excluded.facts,
    seen_at = excluded.seen_at`,
});

/** All known conditions, and the moment of the last digest; null before the first look for one. */
export async function readNotices(
  sql: Sql,
): Promise<{ readonly known: readonly KnownCondition[]; readonly digestAt: number | null }> {
  const rows = (await sql.all<StoredRow>(list)).map((row) => noticeTable.restore(row));
  return {
    known: rows.filter((row): row is KnownCondition => row.kind !== 'digest'),
    digestAt: rows.find(({ kind }) => kind === 'digest')?.toldAt ?? null,
  };
}

export async function saveNotices(tx: Tx, rows: readonly KnownCondition[]): Promise<void> {
  if (rows.length > 0) await tx.run(save, noticeTable.rows(rows, noticeTable.fields));
}

export async function removeNotices(tx: Tx, rows: readonly KnownCondition[]): Promise<void> {
  for (const { kind, subject } of rows) await tx.run(remove, kind, subject);
}

/** Stores the moment of a digest, in milliseconds since 1970. */
export async function saveDigest(tx: Tx, now: number): Promise<void> {
  const row: NoticeRow = {
    ...{ kind: 'digest', subject: '', stage: 0, facts: {} },
    ...{ since: now, endedAt: null, toldAt: now, tellings: 1 },
  };
  await tx.run(save, noticeTable.rows([row], noticeTable.fields));
}

/** The conditions that nodes have reported since a moment, a timestamp. */
export async function listNodeConditions(sql: Sql, since: string): Promise<readonly Condition[]> {
  const rows = await sql.all<StoredRow>(listOfNodes, since);
  return rows.map((row) => nodeTable.restore<Condition>(row));
}

/** Stores the conditions that a node has. */
export async function saveNodeConditions(tx: Tx, found: readonly Condition[], seenAt: number): Promise<void> {
  const rows = found.map((each) => ({ ...each, seenAt }));
  if (rows.length > 0) await tx.run(saveOfNode, nodeTable.rows(rows, nodeTable.fields));
}
