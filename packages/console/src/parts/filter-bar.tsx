/** The filters above a list: a row of fields, collapsed on phones. */
import { type ReactNode, useId, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './filter-bar.module.css';

export interface FilterBarProps {
  /** Fields with hidden labels. */
  readonly children: ReactNode;
  /** Number of filters in use. */
  readonly set: number;
  readonly onClear: () => void;
  /** Other content at the end of the row. */
  readonly actions?: ReactNode;
}

export function FilterBar({ children, set, onClear, actions }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <search className={styles.bar}>
      <div className={styles.toggle}>
        <button
          type="button"
          className={styles.open}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          Filters{set > 0 && ` (${set})`}
        </button>
      </div>
      <div id={id} className={classes(styles.fields, isOpen && styles.shown)}>
        {children}
        {set > 0 && (
          <Button look="quiet" onClick={onClear}>
            Clear
          </Button>
        )}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </search>
  );
}
