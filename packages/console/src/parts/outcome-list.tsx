/** What came of each of many, a line for each; it scrolls within a dialog. */
import type { ReactNode } from 'react';
import styles from './outcome-list.module.css';

export interface OutcomeListProps {
  /** What is listed; for screen readers. */
  readonly label: string;
  readonly lines: readonly { readonly key: string; readonly name: ReactNode; readonly outcome: ReactNode }[];
}

/** The list. */
export function OutcomeList({ label, lines }: OutcomeListProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.list} tabIndex={0} aria-label={label}>
      <ul>
        {lines.map(({ key, name, outcome }) => (
          <li key={key} className={styles.line}>
            <span className={styles.name}>{name}</span>
            {outcome}
          </li>
        ))}
      </ul>
    </section>
  );
}
