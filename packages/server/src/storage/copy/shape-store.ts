/** Reads the shapes of tables from the engines' catalogues. */
import type { Sql, Statement, Storage } from '../contract/storage.ts';
import type { ColumnShape, TableShape } from './table-shape.ts';

/** A column in a catalogue. */
interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** The position of the column in the primary key; null for other columns. */
  readonly keyPlace: number | null;
}

interface ReferenceRow {
  readonly table: string;
  readonly referred: string;
}

/** Queries of a catalogue. Each is for one engine only, so they are not among the statements of the service. */
interface Catalogue {
  readonly columns: Statement;
  readonly references: Statement;
}

const asked = (name: string, text: string): Statement => ({ name, text: () => text, needsTransaction: false });

const CATALOGUES: Readonly<Record<Storage['engine'], Catalogue>> = {
  sqlite: {
    columns: asked(
      'copy.columns',
      `select t.name as "table", c.name as "column", lower(c.type) as type, nullif(c.pk, 0) as "keyPlace"
       from sqlite_schema t join pragma_table_xinfo(t.name) c where t.type = 'table' order by t.name, c.cid`,
    ),
    references: asked(
      'copy.references',
      `select distinct t.name as "table", f."table" as referred
       from sqlite_schema t join pragma_foreign_key_list(t.name) f where t.type = 'table'`,
    ),
  },
  postgres: {
    columns: asked(
      'copy.columns',
      `select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as type,
         array_position(i.indkey::int2[], a.attnum) as "keyPlace"
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         left join pg_index i on i.indrelid = c.oid and i.indisprimary
       where c.relnamespace = current_schema::regnamespace and c.relkind in ('r', 'p')
       order by c.relname collate "C", a.attnum`,
    ),
    references: asked(
      'copy.references',
      `select distinct c.relname as "table", r.relname as referred
       from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class r on r.oid = f.confrelid
       where f.contype = 'f' and f.connamespace = current_schema::regnamespace`,
    ),
  },
};

/** The column types, by the engines' names for them. */
const TYPES: Readonly<Record<string, ColumnShape['type']>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  smallint: 'integer',
};

/**
 * The shapes of some tables, by name.
 *
 * @throws when a table is missing, has no primary key, or has columns other than text and integers
 */
export async function readShapes(storage: Storage, names: readonly string[]): Promise<ReadonlyMap<string, TableShape>> {
  const { columns, references } = CATALOGUES[storage.engine];
  const [columnRows, referenceRows] = await storage.read((sql: Sql) =>
    Promise.all([sql.all<ColumnRow>(columns), sql.all<ReferenceRow>(references)]),
  );
  return new Map(
    names.map((name) => {
      const own = columnRows.filter(({ table }) => table === name);
      const key = own.filter((row) => row.keyPlace !== null).sort((one, other) => one.keyPlace! - other.keyPlace!);
      if (own.length === 0) throw new Error(`There is no table ${name}.`);
      if (key.length === 0) throw new Error(`The table ${name} has no primary key.`);
      return [
        name,
        {
          name,
          columns: own.map(columnOf),
          primaryKey: key.map(({ column }) => column),
          references: referenceRows.filter(({ table }) => table === name).map(({ referred }) => referred),
        },
      ];
    }),
  );
}

function columnOf({ table, column, type }: ColumnRow): ColumnShape {
  const known = TYPES[type];
  if (known === undefined)
    throw new Error(`The column ${column} of ${table} has the type ${type}: it cannot be copied.`);
  return { name: column, type: known };
}
