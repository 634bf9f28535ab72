/** States shown by a word and a mark, never by colour alone. */
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './status.module.css';

/** The urgency of a state: all is well, needs attention soon, something is wrong, or none of these. */
export type Tone = 'good' | 'warn' | 'danger' | 'quiet';

/** A state: a word, and a mark whose shape shows the tone. */
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

/** A state in words. */
export interface StatusWords {
  readonly tone: Tone;
  readonly title: string;
}

/** The state that words describe. */
export function StatusOf({ tone, title }: StatusWords) {
  return <Status tone={tone}>{title}</Status>;
}

export interface BadgeProps {
  readonly tone?: Tone;
  /** Explains the word to those who point at it. */
  readonly title?: string;
  readonly children: ReactNode;
}

/** A word on a tinted background, for the kind of a thing rather than its state. */
export function Badge({ tone = 'quiet', title, children }: BadgeProps) {
  return (
    <span className={classes(styles.badge, styles[`badge-${tone}`])} title={title}>
      {children}
    </span>
  );
}
