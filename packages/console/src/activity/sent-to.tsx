/** The destinations that an event was sent to. */
import type { DeliveryAttempt } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { StatusOf } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { nameOf, outcomeOf } from '../sentences/destinations.ts';
import styles from './activity.module.css';

/** An event goes to at most 120 destinations, and rarely to more than three. */
const MAX_ATTEMPTS = 500;

/** Lists the last attempt at each destination. Renders nothing if the event was sent to none. */
export function SentTo({ eventId }: { readonly eventId: string }) {
  const { data } = useRead('/listDeliveryAttempts', { eventId, limit: MAX_ATTEMPTS });
  const newest = new Map<string, DeliveryAttempt>();
  for (const attempt of data?.attempts ?? [])
    if (!newest.has(attempt.destinationId)) newest.set(attempt.destinationId, attempt);
  return (
    <ul>
      {[...newest.values()].map((attempt) => (
        <Sent key={attempt.destinationId} attempt={attempt} />
      ))}
    </ul>
  );
}

function Sent({ attempt }: { readonly attempt: DeliveryAttempt }) {
  const { destinationId, eventId, at } = attempt;
  const { data } = useRead('/getDestination', { destinationId });
  const href = `#/destinations/${encodeURIComponent(destinationId)}?${new URLSearchParams({ event: eventId })}`;
  return (
    <li className={styles.sent}>
      <span>
        Sent to <a href={href}>{data === undefined ? destinationId : nameOf(data.destination)}</a>
      </span>
      <StatusOf {...outcomeOf(attempt)} />
      <Time at={at} />
    </li>
  );
}
