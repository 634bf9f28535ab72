/** The events of a shop. */
import { useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Connector, ShopEvent } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { ActionBar } from '../parts/action-bar.tsx';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/count-words.ts';
import { Empty } from '../parts/empty.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Nothing } from '../parts/listing.tsx';
import { StatusOf } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { EVENT_STATES } from '../sentences/shop-outcomes.ts';
import { EventDialog } from './event-dialog.tsx';
import styles from './shops.module.css';
import { outcomeText, STATES, stateIn, whyText } from './words.ts';

const EVERY_SECONDS = 5;
/** The number of events in a request of /replayShopEvents. */
const MAX_AT_ONCE = 100;

/** The list, with a dialog over it for the event in the address. */
export function ShopEvents({ of: connector }: { readonly of: Connector }) {
  const filters = useFilters(['state', 'about']);
  const shown = useFilters(['event']);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isReplaying, setReplaying] = useState(false);
  const mayReplay = useCan('/replayShopEvents') && connector.state === 'on';
  const { connectorId } = connector;
  const state = stateIn(filters.values.state);
  const request = {
    connectorId,
    limit: 50,
    ...given({ state, reference: filters.values.about, cursor: filters.cursor }),
  };
  const list = useRead('/listShopEvents', request, {
    keepPrevious: true,
    everySeconds: filters.page === 1 ? EVERY_SECONDS : 0,
  });
  const { event: eventId } = shown.values;
  const hrefOf = ({ eventId: id }: ShopEvent) =>
    `#/shops/${encodeURIComponent(connectorId)}?${new URLSearchParams({ ...given({ ...filters.values, cursor: filters.cursor, page: filters.page > 1 ? String(filters.page) : '' }), event: id })}`;
  return (
    <>
      <FilterBar set={filters.count} onClear={filters.clear}>
        <SelectField
          label="State"
          hideLabel
          value={state ?? ''}
          onChange={(value) => filters.set({ state: value })}
          options={STATES}
        />
        <FilterText
          label="Id at the seller"
          value={filters.values.about}
          onChange={(about) => filters.set({ about })}
        />
      </FilterBar>
      <Table
        caption="Events of the shop, newest first"
        file={listFile('shop-events', '/listShopEvents', request, ({ events }) => events)}
        rows={list.data?.events}
        keyOf={(event) => event.eventId}
        nameOf={({ type, subject }) => `${type} ${subject ?? ''}`}
        hrefOf={hrefOf}
        columns={COLUMNS}
        {...(mayReplay ? { selection: { keys: chosen, onChange: setChosen } } : {})}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No event fits."
            clear="Show all events"
            first={
              <Empty title="No event has arrived yet">
                Send a test from the seller, or wait for the next sale. It appears here within seconds.
              </Empty>
            }
          />
        }
      />
      {chosen.size > 0 && (
        <ActionBar
          label="Selected events"
          count={`${counted(chosen.size, 'event')} selected`}
          onClear={() => setChosen(new Set())}
        >
          <Button onClick={() => setReplaying(true)}>Apply again</Button>
        </ActionBar>
      )}
      {isReplaying && (
        <ReplayDialog
          eventIds={[...chosen].slice(0, MAX_AT_ONCE)}
          onClose={() => setReplaying(false)}
          onDone={() => setChosen(new Set([...chosen].slice(MAX_AT_ONCE)))}
        />
      )}
      {eventId !== '' && (
        <EventDialog
          connector={connector}
          eventId={eventId}
          listed={list.data?.events.find((event) => event.eventId === eventId)}
          onClose={() => shown.set({ event: '' })}
        />
      )}
    </>
  );
}

/** Applies events again. */
function ReplayDialog({
  eventIds,
  onClose,
  onDone,
}: {
  readonly eventIds: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  return (
    <WriteDialog
      path="/replayShopEvents"
      title={`Apply ${counted(eventIds.length, 'event')} again`}
      description="They are applied under the present mappings and settings. Nothing is carried out twice."
      verb="Apply again"
      request={{ eventIds }}
      onClose={onClose}
      onDone={({ queued }) => {
        toast({ title: `${counted(queued, 'event')} ${queued === 1 ? 'is' : 'are'} applied again.` });
        onDone();
      }}
    />
  );
}

function State({ of: event }: { readonly of: ShopEvent }) {
  const text = outcomeText(event.outcome) || whyText(event);
  return (
    <span className={styles.state}>
      <StatusOf {...EVENT_STATES[event.state]} />
      {text !== '' && <span className={styles.quiet}>{text}</span>}
    </span>
  );
}

const COLUMNS: readonly Column<ShopEvent>[] = [
  { title: 'Event', cell: ({ type }) => type },
  { title: 'Outcome', cell: (event) => <State of={event} />, phone: 'second' },
  { title: 'About', cell: ({ subject }) => subject ?? 'Nothing named' },
  { title: 'Arrived', cell: ({ receivedAt }) => <Time at={receivedAt} />, align: 'end', phone: 'firstEnd' },
];
