/** Seat codes as cards to print and cut out, eight per page. Only the cards are printed. */
import { useState } from 'react';
import type { Seat, StudioOrder } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/count-words.ts';
import { Empty } from '../parts/empty.tsx';
import { Checkbox, TextField } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { OneOrder } from './order-read.tsx';
import styles from './print-screen.module.css';
import { groupsOf } from './words.ts';

const CARDS_PER_PAGE = 8;

export function Screen() {
  return <OneOrder>{(order) => <Cards order={order} />}</OneOrder>;
}

function Cards({ order }: { readonly order: StudioOrder }) {
  const [line, setLine] = useState('Redeem this code to open the course.');
  const [withRedeemed, setWithRedeemed] = useState(false);
  const numbered = order.seats.map((seat, at) => ({ seat, number: at + 1 }));
  const chosen = numbered.filter(({ seat }) => withRedeemed || seat.status === 'available');
  const pages = groupsOf(chosen, CARDS_PER_PAGE);
  return (
    <Page
      title="Print seat codes"
      back={{ title: order.courseTitle, href: `#/orders/${encodeURIComponent(order.id)}` }}
      subtitle={`${counted(chosen.length, 'card')} on ${counted(pages.length, 'page')}`}
      actions={
        <Button look="primary" disabled={chosen.length === 0} onClick={() => print()}>
          Print
        </Button>
      }
      printsContentOnly
    >
      <div className={styles.choices}>
        <TextField label="Text on each card" value={line} onChange={setLine} maxLength={120} />
        <Checkbox label="Redeemed codes as well" checked={withRedeemed} onChange={setWithRedeemed} />
      </div>
      {pages.length === 0 && <Empty title="Nothing to print">All seats are redeemed.</Empty>}
      <div className={styles.pages} data-appearance="light">
        {pages.map((cards, page) => (
          <ul key={cards[0]?.seat.code} className={styles.page} aria-label={`Page ${page + 1}`}>
            {cards.map(({ seat, number }) => (
              <Card key={seat.code} order={order} seat={seat} number={number} line={line} />
            ))}
          </ul>
        ))}
      </div>
    </Page>
  );
}

function Card(props: {
  readonly order: StudioOrder;
  readonly seat: Seat;
  readonly number: number;
  readonly line: string;
}) {
  const { order, seat, number, line } = props;
  return (
    <li className={styles.card}>
      <p className={styles.number}>
        Seat {number} of {order.seatCount}
        {seat.status === 'redeemed' && ', redeemed'}
      </p>
      <p className={styles.course}>{order.courseTitle}</p>
      <p className={styles.code}>{seat.code}</p>
      {line.trim() !== '' && <p className={styles.line}>{line}</p>}
    </li>
  );
}
