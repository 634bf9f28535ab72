/** Tells who may change destinations that events do not arrive, on every screen. */
import { useRead } from '../api/reads.ts';
import { useNow } from '../parts/now.ts';
import { nameOf, stateOf } from '../sentences/destinations.ts';
import styles from './connection-banner.module.css';

const EVERY_SECONDS = 120;

/** Renders nothing while no destination fails or is disabled, or paused because of a copy. */
export function DestinationBanner() {
  const { data } = useRead('/listDestinations', { limit: 100 }, { everySeconds: EVERY_SECONDS, later: true });
  const now = useNow();
  const troubled = (data?.destinations ?? []).filter(
    ({ state, stateReason }) => state === 'failing' || state === 'disabled' || stateReason === 'copied',
  );
  const [first] = troubled;
  if (first === undefined) return null;
  const href = troubled.length > 1 ? '#/destinations' : `#/destinations/${encodeURIComponent(first.destinationId)}`;
  return (
    <p className={styles.banner}>
      {troubled.length > 1
        ? `Events do not reach ${troubled.length} destinations.`
        : `Events do not reach ${nameOf(first)}. ${stateOf(first, now).sentence}`}{' '}
      <a href={href}>Look</a>
    </p>
  );
}
