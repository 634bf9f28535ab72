/** The mark of the project: a keyhole. */
import styles from './mark.module.css';

export function Mark() {
  return (
    <svg viewBox="0 0 32 32" className={styles.mark} aria-hidden="true">
      <rect width="32" height="32" rx="8" className={styles.plate} />
      <circle cx="16" cy="13" r="5" className={styles.hole} />
      <path d="M14.2 15h3.6l1.7 9h-7z" className={styles.hole} />
    </svg>
  );
}
