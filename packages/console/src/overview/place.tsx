import styles from './overview.module.css';

/** Stands where drawings will be, as high as they are; shows only when it takes longer than a moment. */
export function DrawingPlace({ what, blocks }: { readonly what: string; readonly blocks: 'charts' | 'map' }) {
  return (
    <div className={blocks === 'charts' ? styles.charts : undefined} role="status" aria-label={`Reading ${what}`}>
      {blocks === 'charts' ? (
        <>
          <div className={styles.chartPlace} />
          <div className={styles.chartPlace} />
          <div className={styles.linePlace} />
        </>
      ) : (
        <div className={styles.mapPlace} />
      )}
    </div>
  );
}
