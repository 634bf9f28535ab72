import styles from './charts.module.css';
import { areaPath, linePath } from './paths.ts';
import { toneProps } from './patterns.tsx';
import { type ChartProps, Plot } from './plot.tsx';

/** The dash patterns of successive lines, which make them distinguishable without colour. */
const DASHES = ['none', '5 4', '1 4', '9 3 2 3'] as const;

/**
 * Lines over time, one per series. A single line has a tinted area below it. Lines end before a bin whose time is not
 * over, which would look like a fall: it is a point of its own.
 */
export function Line(chart: ChartProps) {
  const { series, bins } = chart;
  const closed = bins.findIndex(({ isOpen }) => isOpen === true);
  const drawn = closed < 0 ? bins.length : closed;
  const [alone] = series.length === 1 ? series : [];
  return (
    <Plot
      chart={chart}
      spread="points"
      highest={Math.max(0, ...series.flatMap(({ values }) => values))}
      behind={({ width, height, axis }, patterns) => (
        <>
          {alone !== undefined && (
            <path
              className={styles.area}
              d={areaPath(alone.values.slice(0, drawn), widthOf(drawn, bins.length, width), axis.y, height)}
            />
          )}
          {series.map((each, index) => (
            <path
              key={each.id}
              className={styles.line}
              d={linePath(each.values.slice(0, drawn), widthOf(drawn, bins.length, width), axis.y)}
              strokeDasharray={DASHES[index % DASHES.length]}
              {...toneProps(each.tone, patterns)}
            />
          ))}
        </>
      )}
      mark={(index, { axis, x }, patterns, isPointed) =>
        (isPointed || index >= drawn) &&
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

/** The width of the first `drawn` of equidistant points. */
function widthOf(drawn: number, all: number, width: number): number {
  return all > 1 ? (width * Math.max(0, drawn - 1)) / (all - 1) : width;
}
