/** A button that downloads a list as CSV. */
import { useState } from 'react';
import { Button, type ButtonLook } from './button.tsx';
import { csvText } from './csv-text.ts';
import { download } from './download.ts';

export interface CsvButtonProps<Row> {
  /** The file name without its extension. */
  readonly name: string;
  readonly titles: readonly string[];
  /** The values of a row in the order of the titles. */
  readonly row: (row: Row) => readonly (string | number | null)[];
  /** The rows; the button shows progress while a promise is pending. */
  readonly rows: () => readonly Row[] | Promise<readonly Row[]>;
  readonly look?: ButtonLook;
  readonly small?: boolean;
}

/** Downloads rows as `NAME.csv`. */
export function CsvButton<Row>({ name, titles, row, rows, look = 'plain', small }: CsvButtonProps<Row>) {
  const [isPending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    try {
      const all = await rows();
      download(`${name}.csv`, csvText(titles, all.map(row)), 'text/csv;charset=utf-8');
    } finally {
      setPending(false);
    }
  };
  return (
    <Button look={look} small={small ?? false} pending={isPending} onClick={() => void save()}>
      Download CSV
    </Button>
  );
}
