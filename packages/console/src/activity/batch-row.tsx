import { useId, useState } from 'react';
import { counted } from '../parts/count-words.ts';
import { Time } from '../parts/time.tsx';
import { actorText, eventSentence } from '../sentences/events.ts';
import styles from './activity.module.css';
import { ActivityRow } from './activity-row.tsx';
import type { Batch } from './batches.ts';
import { UndoAll } from './undo-all.tsx';

/** The changes of one press as one entry, with each change and the way to undo all when opened. */
export function BatchRow({ batch: { events } }: { readonly batch: Batch }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const [newest] = events;
  if (newest === undefined) return null;
  const sentence = `${counted(events.length, 'license')}: ${eventSentence(newest)}`;
  return (
    <li className={styles.row} data-open={isOpen}>
      <span className={styles.time}>
        <Time at={newest.at} as="clock" />
      </span>
      <div className={styles.what}>
        <p>{sentence}</p>
      </div>
      <p className={styles.who}>
        <span>{actorText(newest.actor)}</span>
      </p>
      <button
        type="button"
        className={styles.more}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={`Details: ${sentence}`}
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path d="M3 4.5l3 3 3-3" />
        </svg>
      </button>
      <div id={id} className={styles.details} hidden={!isOpen}>
        {isOpen && (
          <>
            <UndoAll events={events} />
            <ol className={styles.batch}>
              {events.map((event) => (
                <ActivityRow key={event.id} event={event} />
              ))}
            </ol>
          </>
        )}
      </div>
    </li>
  );
}
