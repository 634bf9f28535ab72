/** What stands where nothing is: what it would be, and how to get the first. */
import type { ReactNode } from 'react';
import styles from './empty.module.css';

export interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** The button that makes the first, or drops a filter. */
  readonly actions?: ReactNode;
}

/** An empty place. */
export function Empty({ title, children, actions }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
