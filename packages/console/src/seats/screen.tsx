/** The board of live seats: each floating license with the present holders of its seats. */
import { useState } from 'react';
import { listingOf } from '../actions/listing-of.tsx';
import { ProductFilter } from '../actions/product-filter.tsx';
import type { ListLiveSessionsRequest } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { Empty } from '../parts/empty.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Listing, Nothing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { type Filters, useFilters } from '../parts/use-filters.ts';
import { Pool } from './pool.tsx';
import { type SeatAction, SeatDialog } from './seat-dialog.tsx';

const FILTERS = ['full', 'product', 'license'] as const;

/** Seconds between reads. */
const EVERY_SECONDS = 10;
/** Page size of the licenses, and number of machines shown initially for each. */
const POOLS = 20;
const SESSIONS = 20;

/** Floating licenses with live sessions. */
export function Screen() {
  const filters = useFilters(FILTERS);
  const board = useRead('/listLiveSessions', requestOf(filters), { keepPrevious: true, everySeconds: EVERY_SECONDS });
  const [action, setAction] = useState<SeatAction | null>(null);
  return (
    <Page title="Seats" subtitle="Who uses floating licenses at this moment. The board renews itself.">
      <SeatFilters filters={filters} />
      <Listing
        what="live sessions"
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
      {action !== null && <SeatDialog action={action} onClose={() => setAction(null)} />}
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
    ...(product === '' ? {} : { productId: product }),
    ...(license === '' ? {} : { licenseKey: license }),
    ...(cursor === '' ? {} : { cursor }),
  };
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
