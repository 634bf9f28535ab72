/** One destination: its state, its recent attempts, and the events that were not accepted. */
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { NoItem } from '../actions/no-item.tsx';
import type { GetDestinationReply } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Mono, WithCopy } from '../parts/copy.tsx';
import { countText } from '../parts/count-words.ts';
import { Menu } from '../parts/menu.tsx';
import { Notice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { Status } from '../parts/status.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { lastDayText, nameOf, stateOf, typesText } from '../sentences/destinations.ts';
import { Attempts } from './attempts.tsx';
import { Deliveries } from './deliveries.tsx';
import {
  ChangeDestinationDialog,
  DeleteDialog,
  PauseDialog,
  ResumeDialog,
  RotateDialog,
  TestDialog,
} from './destination-dialogs.tsx';
import styles from './destinations.module.css';
import { useEventAddress } from './event-address.ts';
import { EventDialog } from './event-dialog.tsx';
import { ReplayDialog, ReplayUnderWay } from './replay.tsx';
import { type NewSecret, SecretDialog } from './secret-dialog.tsx';

const BACK = { title: 'Destinations', href: '#/destinations' };
const EVERY_SECONDS = 5;

type Opened = 'change' | 'replay' | 'test' | 'pause' | 'resume' | 'rotate' | 'delete';

export function Screen() {
  const { destinationId = '' } = useParams({ strict: false }) as { readonly destinationId?: string };
  const read = useRead('/getDestination', { destinationId }, { everySeconds: EVERY_SECONDS });
  if (read.data !== undefined) return <DestinationPage {...read.data} />;
  return (
    <NoItem
      title="Destination"
      what="the destination"
      back={BACK}
      all="All destinations"
      read={read}
      missing="destination_not_found"
    />
  );
}

function DestinationPage({ destination, replay, lastDay }: GetDestinationReply) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [secret, setSecret] = useState<NewSecret | null>(null);
  const event = useEventAddress();
  const close = () => setOpened(null);
  const shared = { of: destination, onClose: close };
  const name = nameOf(destination);
  return (
    <Page
      title={name}
      back={BACK}
      subtitle={<State of={destination} />}
      actions={<Actions of={destination} open={setOpened} />}
    >
      <Trouble of={destination} open={setOpened} />
      {replay !== null && <ReplayUnderWay of={destination} replay={replay} />}
      <DestinationFacts destination={destination} lastDay={lastDay} />
      <Section title="Deliveries">
        <Lists of={destination} />
      </Section>
      {opened === 'change' && <ChangeDestinationDialog {...shared} />}
      {opened === 'test' && <TestDialog {...shared} onSent={(eventId) => location.assign(event.hrefOf(eventId))} />}
      {opened === 'pause' && <PauseDialog {...shared} />}
      {opened === 'resume' && <ResumeDialog {...shared} />}
      {opened === 'rotate' && <RotateDialog {...shared} onMade={setSecret} />}
      {opened === 'replay' && <ReplayDialog {...shared} />}
      {opened === 'delete' && <DeleteDialog {...shared} />}
      {secret !== null && <SecretDialog {...secret} onClose={() => setSecret(null)} />}
      {event.eventId !== '' && <EventDialog destination={destination} eventId={event.eventId} onClose={event.close} />}
    </Page>
  );
}

type Shown = GetDestinationReply['destination'];

function State({ of: destination }: { readonly of: Shown }) {
  const { tone, title, sentence } = stateOf(destination, useNow());
  return (
    <>
      <Status tone={tone}>{title}</Status>
      {tone === 'good' && <span>{sentence}</span>}
    </>
  );
}

/** The buttons that the role may use. */
function Actions({ of: destination, open }: { readonly of: Shown; readonly open: (opened: Opened) => void }) {
  const mayTest = useCan('/testDestination');
  const mayChange = useCan('/updateDestination');
  const mayReplay = useCan('/replayEvents');
  const isActive = destination.state === 'active' || destination.state === 'failing';
  return (
    <>
      {mayTest && isActive && <Button onClick={() => open('test')}>Test</Button>}
      {mayChange && (
        <>
          {isActive ? (
            <Button onClick={() => open('pause')}>Pause</Button>
          ) : (
            <Button look="primary" onClick={() => open('resume')}>
              Resume
            </Button>
          )}
          <Menu
            label={`More for ${nameOf(destination)}`}
            groups={[
              [
                { title: 'Change', onSelect: () => open('change') },
                { title: 'New secret', onSelect: () => open('rotate') },
                ...(mayReplay ? [{ title: 'Replay events', onSelect: () => open('replay') }] : []),
              ],
              [{ title: 'Delete', onSelect: () => open('delete'), danger: true }],
            ]}
          >
            More
          </Menu>
        </>
      )}
    </>
  );
}

/** Explains a failure and its remedy; renders nothing while events arrive. */
function Trouble({ of: destination, open }: { readonly of: Shown; readonly open: (opened: Opened) => void }) {
  const { tone, sentence } = stateOf(destination, useNow());
  const mayTest = useCan('/testDestination');
  if (tone === 'good') return null;
  const advice =
    destination.state === 'failing'
      ? 'It is tried again and again, at least every 15 minutes. Once it answers, also to a test, all events follow in order.'
      : destination.state === 'disabled'
        ? 'Fix the receiver, then resume: nothing is left out as long as events are kept.'
        : 'Resume it when the receiver is ready.';
  return (
    <div className={styles.notice}>
      <Notice
        tone={tone}
        title={sentence}
        actions={
          mayTest &&
          destination.state === 'failing' && (
            <Button small onClick={() => open('test')}>
              Try now with a test
            </Button>
          )
        }
      >
        {advice}
      </Notice>
    </div>
  );
}

function DestinationFacts({ destination, lastDay }: Pick<GetDestinationReply, 'destination' | 'lastDay'>) {
  const { url, types, productIds, lastSuccessAt, previousSecretEndsAt } = destination;
  return (
    <Facts
      facts={[
        {
          title: 'Address',
          value: (
            <WithCopy text={url} label="Copy the address">
              <Mono>{url}</Mono>
            </WithCopy>
          ),
        },
        { title: 'Events', value: typesText(types) },
        { title: 'Products', value: productIds === null ? 'All' : productIds.join(', ') },
        { title: 'Last 24 hours', value: <LastDay {...lastDay} /> },
        { title: 'Last delivered', value: lastSuccessAt === null ? 'Never' : <Time at={lastSuccessAt} /> },
        { title: 'License keys', value: destination.includeLicenseKeys ? 'Sent' : 'Not sent' },
        { title: 'Personal data', value: destination.includePersonalData ? 'Sent' : 'Not sent' },
        { title: 'Requests per second', value: `At most ${countText(destination.requestsPerSecond)}` },
        { title: 'Owner', value: destination.creatorId ?? 'The operator' },
        {
          title: 'Former secret signs until',
          value: previousSecretEndsAt === null ? null : <Time at={previousSecretEndsAt} />,
        },
      ]}
    />
  );
}

function LastDay({ delivered, failed }: GetDestinationReply['lastDay']) {
  return (
    <span className={styles.day}>
      <span>{lastDayText({ delivered, failed })}</span>
      {delivered + failed > 0 && (
        <svg className={styles.bar} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect className={styles.failed} width="100" height="6" />
          <rect className={styles.delivered} width={(100 * delivered) / (delivered + failed)} height="6" />
        </svg>
      )}
    </span>
  );
}

function Lists({ of: destination }: { readonly of: Shown }) {
  const filters = useFilters(['show']);
  const show = filters.values.show === '' ? 'attempts' : filters.values.show;
  return (
    <Tabs
      label="Deliveries"
      value={show}
      onChange={(chosen) => filters.set({ show: chosen === 'attempts' ? '' : chosen })}
      tabs={[
        { value: 'attempts', title: 'Attempts', content: () => <Attempts of={destination} failedOnly={false} /> },
        { value: 'failures', title: 'Failed attempts', content: () => <Attempts of={destination} failedOnly /> },
        {
          value: 'waiting',
          title: 'To be tried again',
          count: destination.waiting,
          content: () => <Deliveries of={destination} state="waiting" />,
        },
        {
          value: 'failed',
          title: 'Given up',
          count: destination.failed,
          content: () => <Deliveries of={destination} state="failed" />,
        },
      ]}
    />
  );
}
