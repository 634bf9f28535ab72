/** Each column of an exported table is described, so that the compiler asks whether it is on a line of the export. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeTable, redemptionTable } from '../../../src/commerce/discount-codes/store.ts';
import { soldUnitTable } from '../../../src/commerce/storefront/sold-unit-store.ts';
import { orderTable } from '../../../src/commerce/studio-orders/store.ts';
import { trialTable } from '../../../src/commerce/trials/store.ts';
import { licenseTable } from '../../../src/licensing/licenses/license-table.ts';
import { activationTable } from '../../../src/licensing/machines/activation-store.ts';
import { userTable } from '../../../src/licensing/machines/user-store.ts';
import { meterUseTable } from '../../../src/licensing/meters/store.ts';
import { productTable } from '../../../src/licensing/products/store.ts';
import { variantTable } from '../../../src/licensing/products/variant-store.ts';
import { violationTable } from '../../../src/licensing/violations/violation-store.ts';
import { KINDS } from '../../../src/operations/transfer/kinds.ts';
import { allStatements } from '../../../src/storage/contract/storage.ts';
import { sqliteDialect } from '../../../src/storage/sqlite/sqlite-dialect.ts';
import { freshFor } from '../../support/for-test.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';

const DESCRIBED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
    ...[
      productTable,
      variantTable,
      codeTable,
      licenseTable,
      activationTable,
      violationTable,
      redemptionTable,
      trialTable,
      userTable,
    ],
    ...[orderTable, soldUnitTable, meterUseTable],
  ].map((table) => [table.name, table.columns()]),
);

/** Columns that no rule reads: they serve indexes, and are made of other columns. */
const UNDESCRIBED: Readonly<Record<string, readonly string[]>> = {
  license: ['in_catalogue'],
  activation: ['unindexed_since'],
  violation: ['product_id'],
};

describe('each column of an exported table', () => {
  it('is on the lines of the export, or left out on purpose', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const connection = openSqliteFile(database.file, { readOnly: true });
    test.after(() => connection.close());
    const columnsOf = (table: string) => {
      const rows = connection.prepare('select name from pragma_table_info(?)').all(table);
      return rows.map(({ name }) => String(name));
    };
    for (const { table } of Object.values(KINDS)) {
      // Notes are the events of one type.
      if (table === 'event') continue;
      assert.deepEqual(
        columnsOf(table).filter((column) => !DESCRIBED[table]?.includes(column)),
        UNDESCRIBED[table] ?? [],
        `${table}: add these columns to its Table, so that the lines in src/transfer have them or leave them out`,
      );
    }
    const seats = allStatements().find(({ name }) => name === 'seat.list_of_order');
    const listed = seats?.text(sqliteDialect) ?? '';
    assert.deepEqual(
      columnsOf('seat').filter((column) => !listed.includes(`s.${column} `)),
      [],
      'seat: add these columns to the table in src/studio-orders/store.ts',
    );
  });
});
