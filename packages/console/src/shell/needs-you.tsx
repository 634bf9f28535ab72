/** The number of violations that somebody has to decide about, for the navigation. */
import { NEEDS_YOU } from '../api/needs-you.ts';
import { useRead } from '../api/reads.ts';
import { countText } from '../parts/count-words.ts';
import unseen from '../parts/unseen.module.css';
import styles from './needs-you.module.css';

const EVERY_SECONDS = 60;

/** Renders nothing without any. */
export function NeedsYou() {
  const request = { ...NEEDS_YOU, limit: 1, withTotal: true };
  const total = useRead('/listViolations', request, { everySeconds: EVERY_SECONDS, later: true }).data?.total;
  if (total === undefined || total.count === 0) return null;
  return (
    <span className={styles.count}>
      {countText(total.count)}
      {total.isAtLeast && '+'}
      <span className={unseen.unseen}> need you</span>
    </span>
  );
}
