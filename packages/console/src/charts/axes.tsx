import styles from './charts.module.css';
import type { Room } from './room.ts';
import { labelledBins } from './scale.ts';
import { type Bin, shortCountText } from './series.ts';

/** Minimum distance between time labels, in pixels. */
const LABELS_APART = 72;

/** Grid lines at round counts, and times below. */
export function Axes({ bins, room }: { readonly bins: readonly Bin[]; readonly room: Room }) {
  const { axis, width, height, x } = room;
  const labels = bins.map(({ short }) => short);
  return (
    <g>
      {axis.ticks.map((tick) => (
        <g key={tick} transform={`translate(0 ${axis.y(tick)})`}>
          <line className={tick === 0 ? styles.base : styles.rule} x2={width} />
          <text className={styles.count} x={-8} dy="0.32em">
            {shortCountText(tick)}
          </text>
        </g>
      ))}
      {labelledBins(labels, width, LABELS_APART).map((index) => (
        <text key={index} className={styles.time} x={x(index)} y={height + 18} data-edge={edgeOf(x(index), width)}>
          {labels[index]}
        </text>
      ))}
    </g>
  );
}

/** Moves labels near an edge inwards. */
function edgeOf(at: number, width: number): 'left' | 'right' | undefined {
  if (at < LABELS_APART / 3) return 'left';
  return at > width - LABELS_APART / 3 ? 'right' : undefined;
}
