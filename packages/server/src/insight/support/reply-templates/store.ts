/** Stored reply templates. */
import type { Scope } from '../../../platform/endpoint/caller.ts';
import { type RecordedTx, recorded } from '../../../storage/contract/recorded.ts';
import { type Sql, statement, type Tx } from '../../../storage/contract/storage.ts';
import { ownerColumn, type StoredRow, Table, textColumn } from '../../../storage/contract/table.ts';
import { MAX_TEMPLATES, type ReplyTemplate } from './reply-template.ts';

const templateTable = new Table<ReplyTemplate>('reply_template', {
  templateId: textColumn('template_id'),
  creatorId: ownerColumn('creator_id'),
  name: textColumn('name'),
  text: textColumn('text'),
  verdict: textColumn('verdict'),
  createdAt: textColumn('created_at'),
  updatedAt: textColumn('updated_at'),
});

const list = statement(
  'reply_template.list',
  `select ${templateTable.select('t')} from reply_template t where t.creator_id = $1
   order by t.template_id limit ${MAX_TEMPLATES}`,
);

const count = statement(
  'reply_template.count',
  'select count(*) as "count" from reply_template t where t.creator_id = $1',
);

const lock = statement(
  'reply_template.lock',
  (dialect) => `select ${templateTable.select('t')} from reply_template t
    where t.template_id = $1 and (t.creator_id = $2 or $2 is null) ${dialect.forUpdate}`,
);

const takeTurn = statement(
  'reply_template_turn.take',
  `insert into reply_template_turn (creator_id, version) values ($1, 1)
   on conflict (creator_id) do update set version = reply_template_turn.version + 1`,
);

const insert = recorded(
  templateTable.insert('reply_template.insert', { conflict: 'on conflict (template_id) do nothing' }),
);
const CHANGEABLE = templateTable.except(['templateId', 'creatorId', 'createdAt']);
const update = recorded(templateTable.update('reply_template.update', ['templateId'], CHANGEABLE));
const remove = recorded(statement('reply_template.delete', 'delete from reply_template where template_id = $1'));

/** All templates of an owner, oldest first. */
export async function listTemplates(sql: Sql, owner: string | null): Promise<readonly ReplyTemplate[]> {
  const rows = await sql.all<StoredRow>(list, owner ?? '');
  return rows.map((row) => templateTable.restore(row));
}

/** Counts the templates of an owner, whose number nobody else changes until the transaction ends. */
export async function countTemplates(tx: Tx, owner: string | null): Promise<number> {
  await tx.run(takeTurn, owner ?? '');
  return (await tx.first<{ count: number }>(count, owner ?? ''))?.count ?? 0;
}

/** A template in scope, locked until the transaction ends. */
export async function lockTemplate(
  tx: Tx,
  templateId: string,
  { creatorId }: Scope,
): Promise<ReplyTemplate | undefined> {
  const row = await tx.first<StoredRow>(lock, templateId, creatorId);
  return row && templateTable.restore(row);
}

/** Adds a template; false if another owner has one with its id. */
export async function insertTemplate(tx: RecordedTx, template: ReplyTemplate): Promise<boolean> {
  return (await tx.run(insert, templateTable.rows([template], templateTable.fields))) === 1;
}

export async function updateTemplate(tx: RecordedTx, template: ReplyTemplate): Promise<void> {
  await tx.run(update, templateTable.rows([template], ['templateId', ...CHANGEABLE]));
}

export async function removeTemplate(tx: RecordedTx, templateId: string): Promise<void> {
  await tx.run(remove, templateId);
}
