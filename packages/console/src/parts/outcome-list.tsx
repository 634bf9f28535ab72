/** What came of each of many, a line for each; it scrolls within a dialog. */
import type { ReactNode } from 'react';
import styles from './outcome-list.module.css';
import { RequestIds } from './request-id.tsx';

export interface OutcomeListProps {
  /** What is listed; for screen readers. */
  readonly label: string;
  readonly lines: readonly OutcomeLine[];
}

/** What came of one. */
export interface OutcomeLine {
  readonly key: string;
  readonly name: ReactNode;
  readonly outcome: ReactNode;
  /** The number of the request that came to this; null before it is answered, and where it is not known. */
  readonly requestId: string | null;
}

/** The list. */
export function OutcomeList({ label, lines }: OutcomeListProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.list} tabIndex={0} aria-label={label}>
      <ul>
        {lines.map(({ key, name, outcome, requestId }) => (
          <li key={key} className={styles.line}>
            <span className={styles.name}>{name}</span>
            {outcome}
            {requestId !== null && (
              <div className={styles.request}>
                <RequestIds of={[requestId]} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
