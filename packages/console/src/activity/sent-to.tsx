/** The destinations that an event was sent to. */
import type { Destination, Event } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { mayGet, nameOf, outcomeOf } from '../sentences/destinations.ts';
import styles from './activity.module.css';

/** Lists the last attempt at each destination. Renders nothing if the event was sent to none. */
export function SentTo({ event }: { readonly event: Event }) {
  const { data } = useRead('/listDestinations', { limit: 100 });
  return (
    <ul>
      {data?.destinations
        .filter((destination) => mayGet(destination, event))
        .map((destination) => (
          <Sent key={destination.destinationId} event={event} to={destination} />
        ))}
    </ul>
  );
}

function Sent({ event, to: destination }: { readonly event: Event; readonly to: Destination }) {
  const { destinationId } = destination;
  const { data } = useRead('/listDeliveryAttempts', { destinationId, eventId: event.id, limit: 1 });
  const attempt = data?.attempts[0];
  if (attempt === undefined) return null;
  const { tone, title } = outcomeOf(attempt);
  const href = `#/destinations/${encodeURIComponent(destinationId)}?${new URLSearchParams({ event: event.id })}`;
  return (
    <li className={styles.sent}>
      <span>
        Sent to <a href={href}>{nameOf(destination)}</a>
      </span>
      <Status tone={tone}>{title}</Status>
      <Time at={attempt.at} />
    </li>
  );
}
