/** Stored extensions by support; see support-extension.ts. */
import { type Sql, statement, type Tx } from '../../../storage/contract/storage.ts';
import { elementsOf, isFiniteNumber, isRecord } from '../../../storage/contract/stored-json.ts';
import { jsonColumn, type StoredRow, Table, textColumn } from '../../../storage/contract/table.ts';
import type { ExtensionDay, SupportExtensions } from './support-extension.ts';

const extensionTable = new Table<SupportExtensions>('support_extension', {
  licenseKey: textColumn('license_key'),
  days: jsonColumn('days', (stored) => elementsOf(stored, isExtensionDay)),
  extendedTo: textColumn('extended_to'),
  lastAt: textColumn('last_at'),
});

function isExtensionDay(value: unknown): value is ExtensionDay {
  return isRecord(value) && isFiniteNumber(value.at) && isFiniteNumber(value.from);
}

const find = statement(
  'support_extension.find',
  `select ${extensionTable.select('e')} from support_extension e where e.license_key = $1`,
);

const save = extensionTable.insert('support_extension.save', {
  conflict: `on conflict (license_key) do update set
    days = excluded.days, extended_to = excluded.extended_to, last_at = excluded.last_at`,
});

/** Support's extensions of a license; undefined without recent ones. */
export async function findExtensions(sql: Sql, licenseKey: string): Promise<SupportExtensions | undefined> {
  const row = await sql.first<StoredRow>(find, licenseKey);
  return row && extensionTable.restore(row);
}

/** Stores support's extensions of a locked license. */
export async function saveExtensions(tx: Tx, extensions: SupportExtensions): Promise<void> {
  await tx.run(save, extensionTable.rows([extensions], extensionTable.fields));
}
