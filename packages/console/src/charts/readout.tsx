import { countText } from '../parts/count-words.ts';
import styles from './charts.module.css';
import { Patterns, toneProps } from './patterns.tsx';
import type { Bin, Series } from './series.ts';

interface ReadoutProps {
  readonly bin: Bin;
  readonly series: readonly Series[];
  readonly index: number;
  /** Position of the bin from the left of the drawing, in pixels. */
  readonly at: number;
  readonly width: number;
  readonly id: string;
}

/** The figures of the bin that is pointed at. Screen readers get the same text as the name of the bar. */
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
