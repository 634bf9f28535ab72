/** How much of a limit is used. */
import { classes } from './classes.ts';
import styles from './meter.module.css';

export interface MeterProps {
  /** What is used, as "Machines". */
  readonly label: string;
  readonly used: number;
  /** -1 or null: there is no limit, and no bar. */
  readonly limit: number | null;
  /** Whether the numbers stand beside the bar. */
  readonly withNumbers?: boolean;
  /** Whether full is how it should end, as with seats that were sold; otherwise somebody may be refused. */
  readonly mayFill?: boolean;
}

/** A bar that fills up; full is a state to look at, so it has the colour of a warning, unless it may fill, and says so. */
export function Meter({ label, used, limit, withNumbers = true, mayFill = false }: MeterProps) {
  if (limit === null || limit < 0) {
    return <span className={styles.numbers}>{withNumbers ? `${used.toLocaleString()}, no limit` : ''}</span>;
  }
  const isFull = used >= limit;
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const said = `${used.toLocaleString()} of ${limit.toLocaleString()}`;
  return (
    <span className={styles.meter}>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> in colours of their own */}
      <span
        className={styles.track}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(limit, used)}
        aria-valuenow={used}
        aria-valuetext={isFull ? `${said}, full` : said}
      >
        <span className={classes(styles.bar, isFull && !mayFill && styles.full)} style={{ width: `${share * 100}%` }} />
      </span>
      {withNumbers && <span className={styles.numbers}>{said}</span>}
    </span>
  );
}
