/** States in a word and a mark, never by colour alone. */
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './status.module.css';

/** What a state means to whoever looks: all is well, look at it soon, something is wrong, or nothing of these. */
export type Tone = 'good' | 'warn' | 'danger' | 'quiet';

/** A state: a mark whose shape tells the tone, and a word. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classes(styles.status, styles[tone])}>
      <svg viewBox="0 0 10 10" className={styles.mark} aria-hidden="true">
        {tone === 'good' && <circle cx="5" cy="5" r="4" />}
        {tone === 'warn' && <path d="M5 .8L9.6 9H.4z" />}
        {tone === 'danger' && (
          <rect x="1" y="1" width="8" height="8" rx="1.2" transform="rotate(45 5 5) scale(.86) translate(.8 .8)" />
        )}
        {tone === 'quiet' && <circle cx="5" cy="5" r="3.2" className={styles.hollow} />}
      </svg>
      {children}
    </span>
  );
}

/** A word on a tint, for what a thing is rather than how it does. */
export function Badge({ tone = 'quiet', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={classes(styles.badge, styles[`badge-${tone}`])}>{children}</span>;
}
