/** One order: its seats, their holders, and the codes of the free seats. */
import type { Seat, StudioOrder } from '../api/contract.ts';
import { LinkButton } from '../parts/button.tsx';
import { CopyButton, Mono, WithCopy } from '../parts/copy.tsx';
import { moneyText } from '../parts/figures.ts';
import { Page } from '../parts/page.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { OneOrder, ORDERS } from './order-read.tsx';
import { seatsText } from './words.ts';

export function Screen() {
  return <OneOrder>{(order) => <OrderPage order={order} />}</OneOrder>;
}

function OrderPage({ order }: { readonly order: StudioOrder }) {
  const free = order.seats.filter(({ status }) => status === 'available');
  return (
    <Page
      title={order.courseTitle}
      back={ORDERS}
      subtitle={
        <>
          <WithCopy text={order.buyerEmail} label="Copy the e-mail address">
            {order.buyerEmail}
          </WithCopy>
          <span>
            Bought <Time at={order.createdAt} />
          </span>
          <WithCopy text={order.id} label="Copy the order's id">
            <Mono>{order.id}</Mono>
          </WithCopy>
        </>
      }
      actions={
        <>
          {free.length > 0 && (
            <CopyButton
              text={() => free.map(({ code }) => code).join('\n')}
              label="Copy the free codes"
              look="plain"
              small={false}
            >
              Copy free codes
            </CopyButton>
          )}
          <LinkButton href={`#/orders/${encodeURIComponent(order.id)}/print`} look="primary">
            Print cards
          </LinkButton>
        </>
      }
    >
      <Facts
        facts={[
          { title: 'Course', value: `${order.courseId} (${order.courseSlug})` },
          { title: 'Price per seat', value: moneyText(order.pricePerSeat, order.currency) },
          { title: 'Total', value: moneyText(order.totalAmount, order.currency) },
          { title: "Buyer's user", value: order.buyerUserId },
          { title: 'Creator', value: order.creatorId },
        ]}
      />
      <Section title="Seats" hint={seatsText(order)}>
        <Table
          caption="Seats"
          file={{
            name: `seats-${order.courseSlug}-${order.id}`,
            entries: () =>
              order.seats.map(({ code, status, redeemedBy, redeemedAt }, index) => ({
                seat: index + 1,
                code,
                status,
                'redeemed by': redeemedBy,
                'redeemed at': redeemedAt,
              })),
          }}
          rows={order.seats}
          keyOf={({ code }) => code}
          columns={seatColumns(order)}
          empty={<p>This order has no seats.</p>}
        />
      </Section>
    </Page>
  );
}

function seatColumns(order: StudioOrder): readonly Column<Seat>[] {
  return [
    { title: 'Seat', cell: (seat) => `Seat ${order.seats.indexOf(seat) + 1}`, width: '88px', phone: 'none' },
    {
      title: 'Code',
      cell: ({ code }) => (
        <WithCopy text={code} label={`Copy ${code}`}>
          <Mono>{code}</Mono>
        </WithCopy>
      ),
      phone: 'first',
    },
    {
      title: 'State',
      cell: ({ status }) => (
        <Status tone={status === 'redeemed' ? 'good' : 'quiet'}>{status === 'redeemed' ? 'Redeemed' : 'Free'}</Status>
      ),
      phone: 'firstEnd',
    },
    { title: 'Redeemed by', cell: ({ redeemedBy }) => redeemedBy ?? '–', phone: 'second' },
    {
      title: 'When',
      cell: ({ redeemedAt }) => (redeemedAt === undefined ? '–' : <Time at={redeemedAt} />),
      align: 'end',
      phone: 'secondEnd',
    },
  ];
}
