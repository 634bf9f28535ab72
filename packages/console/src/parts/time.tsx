/** A time in everyday words, with the exact time on hover. On paper it is the exact time, because words age. */
import { useNow } from './now.ts';
import styles from './time.module.css';
import { clockText, dayText, exactTime, momentText, pastTime, relativeTime } from './time-words.ts';

const WORDS = { relative: relativeTime, past: pastTime, day: (at: string) => dayText(at), clock: clockText } as const;

export interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  /**
   * Relative by default; `past` suits a time that cannot lie ahead, `day` an expiry in a list, `clock` a time below the
   * heading of its day.
   */
  readonly as?: keyof typeof WORDS;
}

export function Time({ at, as = 'relative' }: TimeProps) {
  const now = useNow();
  return (
    <time
      dateTime={at}
      title={exactTime(at)}
      className={styles.time}
      data-paper={as === 'day' ? undefined : momentText(at)}
    >
      {WORDS[as](at, now)}
    </time>
  );
}
