/** Tells who may change destinations that events do not arrive, on every screen. */
import type { Destination } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useNow } from '../parts/now.ts';
import { nameOf, stateOf } from '../sentences/destinations.ts';
import styles from './connection-banner.module.css';

const EVERY_SECONDS = 120;

/** Renders nothing while events are sent to every destination that nobody paused by hand. */
export function DestinationBanner() {
  const failing = useDestinations('failing');
  const disabled = useDestinations('disabled');
  const paused = useDestinations('paused');
  const active = useDestinations('active');
  const now = useNow();
  const troubled = [
    ...failing,
    ...disabled,
    ...paused.filter(({ stateReason }) => stateReason === 'copied'),
    ...active.filter(({ stateReason }) => stateReason === 'no_node_sends'),
  ];
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

/** The newest destinations in a state. */
function useDestinations(state: Destination['state']): readonly Destination[] {
  const request = { state, limit: 100 };
  return useRead('/listDestinations', request, { everySeconds: EVERY_SECONDS, later: true }).data?.destinations ?? [];
}
