/** Grey placeholders for loading content. */
import styles from './skeleton.module.css';

export interface SkeletonProps {
  /** Height in lines of text; 1 by default. */
  readonly lines?: number;
  /** Width, as "60%". */
  readonly width?: string;
}

/** A placeholder for text; appears only after a short delay. */
export function Skeleton({ lines = 1, width = '100%' }: SkeletonProps) {
  return (
    <span className={styles.skeleton} style={{ width }} aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholder lines have no other key
        <span key={line} className={styles.line} />
      ))}
    </span>
  );
}

/** Announces to screen readers that content is loading. */
export function Loading({ what, lines = 4 }: { readonly what: string; readonly lines?: number }) {
  return (
    <div role="status" aria-label={`Reading ${what}`}>
      <Skeleton lines={lines} />
    </div>
  );
}
