/** Stored texts of e-mails to buyers. */
import { MAIL_LANGUAGES, type MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { ownerColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import { MAX_TEMPLATES, type MailTemplate } from './template.ts';

const templateTable = new Table<MailTemplate>('mail_template', {
  creatorId: ownerColumn('creator_id'),
  productId: textColumn('product_id'),
  kind: textColumn('kind'),
  language: {
    name: 'language',
    type: 'text',
    store: (field) => field,
    restore: (stored): MailLanguage => MAIL_LANGUAGES.find((each) => each === stored) ?? 'en',
  },
  subject: textColumn('subject'),
  text: textColumn('text'),
  updatedAt: textColumn('updated_at'),
});

/** The names of a template. */
export type TemplateId = Pick<MailTemplate, 'creatorId' | 'productId' | 'kind' | 'language'>;
const ID = ['creatorId', 'productId', 'kind', 'language'] as const;

const find = statement(
  'mail_template.find',
  // The one of the product stands before the one of all products, whose product_id is empty.
  `select ${templateTable.select('t')} from mail_template t
   where t.creator_id = $1 and (t.product_id = $2 or t.product_id = '') and t.kind = $3 and t.language = $4
   order by t.product_id desc limit 1`,
);

const lock = statement(
  'mail_template.lock',
  (dialect) => `select ${templateTable.select('t')} from mail_template t
    where t.creator_id = $1 and t.product_id = $2 and t.kind = $3 and t.language = $4 ${dialect.forUpdate}`,
);

const list = statement(
  'mail_template.list',
  `select ${templateTable.select('t')} from mail_template t where t.creator_id = $1
   order by t.product_id, t.kind, t.language limit ${MAX_TEMPLATES}`,
);

const count = statement(
  'mail_template.count',
  'select count(*) as "count" from mail_template t where t.creator_id = $1',
);

const takeTurn = statement(
  'mail_template_turn.take',
  `insert into mail_template_turn (creator_id, version) values ($1, 1)
   on conflict (creator_id) do update set version = mail_template_turn.version + 1`,
);

const insert = recorded(templateTable.insert('mail_template.insert'));
const CHANGEABLE = templateTable.except([...ID]);
const update = recorded(templateTable.update('mail_template.update', [...ID], CHANGEABLE));
const remove = recorded(
  statement(
    'mail_template.delete',
    'delete from mail_template where creator_id = $1 and product_id = $2 and kind = $3 and language = $4',
  ),
);

const keyOf = ({ creatorId, productId, kind, language }: TemplateId) =>
  [creatorId ?? '', productId, kind, language] as const;

const restored = (row: StoredRow | undefined): MailTemplate | undefined =>
  row && templateTable.restore<MailTemplate>(row);

/** The template for e-mails about a product: its own, else that of all products of the creator. */
export async function findTemplate(sql: Sql, id: TemplateId): Promise<MailTemplate | undefined> {
  return restored(await sql.first<StoredRow>(find, ...keyOf(id)));
}

/** All templates of an owner, by product, kind and language. */
export async function listTemplates(sql: Sql, owner: string | null): Promise<readonly MailTemplate[]> {
  const rows = await sql.all<StoredRow>(list, owner ?? '');
  return rows.map((row) => templateTable.restore<MailTemplate>(row));
}

/** Counts the templates of an owner, whose number nobody else changes until the transaction ends. */
export async function countTemplates(tx: Tx, owner: string | null): Promise<number> {
  await tx.run(takeTurn, owner ?? '');
  return (await tx.first<{ readonly count: number }>(count, owner ?? ''))?.count ?? 0;
}

/** A template by its names, locked until the transaction ends. */
export async function lockTemplate(tx: Tx, id: TemplateId): Promise<MailTemplate | undefined> {
  return restored(await tx.first<StoredRow>(lock, ...keyOf(id)));
}

/** Adds a template; the caller has counted those of its owner. */
export async function insertTemplate(tx: RecordedTx, template: MailTemplate): Promise<void> {
  await tx.run(insert, templateTable.rows([template], templateTable.fields));
}

export async function updateTemplate(tx: RecordedTx, template: MailTemplate): Promise<void> {
  await tx.run(update, templateTable.rows([template], [...ID, ...CHANGEABLE]));
}

export async function removeTemplate(tx: RecordedTx, id: TemplateId): Promise<void> {
  await tx.run(remove, ...keyOf(id));
}
