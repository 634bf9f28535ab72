/** The filters above a list: a row of fields, which phones show when they are asked for. */
import { type ReactNode, useId, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './filter-bar.module.css';

export interface FilterBarProps {
  /** Fields with hidden labels. */
  readonly children: ReactNode;
  /** How many filters are set. */
  readonly set: number;
  readonly onClear: () => void;
  /** Whether phones show the fields from the start, because there is nothing else to see without them. */
  readonly open?: boolean;
  /** What else stands in the row, at its end. */
  readonly actions?: ReactNode;
}

/** Filters. */
export function FilterBar({ children, set, onClear, open = false, actions }: FilterBarProps) {
  const [isOpen, setOpen] = useState(open);
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
