import styles from './charts.module.css';
import { areaPath, linePath } from './paths.ts';

const WIDTH = 120;
const HEIGHT = 32;

/** A line as small as a word, beside a figure. `label` describes it in words. */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const highest = Math.max(1, ...values);
  const y = (count: number) => (1 - count / highest) * (HEIGHT - 4);
  return (
    <svg
      className={styles.spark}
      viewBox={`0 -2 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className={styles.area} d={areaPath(values, WIDTH, y, HEIGHT - 4)} />
      <path className={styles.line} d={linePath(values, WIDTH, y)} data-tone="accent" />
    </svg>
  );
}
