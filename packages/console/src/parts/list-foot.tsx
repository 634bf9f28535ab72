/** The line below a list: its age and its file on the left, its pages on the right. */
import { CsvButton, type ListFile } from './csv.tsx';
import { ListAge } from './list-age.tsx';
import type { ListingState } from './listing-state.ts';
import styles from './table.module.css';
import { TablePages } from './table-pages.tsx';

interface ListFootProps {
  /** Null for a list that is empty or belongs to another file. */
  readonly file: ListFile | null;
  readonly age: ListingState['age'] | undefined;
  readonly pages: ListingState['pages'] | undefined;
}

export function ListFoot({ file, age, pages }: ListFootProps) {
  return (
    <div className={styles.foot}>
      <div className={styles.footStart}>
        {age !== undefined && age !== null && <ListAge {...age} />}
        {file !== null && <CsvButton file={file} look="quiet" small />}
      </div>
      {pages !== undefined && <TablePages {...pages} />}
    </div>
  );
}
