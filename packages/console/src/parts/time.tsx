/** A time in everyday words, with the exact time on hover. */
import { useNow } from './now.ts';
import styles from './time.module.css';
import { dayText, exactTime, relativeTime } from './time-words.ts';

export interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  /** Relative by default; `day` suits an expiry in a list. */
  readonly as?: 'relative' | 'day';
}

export function Time({ at, as = 'relative' }: TimeProps) {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)} className={styles.time}>
      {as === 'day' ? dayText(at) : relativeTime(at, now)}
    </time>
  );
}
