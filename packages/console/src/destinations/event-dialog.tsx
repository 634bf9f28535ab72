/** One event at a destination: its attempts, the next try, and the request. */
import { useState } from 'react';
import { RefusalNotice, readNotice } from '../actions/refusal-notice.tsx';
import type { Delivery, Destination } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton, Mono, WithCopy } from '../parts/copy.tsx';
import { counted } from '../parts/count-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/section.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { shortSpanText } from '../parts/span-words.ts';
import { StatusOf } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { failureText, outcomeOf } from '../sentences/destinations.ts';
import styles from './destinations.module.css';
import { ResendDialog } from './resend-dialog.tsx';

/** Milliseconds between two reads while an event has no attempt yet. */
const SECONDS_BETWEEN_READS = 2;

export interface EventDialogProps {
  readonly destination: Destination;
  readonly eventId: string;
  readonly onClose: () => void;
}

export function EventDialog({ destination, eventId, onClose }: EventDialogProps) {
  const { destinationId } = destination;
  const [isResending, setResending] = useState(false);
  const mayResend = useCan('/resendEvents');
  const attempts = useRead(
    '/listDeliveryAttempts',
    { destinationId, eventId, limit: 20 },
    { everySeconds: SECONDS_BETWEEN_READS },
  );
  const delivery = useDelivery(destinationId, eventId);
  const preview = useRead('/previewEvent', { destinationId, eventId });
  const isTest = preview.error?.code === 'event_not_found';
  const type = attempts.data?.attempts[0]?.type;
  if (isResending) return <ResendDialog of={destination} eventIds={[eventId]} onClose={() => setResending(false)} />;
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title={type ?? 'Event'}
      actions={
        <>
          {mayResend && preview.data !== undefined && <Button onClick={() => setResending(true)}>Send again</Button>}
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          {
            title: 'Event',
            value: (
              <WithCopy text={eventId} label="Copy the event id">
                <Mono>{eventId}</Mono>
              </WithCopy>
            ),
          },
          { title: 'Next try', value: delivery === null ? null : <NextTry of={delivery} /> },
        ]}
      />
      <section className={styles.part}>
        <h3>Attempts</h3>
        {readNotice(attempts)}
        {attempts.data === undefined && attempts.error === null && <Loading what="the attempts" lines={2} />}
        {attempts.data?.attempts.length === 0 && <p className={styles.quiet}>None yet, or they are no longer kept.</p>}
        <ol className={styles.attempts}>
          {attempts.data?.attempts.map((attempt) => (
            <li key={attempt.attemptId}>
              <StatusOf {...outcomeOf(attempt)} />
              <span>{shortSpanText(attempt.durationMs)}</span>
              <Time at={attempt.at} />
            </li>
          ))}
        </ol>
      </section>
      <section className={styles.part}>
        <h3>Request</h3>
        {isTest ? (
          <p className={styles.quiet}>A test is not stored, so its request cannot be shown.</p>
        ) : preview.error !== null ? (
          <RefusalNotice refusal={preview.error} onRetry={() => void preview.refetch()} />
        ) : preview.data === undefined ? (
          <Loading what="the request" lines={6} />
        ) : (
          <Request url={destination.url} headers={preview.data.headers} body={preview.data.body} />
        )}
      </section>
    </Dialog>
  );
}

/** The waiting or failed delivery of an event; null without one. */
function useDelivery(destinationId: string, eventId: string): Delivery | null {
  const waiting = useRead('/listDeliveries', { destinationId, state: 'waiting', limit: 1000 });
  const failed = useRead('/listDeliveries', { destinationId, state: 'failed', limit: 1000 });
  const all = [...(waiting.data?.deliveries ?? []), ...(failed.data?.deliveries ?? [])];
  return all.find((each) => each.eventId === eventId) ?? null;
}

function NextTry({ of: delivery }: { readonly of: Delivery }) {
  const failed = `${failureText(delivery)} ${counted(delivery.attempts, 'attempt')} failed.`;
  if (delivery.state === 'failed') return <>None: the event was given up. {failed}</>;
  return (
    <>
      <Time at={delivery.dueAt} />. {delivery.lastError !== null && failed}
    </>
  );
}

/** A request as it would be sent now, without the signature. */
function Request({
  url,
  headers,
  body,
}: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { host, pathname, search } = new URL(url);
  const head = [`POST ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...lines].join('\n');
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0}>{`${head}\n\n${indented(body)}`}</pre>
      <p className={styles.quiet}>
        As it would be sent now, without the signature; the body is sent in one line.{' '}
        <CopyButton text={body} label="Copy the body">
          Copy the body
        </CopyButton>
      </p>
    </>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
