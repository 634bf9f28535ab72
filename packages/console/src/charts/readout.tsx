import { countText } from '../parts/count-words.ts';
import styles from './charts.module.css';
import { Patterns, toneProps } from './patterns.tsx';
import type { Bin, Series } from './series.ts';

interface ReadoutProps {
  readonly bin: Bin;
  readonly series: readonly Series[];
  readonly index: number;
  /** Where the place is, from the left of a drawing that is so wide, in pixels. */
  readonly at: number;
  readonly width: number;
  readonly id: string;
}

/** The figures of the place that is pointed at. Whoever cannot see it is read the same as the name of the bar. */
export function Readout({ bin, series, index, at, width, id }: ReadoutProps) {
  const shown = series.filter(({ values }) => (values[index] ?? 0) > 0);
  const isRight = at > width / 2;
  return (
    <div className={styles.readout} aria-hidden="true" style={isRight ? { right: width - at + 12 } : { left: at + 12 }}>
      <strong>{bin.label}</strong>
      {shown.length === 0 && <span className={styles.none}>None</span>}
      {shown.map((each) => (
        <span key={each.id} className={styles.reading}>
          <svg className={styles.swatch} viewBox="0 0 12 12" aria-hidden="true">
            <Patterns of={`${id}-readout`} />
            <rect width="12" height="12" rx="3" {...toneProps(each.tone, `${id}-readout`)} />
          </svg>
          {each.label}
          <b>{countText(each.values[index] ?? 0)}</b>
        </span>
      ))}
    </div>
  );
}
