import styles from './range-choice.module.css';
import unseen from './unseen.module.css';

/** A selectable length of time. */
interface Choice {
  /** The value in the address. */
  readonly id: string;
  readonly title: string;
}

export interface RangeChoiceProps<Range extends Choice> {
  readonly ranges: readonly Range[];
  readonly value: Range;
  readonly onChange: (range: Range) => void;
}

/** Chooses the time range of the figures of a screen. */
export function RangeChoice<Range extends Choice>({ ranges, value, onChange }: RangeChoiceProps<Range>) {
  return (
    <fieldset className={styles.ranges}>
      <legend className={unseen.unseen}>Time</legend>
      {ranges.map((range) => (
        <button key={range.id} type="button" aria-pressed={range.id === value.id} onClick={() => onChange(range)}>
          {range.title}
        </button>
      ))}
    </fieldset>
  );
}
