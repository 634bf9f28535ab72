import styles from './charts.module.css';
import { toneProps } from './patterns.tsx';
import { type ChartProps, Plot } from './plot.tsx';
import { bandsOf, highestStack, layersOf } from './scale.ts';

/** Stacked bars over time, one layer per series. Every bar is reachable by keyboard and read out. */
export function Bars(chart: ChartProps) {
  const { bins, series } = chart;
  return (
    <Plot
      chart={chart}
      spread="bands"
      highest={highestStack(series, bins.length)}
      mark={(index, { width, axis, x }, patterns) => {
        const { bar } = bandsOf(bins.length, width);
        return layersOf(series, index).map(({ series: { id, tone }, from, to }) => (
          <rect
            key={id}
            className={styles.bar}
            x={x(index) - bar / 2}
            y={axis.y(to)}
            width={bar}
            height={Math.max(1, axis.y(from) - axis.y(to))}
            {...toneProps(tone, patterns)}
          />
        ));
      }}
    />
  );
}
