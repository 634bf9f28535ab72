/** The age of a list, and a button that reads it again. On paper, the time of the read. */
import { useState } from 'react';
import { Button } from './button.tsx';
import styles from './list-age.module.css';
import { Time } from './time.tsx';
import { momentText } from './time-words.ts';

export interface ListAgeProps {
  /** The time of the read (ISO 8601). */
  readonly at: string;
  /** Reads again; resolves when that ended. */
  readonly refresh: () => Promise<unknown>;
}

export function ListAge({ at, refresh }: ListAgeProps) {
  const [isReading, setReading] = useState(false);
  const pressed = async () => {
    setReading(true);
    await refresh();
    setReading(false);
  };
  return (
    <p className={styles.age}>
      <span className={styles.screen}>
        Read <Time at={at} as="past" />
      </span>
      <span className={styles.paper}>Read on {momentText(at)}</span>
      <Button look="quiet" small label="Refresh the list" pending={isReading} onClick={() => void pressed()}>
        Refresh
      </Button>
    </p>
  );
}
