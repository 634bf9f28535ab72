/** The board of live seats: each floating license with the present holders of its seats. */
import { useState } from 'react';
import { filePages } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { EndSessionDialog, RemoveMachineDialog } from '../actions/machine-dialogs.tsx';
import { ProductFilter } from '../actions/product-filter.tsx';
import { call } from '../api/call.ts';
import type { ListLiveSessionsRequest, SessionPool } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import type { ListFile } from '../parts/csv.tsx';
import { Empty } from '../parts/empty.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Listing, Nothing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { type Filters, useFilters } from '../parts/use-filters.ts';
import { Pool, type SeatAction } from './pool.tsx';

const FILTERS = ['full', 'product', 'license'] as const;

/** Seconds between reads. */
const EVERY_SECONDS = 10;
/** Page size of the licenses, and number of machines shown initially for each. */
const POOLS = 20;
const SESSIONS = 20;
/** The maximums of the service, for the file. */
const MAX_POOLS = 100;
const MAX_SESSIONS = 100;
/** Seats of one license after which its reading ends: a file has no more lines. */
const MAX_FURTHER = 10_000;

/** Floating licenses with live sessions. */
export function Screen() {
  const filters = useFilters(FILTERS);
  const board = useRead('/listLiveSessions', requestOf(filters), { keepPrevious: true, everySeconds: EVERY_SECONDS });
  const [action, setAction] = useState<SeatAction | null>(null);
  return (
    <Page title="Seats" subtitle="Who uses floating licenses at this moment. The board updates itself.">
      <SeatFilters filters={filters} />
      <Listing
        what="live sessions"
        file={seatsFile(filters)}
        entries={board.data?.pools}
        {...listingOf(board, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No license in use fits."
            first={
              <Empty title="Nobody holds a seat at this moment.">
                When apps with a floating license run, they are listed here with their machine and when their seat
                becomes free.
              </Empty>
            }
          />
        }
      >
        {(pools) =>
          pools.map((pool) => <Pool key={pool.licenseKey} pool={pool} everySeconds={EVERY_SECONDS} onAct={setAction} />)
        }
      </Listing>
      {action?.kind === 'end' && <EndSessionDialog machine={action.machine} onClose={() => setAction(null)} />}
      {/* A machine with a seat is in use, so that its removal always asks. */}
      {action?.kind === 'remove' && <RemoveMachineDialog machine={action.machine} onClose={() => setAction(null)} />}
    </Page>
  );
}

type ScreenFilters = Filters<(typeof FILTERS)[number]>;

function requestOf({ values, cursor }: ScreenFilters): ListLiveSessionsRequest {
  const { full, product, license } = values;
  return {
    limit: POOLS,
    sessionLimit: SESSIONS,
    ...(/^\d{1,2}$|^100$/.test(full) ? { minimumUsePercent: Number(full) } : {}),
    ...given({ productId: product, licenseKey: license, cursor }),
  };
}

/** All seats in use that match the filters, one a line. */
function seatsFile(filters: ScreenFilters): ListFile {
  const request = { ...requestOf(filters), limit: MAX_POOLS, sessionLimit: MAX_SESSIONS };
  return filePages('seats', async (cursor) => {
    const { pools, nextCursor } = await call('/listLiveSessions', { ...request, cursor } as ListLiveSessionsRequest);
    const entries: object[] = [];
    for (const pool of pools) {
      const further = pool.nextSessionCursor;
      entries.push(...seatsOf(pool), ...(further === undefined ? [] : await furtherSeats(pool.licenseKey, further)));
    }
    return { entries, nextCursor };
  });
}

/** The seats of a license beyond the first ones. */
async function furtherSeats(licenseKey: string, first: string): Promise<readonly object[]> {
  const seats: object[] = [];
  for (let cursor: string | undefined = first; cursor !== undefined && seats.length < MAX_FURTHER; ) {
    const request: ListLiveSessionsRequest = { licenseKey, sessionLimit: MAX_SESSIONS, sessionCursor: cursor };
    const [pool] = (await call('/listLiveSessions', request)).pools;
    seats.push(...(pool === undefined ? [] : seatsOf(pool)));
    cursor = pool?.nextSessionCursor;
  }
  return seats;
}

function seatsOf({ licenseKey, email, productId, sessions }: SessionPool): readonly object[] {
  return sessions.map((session) => ({ licenseKey, email, productId, ...session }));
}

function SeatFilters({ filters }: { readonly filters: ScreenFilters }) {
  const { values, set } = filters;
  return (
    <FilterBar set={filters.count} onClear={filters.clear}>
      <SelectField
        label="How full"
        hideLabel
        value={values.full}
        onChange={(full) => set({ full })}
        options={[
          { value: '', title: 'However full' },
          { value: '50', title: 'At least half full' },
          { value: '90', title: 'At least 90 % full' },
          { value: '100', title: 'Full' },
        ]}
      />
      <ProductFilter value={values.product} onChange={(product) => set({ product })} />
      <FilterText label="License key" value={values.license} onChange={(license) => set({ license })} />
    </FilterBar>
  );
}
