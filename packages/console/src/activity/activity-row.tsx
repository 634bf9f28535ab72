import { useId, useState } from 'react';
import type { Event } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { CopyButton, Mono } from '../parts/copy.tsx';
import { shortKey } from '../parts/key-text.ts';
import { Time } from '../parts/time.tsx';
import { exactTime, momentText } from '../parts/time-words.ts';
import unseen from '../parts/unseen.module.css';
import { actorText, changedFields, changesText, eventSentence } from '../sentences/events.ts';
import styles from './activity.module.css';
import { SentTo } from './sent-to.tsx';
import { Undo } from './undo.tsx';

/** One change: the event, the differences and the actor in one line, with all details when opened. */
export function ActivityRow({ event }: { readonly event: Event }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const changes = changesText(event);
  const { licenseKey, productId } = event;
  return (
    <li className={styles.row} data-open={isOpen}>
      <span className={styles.time}>
        <Time at={event.at} as="clock" />
      </span>
      <div className={styles.what}>
        <p>{eventSentence(event)}</p>
        {changes !== '' && <p className={styles.quiet}>{changes}</p>}
      </div>
      <p className={styles.who}>
        <span>{actorText(event.actor)}</span>
        {licenseKey !== null && (
          <a href={`#/licenses/${encodeURIComponent(licenseKey)}`} title={licenseKey}>
            {shortKey(licenseKey)}
          </a>
        )}
        {licenseKey === null && productId !== null && (
          <a href={`#/products/${encodeURIComponent(productId)}`}>{productId}</a>
        )}
      </p>
      <button
        type="button"
        className={styles.more}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={`Details: ${eventSentence(event)}`}
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path d="M3 4.5l3 3 3-3" />
        </svg>
      </button>
      <div id={id} className={styles.details} hidden={!isOpen}>
        {isOpen && <Details event={event} />}
      </div>
    </li>
  );
}

function Details({ event }: { readonly event: Event }) {
  const fields = changedFields(event);
  const seesDestinations = useCan('/listDeliveryAttempts');
  return (
    <>
      {fields.length > 0 && (
        <table>
          <caption className={unseen.unseen}>Changed fields</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(({ name, before, after }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{before ?? '–'}</td>
                <td>{after ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className={styles.quiet}>
        <time dateTime={event.at} title={exactTime(event.at)}>
          {momentText(event.at)}
        </time>
        {event.requestId !== null && (
          <>
            {', request '}
            <Mono>{event.requestId}</Mono>
            <CopyButton text={event.requestId} label="Copy the request id" />
          </>
        )}
      </p>
      <Undo event={event} />
      {seesDestinations && <SentTo eventId={event.id} />}
    </>
  );
}
