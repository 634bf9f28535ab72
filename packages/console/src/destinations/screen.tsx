/** Destinations: where events are sent, and whether they arrive. */
import { useState } from 'react';
import { CreatorFilter } from '../actions/creator-field.tsx';
import { CurlExample } from '../actions/curl.tsx';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import type { Destination } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Nothing } from '../parts/listing.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { nameOf, STATES, stateIn, stateOf, typesText } from '../sentences/destinations.ts';
import { NewDestinationDialog } from './destination-dialogs.tsx';
import styles from './destinations.module.css';
import { type NewSecret, SecretDialog } from './secret-dialog.tsx';

const EVERY_SECONDS = 15;

/** The list of destinations. `new` in the address opens the form. */
export function Screen() {
  const filters = useFilters(['state', 'creator']);
  const form = useFilters(['new']);
  const isOperator = useSession().kind === 'operator';
  const mayCreate = useCan('/createDestination');
  const [made, setMade] = useState<(NewSecret & { readonly destinationId: string }) | null>(null);
  const { creator } = filters.values;
  const state = stateIn(filters.values.state);
  const request = { limit: 50, ...given({ state, creatorId: creator, cursor: filters.cursor }) };
  const list = useRead('/listDestinations', request, { keepPrevious: true, everySeconds: EVERY_SECONDS });
  const create = mayCreate && (
    <Button look="primary" onClick={() => form.set({ new: 'one' })}>
      New destination
    </Button>
  );
  return (
    <Page
      title="Destinations"
      subtitle="Addresses that receive each change as it happens, signed, and in order for each license."
      actions={create}
    >
      <FilterBar set={filters.count} onClear={filters.clear}>
        <SelectField
          label="State"
          hideLabel
          value={state ?? ''}
          onChange={(chosen) => filters.set({ state: chosen })}
          options={STATES}
        />
        {isOperator && <CreatorFilter value={creator} onChange={(chosen) => filters.set({ creator: chosen })} />}
      </FilterBar>
      <Table
        caption="Destinations, the newest first"
        file={listFile('destinations', '/listDestinations', request, ({ destinations }) => destinations)}
        rows={list.data?.destinations}
        keyOf={({ destinationId }) => destinationId}
        hrefOf={({ destinationId }) => `#/destinations/${encodeURIComponent(destinationId)}`}
        columns={COLUMNS}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No destination fits."
            clear="Show all destinations"
            first={
              <Empty title="No destinations yet" actions={create}>
                <p>A destination tells your shop, mailing list or accounting of each change, such as a new license.</p>
                <br />
                <CurlExample
                  label="create a destination"
                  path="/createDestination"
                  request={{ url: 'https://shop.example.com/latchkey', types: ['license.*'] }}
                />
              </Empty>
            }
          />
        }
      />
      {mayCreate && form.values.new === 'one' && made === null && (
        <NewDestinationDialog
          onClose={() => form.set({ new: '' })}
          onMade={(secret, destinationId) => setMade({ ...secret, destinationId })}
        />
      )}
      {made !== null && (
        <SecretDialog
          {...made}
          onClose={() => location.assign(`#/destinations/${encodeURIComponent(made.destinationId)}`)}
        />
      )}
    </Page>
  );
}

function State({ of: destination }: { readonly of: Destination }) {
  const { tone, title, sentence } = stateOf(destination, useNow());
  return (
    <span className={styles.state}>
      <Status tone={tone}>{title}</Status>
      <span className={styles.quiet}>{sentence}</span>
    </span>
  );
}

const COLUMNS: readonly Column<Destination>[] = [
  { title: 'Destination', cell: nameOf },
  { title: 'State', cell: (destination) => <State of={destination} />, phone: 'second' },
  { title: 'Events', cell: ({ types }) => typesText(types) },
  { title: 'Owner', cell: ({ creatorId }) => creatorId ?? 'The operator' },
  {
    title: 'Last delivered',
    cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? 'Never' : <Time at={lastSuccessAt} />),
    align: 'end',
  },
];
