import { BETWEEN, type DayRangeWords, daysOf, rangeBetween, rangeChoices } from './day-range.ts';
import styles from './day-range-filter.module.css';
import { DateField, SelectField } from './field.tsx';

export interface DayRangeFilterProps extends DayRangeWords {
  /** A range of parts/day-range.ts; '' for any. */
  readonly value: string;
  readonly onChange: (range: string) => void;
}

/** Chooses the days of a list: any, the last ones, or those between two. */
export function DayRangeFilter({ value, onChange, ...words }: DayRangeFilterProps) {
  const days = daysOf(value);
  return (
    <div className={styles.range}>
      <SelectField
        label={words.what}
        hideLabel
        value={days === null ? value : BETWEEN}
        onChange={onChange}
        options={rangeChoices(words, value)}
      />
      {days !== null && (
        <>
          <DateField
            label={`${words.what} from`}
            value={days.from}
            onChange={(from) => onChange(rangeBetween(from, days.to))}
          />
          <DateField
            label={`${words.what} to`}
            value={days.to}
            onChange={(to) => onChange(rangeBetween(days.from, to))}
          />
        </>
      )}
    </div>
  );
}
