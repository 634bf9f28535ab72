/** The line below a list: its age on the left, its pages on the right. */
import { ListAge } from './list-age.tsx';
import type { ListingState } from './listing.tsx';
import styles from './table.module.css';
import { TablePages } from './table-pages.tsx';

interface ListFootProps {
  readonly age: ListingState['age'] | undefined;
  readonly pages: ListingState['pages'] | undefined;
}

export function ListFoot({ age, pages }: ListFootProps) {
  return (
    <div className={styles.foot}>
      {age !== undefined && age !== null && <ListAge {...age} />}
      {pages !== undefined && <TablePages {...pages} />}
    </div>
  );
}
