import styles from './overview.module.css';

/** A placeholder with the height of the drawings; appears only after a short delay. */
export function DrawingPlace({ what, blocks }: { readonly what: string; readonly blocks: 'charts' | 'line' | 'map' }) {
  return (
    <div className={blocks === 'charts' ? styles.charts : undefined} role="status" aria-label={`Reading ${what}`}>
      {blocks === 'charts' ? (
        <>
          <div className={styles.chartPlace} />
          <div className={styles.chartPlace} />
          <div className={styles.linePlace} />
        </>
      ) : (
        <div className={blocks === 'line' ? styles.linePlace : styles.mapPlace} />
      )}
    </div>
  );
}
