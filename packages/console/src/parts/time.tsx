/** A point in time as people say it, with the exact one at hand. */
import { useNow } from './now.ts';
import styles from './time.module.css';
import { dayText, exactTime, relativeTime } from './time-words.ts';

export interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  /** Relative unless `day` is asked for, as for an expiry in a list. */
  readonly as?: 'relative' | 'day';
}

/** A time: relative or as a day; the exact time shows on hover. */
export function Time({ at, as = 'relative' }: TimeProps) {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)} className={styles.time}>
      {as === 'day' ? dayText(at) : relativeTime(at, now)}
    </time>
  );
}
