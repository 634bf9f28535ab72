import type { SchemaDialect } from '../../contract/engine-differences.ts';

/** SQL after {@link SchemaDialect.tableEnd} for tables with a way of storing their rows. */
export function endsOf({ own }: SchemaDialect) {
  return {
    /** SQLite keeps the rows in the order of the primary key, without a second tree. */
    byKey: own({ sqlite: ', without rowid', postgres: '' }),
    /**
     * PostgreSQL fills each page only to this percentage. A changed row needs a new version, and one that does not fit
     * on its page needs an entry in every index of the table.
     */
    spareRoom: (percent: number) => own({ sqlite: '', postgres: ` with (fillfactor = ${percent})` }),
  };
}
