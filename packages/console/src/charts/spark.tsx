import styles from './charts.module.css';
import { areaPath, countAxis, linePath } from './scale.ts';

const WIDTH = 120;
const HEIGHT = 32;

/** A line as small as a word, beside a figure. `label` says in words what it shows. */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const axis = countAxis(Math.max(0, ...values), HEIGHT - 4);
  return (
    <svg
      className={styles.spark}
      viewBox={`0 -2 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className={styles.area} d={areaPath(values, WIDTH, axis.y, HEIGHT - 4)} />
      <path className={styles.line} d={linePath(values, WIDTH, axis.y)} data-tone="accent" />
    </svg>
  );
}
