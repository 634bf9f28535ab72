import { classes } from './classes.ts';
import { countText } from './count-words.ts';
import styles from './meter.module.css';

export interface MeterProps {
  /** The used thing, as "Machines". */
  readonly label: string;
  readonly used: number;
  /** -1 or null for no limit, which shows no bar. */
  readonly limit: number | null;
  /** Whether the numbers stand beside the bar. */
  readonly withNumbers?: boolean;
  /** Whether a full bar is the goal, as with sold seats. Otherwise it means that somebody may be refused. */
  readonly mayFill?: boolean;
}

/**
 * The used share of a limit as a bar. A full bar has the colour of a warning unless it may fill, and says so in words.
 */
export function Meter({ label, used, limit, withNumbers = true, mayFill = false }: MeterProps) {
  if (limit === null || limit < 0) {
    return <span className={styles.numbers}>{withNumbers ? `${countText(used)}, no limit` : ''}</span>;
  }
  const isFull = used >= limit;
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const said = `${countText(used)} of ${countText(limit)}`;
  return (
    <span className={styles.meter}>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> in their own colours */}
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
