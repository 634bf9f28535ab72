/** The buttons between the pages of a list. */
import { Button } from './button.tsx';
import { useShortcuts } from './shortcuts.ts';
import styles from './table.module.css';

export interface TablePagesProps {
  /** The entries on the page, as "1–50" or "Page 2". */
  readonly shown: string;
  /** Absent on the first page. */
  readonly onPrevious?: (() => void) | undefined;
  /** Absent on the last page. */
  readonly onNext?: (() => void) | undefined;
}

/** Renders nothing if there is only one page. */
export function TablePages({ shown, onPrevious, onNext }: TablePagesProps) {
  useShortcuts([
    ...(onNext === undefined ? [] : [{ keys: 'n', does: 'Next page', run: onNext }]),
    ...(onPrevious === undefined ? [] : [{ keys: 'p', does: 'Previous page', run: onPrevious }]),
  ]);
  if (onPrevious === undefined && onNext === undefined) return null;
  return (
    <nav className={styles.pages} aria-label="Pages">
      <span>{shown}</span>
      <Button small onClick={() => onPrevious?.()} disabled={onPrevious === undefined}>
        Previous
      </Button>
      <Button small onClick={() => onNext?.()} disabled={onNext === undefined}>
        Next
      </Button>
    </nav>
  );
}
