/** One event of a shop: its content, its outcome, a preview, and its remedies. */
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { RefusalNotice, readNotice } from '../actions/refusal-notice.tsx';
import type { Connector, PreviewShopEventReply, ShopEvent, ShopRemedy } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import type { Refusal } from '../api/refusal.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Key, Mono, WithCopy } from '../parts/copy.tsx';
import { counted } from '../parts/count-words.ts';
import { CodeLine } from '../parts/curl.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/section.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { StatusOf } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { DEEDS, EVENT_STATES } from '../sentences/shop-outcomes.ts';
import { waitingText } from '../sentences/waiting.ts';
import { DecideDialog } from './decide-dialog.tsx';
import { MappingDialog } from './mapping-dialogs.tsx';
import styles from './shops.module.css';
import { mappingName, REMEDIES, reasonOf, remediesOf, whyText } from './words.ts';

const EVERY_SECONDS = 5;

/** A read in the parts of the dialog. */
type ReadOf<Reply> = Pick<UseQueryResult<Reply, Refusal>, 'data' | 'error' | 'refetch'>;

export interface EventDialogProps {
  readonly connector: Connector;
  readonly eventId: string;
  /** The event in the list on the screen: all that a role without the body sees. */
  readonly listed: ShopEvent | undefined;
  readonly onClose: () => void;
}

export function EventDialog({ connector, eventId, listed, onClose }: EventDialogProps) {
  const mayReadBody = useCan('/getShopEvent');
  const mayMap = useCan('/updateConnector');
  const mayDecide = useCan('/decideShopEvent');
  const mayPreview = useCan('/previewShopEvent');
  const [opened, setOpened] = useState<ShopRemedy | 'map' | null>(null);
  const whole = useRead('/getShopEvent', { eventId }, { enabled: mayReadBody, everySeconds: EVERY_SECONDS });
  const event = whole.data?.event ?? listed;
  const isPreviewed = mayPreview && event !== undefined && isOpen(event);
  const preview = useRead('/previewShopEvent', { eventId }, { enabled: isPreviewed });
  const close = () => setOpened(null);
  if (event !== undefined && opened === 'map')
    return <MappingDialog of={connector} eventId={eventId} onClose={close} />;
  if (event !== undefined && opened !== null && opened !== 'map')
    return <DecideDialog of={event} remedy={opened} onClose={close} />;
  const remedies = event === undefined || !mayDecide ? [] : remediesOf(event);
  const reason = event?.state === 'watched' ? preview.data?.reason : event?.reason;
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title={event?.type ?? 'Event'}
      actions={
        <>
          {remedies.map((remedy) => (
            <Button key={remedy} onClick={() => setOpened(remedy)}>
              {REMEDIES[remedy].title}
            </Button>
          ))}
          {reason === 'unmapped_product' && mayMap ? (
            <Button look="primary" onClick={() => setOpened('map')}>
              Map the product
            </Button>
          ) : (
            <Button look="primary" onClick={onClose}>
              Close
            </Button>
          )}
        </>
      }
    >
      {readNotice(whole)}
      {event === undefined ? (
        whole.error === null && <Loading what="the event" lines={6} />
      ) : (
        <>
          <div className={styles.part}>
            <EventFacts event={event} />
          </div>
          <Outcome of={event} />
          {isPreviewed && <Preview preview={preview} />}
        </>
      )}
      {whole.data !== undefined && <Body of={whole.data.body} />}
    </Dialog>
  );
}

/** Whether the event can still have an effect, so that a preview says something. */
function isOpen({ state }: ShopEvent): boolean {
  return state === 'watched' || state === 'held' || state === 'attention';
}

function EventFacts({ event }: { readonly event: ShopEvent }) {
  const { subject, sellerEventId, sourceAt, receivedAt, attempts, dueAt, detail } = event;
  return (
    <Facts
      facts={[
        { title: 'State', value: <StatusOf {...EVENT_STATES[event.state]} /> },
        { title: 'Arrived', value: <Time at={receivedAt} /> },
        { title: 'Happened', value: sourceAt === null ? null : <Time at={sourceAt} /> },
        { title: 'About', value: subject === null ? null : <Copied text={subject} what="the id it is about" /> },
        { title: 'Id at the seller', value: <Copied text={sellerEventId} what="the id at the seller" /> },
        { title: 'Failed attempts', value: attempts === 0 ? null : counted(attempts, 'attempt') },
        { title: 'Next attempt', value: dueAt === null ? null : <Time at={dueAt} /> },
        { title: 'Detail', value: detail },
      ]}
    />
  );
}

function Copied({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <WithCopy text={text} label={`Copy ${what}`}>
      <Mono>{text}</Mono>
    </WithCopy>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={styles.part}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Outcome({ of: event }: { readonly of: ShopEvent }) {
  const why = whyText(event);
  return (
    <Part title={event.state === 'attention' ? reasonOf(event).title : 'What came of it'}>
      {why !== '' && <p>{why}</p>}
      {event.outcome.length > 0 && (
        <ul className={styles.licenses}>
          {event.outcome.map(({ licenseKey, did }) => (
            <li key={`${licenseKey} ${did}`}>
              <a href={`#/licenses/${encodeURIComponent(licenseKey)}`}>
                <Key value={licenseKey} />
              </a>
              <span>{DEEDS[did]}</span>
            </li>
          ))}
        </ul>
      )}
      {why === '' && event.outcome.length === 0 && <p>No license changed.</p>}
    </Part>
  );
}

/** The effect of the event under the present mappings. Nothing is changed. */
function Preview({ preview }: { readonly preview: ReadOf<PreviewShopEventReply> }) {
  return (
    <Part title="Preview">
      {preview.error !== null && <RefusalNotice refusal={preview.error} onRetry={() => void preview.refetch()} />}
      {preview.data === undefined && preview.error === null && <Loading what="the preview" lines={3} />}
      {preview.data !== undefined && <Previewed of={preview.data} />}
    </Part>
  );
}

function Previewed({ of: { state, reason, steps, names, changes, mail } }: { readonly of: PreviewShopEventReply }) {
  return (
    <>
      <ul>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
        {names.length > 0 && <li>Sold under these names: {names.map(mappingName).join(', ')}.</li>}
      </ul>
      <p>
        Now it would be: <StatusOf {...EVENT_STATES[state]} />. {whyText({ state, reason })}
      </p>
      {changes.length > 0 && (
        <ul className={styles.licenses}>
          {changes.map((change, at) => (
            // Several new licenses may be alike.
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown once and never reordered
            <li key={at}>
              {change.licenseKey === null ? 'A new license' : <Key value={change.licenseKey} />}
              <span>
                {DEEDS[change.did]}: {change.productId}, {change.variant}
                {change.isRevoked ? ', revoked' : ''}
                {change.expiresAt === null ? '' : ', until '}
                {change.expiresAt !== null && <Time at={change.expiresAt} as="day" />}
                {change.waiting === undefined ? '' : `, ${waitingText(change.waiting)} from the first activation on`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {mail !== null && <p>The keys would go to {mail.to}.</p>}
    </>
  );
}

function Body({ of: body }: { readonly of: string | null }) {
  return (
    <Part title="As the seller sent it">
      {body === null ? <p>It is no longer kept.</p> : <CodeLine line={indented(body)} label="the body" />}
    </Part>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
