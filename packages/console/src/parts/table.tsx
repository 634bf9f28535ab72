/** Tables of items with pages of their own: each row is a link, and keys move through the rows. */
import { type ReactNode, useRef } from 'react';
import { classes } from './classes.ts';
import type { ListFile } from './csv.tsx';
import { ListFoot } from './list-foot.tsx';
import type { ListingState } from './listing-state.ts';
import type { Selection } from './selection.ts';
import { Skeleton } from './skeleton.tsx';
import styles from './table.module.css';
import { useRowKeys } from './table-keys.ts';
import unseen from './unseen.module.css';

/** The place of a column in the two-line row on a phone: beginning or end of the first or second line, or hidden. */
export type PhonePlace = 'first' | 'firstEnd' | 'second' | 'secondEnd' | 'none';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned right. */
  readonly align?: 'start' | 'end';
  readonly phone?: PhonePlace;
  /** For example `160px`; columns without a width share the rest. */
  readonly width?: string;
  readonly sort?: ColumnSort;
}

/** The order of the rows by a column, which a press on its title changes. */
export interface ColumnSort {
  readonly direction: 'ascending' | 'descending' | 'none';
  readonly onSort: () => void;
}

export interface TableProps<Row> extends ListingState {
  /** The table's content, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined during the first read, which shows placeholder rows of the same height. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** The page of a row, `#/licenses/…`: the first cell becomes the link, and a press anywhere on the row follows it. */
  readonly hrefOf?: (row: Row) => string;
  /** The name of a row, for its checkbox. */
  readonly nameOf?: (row: Row) => string;
  readonly selection?: Selection;
  /** A quiet menu at the end of the row. */
  readonly actions?: (row: Row) => ReactNode;
  /** The whole list as a file; a name stands for a file of these rows, null for part of a list with a file. */
  readonly file: ListFile | string | null;
  /** Shown in place of rows if there are none. */
  readonly empty: ReactNode;
}

const ARROWS = { ascending: '↑', descending: '↓', none: '' } as const;

/** Number of placeholder rows. */
const ROWS_IN_PLACE = 8;

export function Table<Row extends object>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, hrefOf, selection, actions } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  useRowKeys(
    body,
    hrefOf !== undefined,
    selection,
    rows?.map(keyOf) ?? [],
    actions !== undefined || selection !== undefined,
  );
  if (props.notice !== undefined && props.notice !== null && rows === undefined) return <>{props.notice}</>;
  if (rows !== undefined && rows.length === 0)
    return (
      <>
        {props.notice}
        {props.empty}
        <ListFoot file={null} age={props.age} pages={props.pages} />
      </>
    );
  const all = rows?.map(keyOf) ?? [];
  const areAllChosen = all.length > 0 && all.every((key) => selection?.keys.has(key));
  const choose = (keys: readonly string[], isChosen: boolean) => {
    const next = new Set(selection?.keys);
    for (const key of keys) isChosen ? next.add(key) : next.delete(key);
    selection?.onChange(next);
  };
  return (
    <div className={styles.wrap} aria-busy={rows === undefined || props.fresh === true}>
      {/* Earlier rows stay in sight when a new read is refused. */}
      {props.notice}
      <table className={styles.table}>
        <caption className={unseen.unseen}>{caption}</caption>
        <thead>
          <tr>
            {selection !== undefined && (
              <th scope="col" className={styles.tick}>
                <input
                  type="checkbox"
                  aria-label="Select all rows of this page"
                  checked={areAllChosen}
                  disabled={all.length === 0}
                  onChange={(event) => choose(all, event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={classes(column.align === 'end' && styles.end)}
                style={column.width === undefined ? undefined : { width: column.width }}
                aria-sort={column.sort?.direction}
              >
                {column.sort === undefined ? (
                  <span>{column.title}</span>
                ) : (
                  <button type="button" className={styles.sort} onClick={column.sort.onSort}>
                    {column.title}
                    <span aria-hidden="true">{ARROWS[column.sort.direction]}</span>
                  </button>
                )}
              </th>
            ))}
            {actions !== undefined && (
              <th scope="col" className={styles.actions}>
                <span className={unseen.unseen}>Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows === undefined
            ? Array.from({ length: ROWS_IN_PLACE }, (_, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows have no other key
                <tr key={row} className={styles.row}>
                  {columns.map((column, index) => (
                    <td key={column.title} data-phone={phonePlace(column, index)}>
                      <Skeleton />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((row) => {
                const key = keyOf(row);
                const isChosen = selection?.keys.has(key) ?? false;
                return (
                  <tr
                    key={key}
                    className={classes(styles.row, isChosen && styles.chosen, hrefOf && styles.linked)}
                    data-key={key}
                  >
                    {selection !== undefined && (
                      <td className={styles.tick}>
                        {/* The area of the checkbox: a press beside the box does not follow the link of the row. */}
                        <label className={styles.area}>
                          <input
                            type="checkbox"
                            aria-label={`Select ${props.nameOf?.(row) ?? key}`}
                            checked={isChosen}
                            onChange={(event) => choose([key], event.currentTarget.checked)}
                          />
                        </label>
                      </td>
                    )}
                    {columns.map((column, index) => (
                      <td
                        key={column.title}
                        className={classes(column.align === 'end' && styles.end)}
                        data-phone={phonePlace(column, index)}
                      >
                        {index === 0 && hrefOf !== undefined ? (
                          <a className={styles.link} href={hrefOf(row)} data-row-link="">
                            {column.cell(row)}
                          </a>
                        ) : (
                          column.cell(row)
                        )}
                      </td>
                    ))}
                    {actions !== undefined && <td className={styles.actions}>{actions(row)}</td>}
                  </tr>
                );
              })}
        </tbody>
      </table>
      <ListFoot file={rows === undefined ? null : fileOf(props.file, rows)} age={props.age} pages={props.pages} />
    </div>
  );
}

function fileOf<Row extends object>(file: ListFile | string | null, rows: readonly Row[]): ListFile | null {
  return typeof file === 'string' ? { name: file, entries: () => rows } : file;
}

function phonePlace<Row>(column: Column<Row>, index: number): PhonePlace {
  return column.phone ?? (index === 0 ? 'first' : 'none');
}
