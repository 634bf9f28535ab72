/** The outcomes of an action on many items, one line per item; scrolls within a dialog. */
import type { ReactNode } from 'react';
import { countText } from './count-words.ts';
import styles from './outcome-list.module.css';
import { RequestIds } from './request-id.tsx';

export interface OutcomeListProps {
  /** The listed things, for screen readers. */
  readonly label: string;
  readonly lines: readonly OutcomeLine[];
  /** The number of items that are not listed; 0 by default. */
  readonly further?: number;
}

/** The outcome of one item. */
export interface OutcomeLine {
  readonly key: string;
  readonly name: ReactNode;
  readonly outcome: ReactNode;
  /** The ID of the request; null before the answer, or if unknown. */
  readonly requestId: string | null;
}

export function OutcomeList({ label, lines, further = 0 }: OutcomeListProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
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
        {further > 0 && <li className={styles.line}>and {countText(further)} more</li>}
      </ul>
    </section>
  );
}
