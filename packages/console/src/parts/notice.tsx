/** Something to know before going on: on a tint, with what can be done about it. */
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './notice.module.css';
import type { Tone } from './status.tsx';

export interface NoticeProps {
  readonly tone?: Tone;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  /** Buttons. */
  readonly actions?: ReactNode;
  /** Whether screen readers say it at once: for what comes of a press. */
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
