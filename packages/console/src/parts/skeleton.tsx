/** Something grey in the place of what is still being read. */
import styles from './skeleton.module.css';

export interface SkeletonProps {
  /** Its height in lines of text; 1 unless given. */
  readonly lines?: number;
  /** Its width, as "60%". */
  readonly width?: string;
}

/** Stands in for text; shows only when it takes longer than a moment. */
export function Skeleton({ lines = 1, width = '100%' }: SkeletonProps) {
  return (
    <span className={styles.skeleton} style={{ width }} aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else that tells them apart
        <span key={line} className={styles.line} />
      ))}
    </span>
  );
}

/** Says to screen readers that something is being read. */
export function Loading({ what, lines = 4 }: { readonly what: string; readonly lines?: number }) {
  return (
    <div role="status" aria-label={`Reading ${what}`}>
      <Skeleton lines={lines} />
    </div>
  );
}
