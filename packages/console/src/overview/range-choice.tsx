import unseen from '../parts/unseen.module.css';
import styles from './overview.module.css';
import { RANGES, type Range } from './range.ts';

export interface RangeChoiceProps {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
}

/** Chooses the time range of the charts. */
export function RangeChoice({ value, onChange }: RangeChoiceProps) {
  return (
    <fieldset className={styles.ranges}>
      <legend className={unseen.unseen}>Time</legend>
      {RANGES.map((range) => (
        <button key={range.id} type="button" aria-pressed={range.id === value.id} onClick={() => onChange(range)}>
          {range.title}
        </button>
      ))}
    </fieldset>
  );
}
