/** Orders of several seats of a course, newest first, and filters by seat code, buyer, course and creator. */
import { CreatorFilter } from '../actions/creator-field.tsx';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import type { StudioOrderFound } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useSession } from '../api/session.ts';
import { createdSpan } from '../parts/day-range.ts';
import { DayRangeFilter } from '../parts/day-range-filter.tsx';
import { Empty } from '../parts/empty.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Nothing } from '../parts/listing.tsx';
import { Meter } from '../parts/meter.tsx';
import { Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';

/** The list of orders: all for the operator's side, a creator's own for the creator. */
export function Screen() {
  const filters = useFilters(['code', 'buyer', 'course', 'creator', 'days']);
  const isOperator = useSession().kind === 'operator';
  const { code, buyer, course, creator, days } = filters.values;
  const request = {
    limit: 50,
    ...given({ code, buyerEmail: buyer, courseId: course, creatorId: creator, cursor: filters.cursor }),
    ...given(createdSpan(days)),
  };
  const list = useRead('/searchStudioOrders', request, { keepPrevious: true });
  return (
    <Page title="Orders">
      <FilterBar set={filters.count} onClear={filters.clear}>
        <FilterText label="Seat code" value={code} onChange={(value) => filters.set({ code: value })} />
        <FilterText label="E-mail of the buyer" value={buyer} onChange={(value) => filters.set({ buyer: value })} />
        <FilterText label="Course" value={course} onChange={(value) => filters.set({ course: value })} />
        {isOperator && <CreatorFilter value={creator} onChange={(value) => filters.set({ creator: value })} />}
        <DayRangeFilter what="Bought" value={days} onChange={(value) => filters.set({ days: value })} />
      </FilterBar>
      <Table
        caption="Orders"
        file={listFile('orders', '/searchStudioOrders', request, ({ orders }) => orders)}
        rows={list.data?.orders}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `#/orders/${encodeURIComponent(id)}`}
        columns={columns(isOperator)}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No order fits."
            clear="Clear the search"
            first={
              <Empty title="No orders yet">
                An order is several seats of a course that were bought together. The storefront creates orders.
              </Empty>
            }
          >
            Codes and courses must be given whole, as they are written.
          </Nothing>
        }
      />
    </Page>
  );
}

function columns(isOperator: boolean): readonly Column<StudioOrderFound>[] {
  return [
    { title: 'Course', cell: ({ courseTitle }) => courseTitle },
    { title: 'Buyer', cell: ({ buyerEmail }) => buyerEmail, phone: 'second' },
    {
      title: 'Seats redeemed',
      cell: ({ redeemedCount, seatCount }) => <Seats redeemed={redeemedCount} of={seatCount} />,
      phone: 'firstEnd',
    },
    ...(isOperator ? [{ title: 'Creator', cell: ({ creatorId }: StudioOrderFound) => creatorId }] : []),
    { title: 'Bought', cell: ({ createdAt }) => <Time at={createdAt} />, phone: 'secondEnd', align: 'end' },
  ];
}

function Seats({ redeemed, of }: { readonly redeemed: number; readonly of: number }) {
  return <Meter label="Seats redeemed" used={redeemed} limit={of} mayFill />;
}
