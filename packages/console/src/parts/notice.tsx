/** Information before going on, on a tinted background, with the possible actions. */
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './notice.module.css';
import type { Tone } from './status.tsx';

export interface NoticeProps {
  readonly tone?: Tone;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** Whether screen readers announce it at once: for results of a press. */
  readonly alert?: boolean;
}

/** A notice within a screen or a dialog. */
export function Notice({ tone = 'quiet', title, children, actions, alert }: NoticeProps) {
  return (
    <div className={classes(styles.notice, styles[tone])} role={alert === true ? 'alert' : undefined}>
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        {children !== undefined && <div className={styles.more}>{children}</div>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
