import type { Event } from '../api/contract.ts';
import { Section } from '../parts/section.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { actorText, eventSentence } from '../sentences/events.ts';
import styles from './overview.module.css';

/** Number of events shown. */
const SHOWN = 8;

/** The latest changes; undefined while loading. */
export function NewestActivity({ events }: { readonly events: readonly Event[] | undefined }) {
  return (
    <Section title="Newest activity" hint={<a href="#/activity">All activity</a>}>
      {events === undefined && <Loading what="the changes" lines={8} />}
      {events !== undefined && events.length === 0 && <p className={styles.nothing}>Nothing was changed yet.</p>}
      <ol className={styles.events}>
        {events?.slice(0, SHOWN).map((event) => (
          <li key={event.id}>
            <p>
              {event.licenseKey === null ? (
                eventSentence(event)
              ) : (
                <a href={`#/licenses/${encodeURIComponent(event.licenseKey)}`}>{eventSentence(event)}</a>
              )}
            </p>
            <p className={styles.by}>
              {actorText(event.actor)}, <Time at={event.at} />
            </p>
          </li>
        ))}
      </ol>
    </Section>
  );
}
