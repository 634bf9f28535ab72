import styles from './charts.module.css';
import { areaPath, linePath } from './paths.ts';
import { toneProps } from './patterns.tsx';
import { type ChartProps, Plot } from './plot.tsx';

/** The dash patterns of successive lines, which make them distinguishable without colour. */
const DASHES = ['none', '5 4', '1 4', '9 3 2 3'] as const;

/** Lines over time, one per series. A single line has a tinted area below it. */
export function Line(chart: ChartProps) {
  const { series } = chart;
  const [alone] = series.length === 1 ? series : [];
  return (
    <Plot
      chart={chart}
      spread="points"
      highest={Math.max(0, ...series.flatMap(({ values }) => values))}
      behind={({ width, height, axis }, patterns) => (
        <>
          {alone !== undefined && <path className={styles.area} d={areaPath(alone.values, width, axis.y, height)} />}
          {series.map((each, index) => (
            <path
              key={each.id}
              className={styles.line}
              d={linePath(each.values, width, axis.y)}
              strokeDasharray={DASHES[index % DASHES.length]}
              {...toneProps(each.tone, patterns)}
            />
          ))}
        </>
      )}
      mark={(index, { axis, x }, patterns, isPointed) =>
        isPointed &&
        series.map((each) => (
          <circle
            key={each.id}
            className={styles.point}
            cx={x(index)}
            cy={axis.y(each.values[index] ?? 0)}
            r="4"
            {...toneProps(each.tone, patterns)}
          />
        ))
      }
    />
  );
}
