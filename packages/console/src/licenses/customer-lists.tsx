/** The lists of a customer besides the licenses. A list without entries is left out. */
import { listFile } from '../actions/list-file.ts';
import { ageOf } from '../actions/listing-of.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type {
  Customer,
  CustomerList,
  CustomerMachine,
  CustomerRedemption,
  CustomerRefusal,
  CustomerSeat,
  Mail,
  StudioOrderFound,
} from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Key, Mono } from '../parts/copy.tsx';
import { countText } from '../parts/count-words.ts';
import { countryName } from '../parts/country-words.ts';
import { Section } from '../parts/section.tsx';
import { StatusOf } from '../parts/status.tsx';
import { type Column, Table, type TableProps } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { machineName, refusedName, refusedReason } from '../sentences/refusals.ts';
import { MAIL_STATE_WORDS, mailText } from './customer-words.ts';
import styles from './licenses.module.css';

export function CustomerLists({ customer }: { readonly customer: Customer }) {
  const hint = (list: CustomerList, text = '') =>
    customer.cut.includes(list) ? `The newest ${countText(customer[list].length)}. ${text}`.trim() : text || undefined;
  return (
    <>
      <Listed
        title="Refused"
        hint={hint('refusals')}
        caption="Refused calls of the customer's apps, the last one first"
        file="refusals-of-customer"
        rows={customer.refusals}
        keyOf={({ id }) => id}
        columns={REFUSAL_COLUMNS}
      />
      <Listed
        title="Machines"
        hint={hint('machines')}
        caption="Machines of the customer, the last seen first"
        file="machines-of-customer"
        rows={customer.machines}
        keyOf={({ licenseKey, fingerprint }) => `${licenseKey} ${fingerprint}`}
        columns={MACHINE_COLUMNS}
      />
      <Notes notes={customer.notes} hint={hint('notes')} />
      {customer.orderCount > 0 && <Orders email={customer.email} />}
      <Listed
        title="Seats"
        hint={hint('seats')}
        caption="Seats that the customer redeemed, the newest first"
        file="seats-of-customer"
        rows={customer.seats}
        keyOf={({ studioOrderId, redeemedAt }) => `${studioOrderId} ${redeemedAt}`}
        columns={SEAT_COLUMNS}
      />
      <Listed
        title="Codes"
        hint={hint('redemptions')}
        caption="Codes that the customer redeemed, the newest first"
        file="codes-of-customer"
        rows={customer.redemptions}
        keyOf={({ code }) => code}
        columns={REDEMPTION_COLUMNS}
      />
      <Listed
        title="E-mails"
        hint={hint('mails', 'Of the last 30 days.')}
        caption="E-mails to the customer, the newest first"
        file="mails-of-customer"
        rows={customer.mails}
        keyOf={({ mailId }) => mailId}
        columns={MAIL_COLUMNS}
      />
    </>
  );
}

interface Hinted {
  readonly hint: string | undefined;
}

interface ListedProps<Row> extends Hinted, Pick<TableProps<Row>, 'caption' | 'file' | 'keyOf' | 'columns'> {
  readonly title: string;
  readonly rows: readonly Row[];
}

function Listed<Row extends object>({ title, hint, ...table }: ListedProps<Row>) {
  if (table.rows.length === 0) return null;
  return (
    <Section title={title} hint={hint}>
      <Table {...table} empty={null} />
    </Section>
  );
}

function licenseHref(licenseKey: string, machine: string | null = null): string {
  const license = `#/licenses/${encodeURIComponent(licenseKey)}`;
  return machine === null ? license : `${license}?machine=${encodeURIComponent(machine)}`;
}

function LicenseLink({ licenseKey }: { readonly licenseKey: string }) {
  return (
    <a href={licenseHref(licenseKey)}>
      <Key value={licenseKey} />
    </a>
  );
}

const MACHINE_COLUMNS: readonly Column<CustomerMachine>[] = [
  {
    title: 'Machine',
    cell: (machine) => (
      <span className={styles.machineName} title={`Fingerprint ${machine.fingerprint}`}>
        {machineName(machine)}
      </span>
    ),
  },
  {
    title: 'Country',
    cell: ({ lastCountry }) => (lastCountry === null || lastCountry === undefined ? '–' : countryName(lastCountry)),
  },
  { title: 'License', cell: ({ licenseKey }) => <LicenseLink licenseKey={licenseKey} />, phone: 'second' },
  { title: 'Last seen', cell: ({ lastSeen }) => <Time at={lastSeen} />, align: 'end', phone: 'secondEnd' },
];

const REFUSAL_COLUMNS: readonly Column<CustomerRefusal>[] = [
  {
    title: 'Machine',
    cell: (refusal) => (
      <a href={licenseHref(refusal.licenseKey, refusal.machineFingerprint)} title="Why?">
        {refusedName(refusal)}
      </a>
    ),
  },
  { title: 'Why', cell: (refusal) => refusedReason(refusal), phone: 'second', width: '40%' },
  { title: 'Times', cell: ({ count }) => countText(count), align: 'end', width: '72px' },
  { title: 'Last', cell: ({ lastAt }) => <Time at={lastAt} />, align: 'end', phone: 'firstEnd' },
];

function Notes({ notes, hint }: Hinted & Pick<Customer, 'notes'>) {
  if (notes.length === 0) return null;
  return (
    <Section title="Notes" hint={hint}>
      <ul className={styles.notes}>
        {notes.map(({ id, licenseKey, text, at, by }) => (
          <li key={id}>
            <p className={styles.momentMore}>
              <Time at={at} /> · {by} · <LicenseLink licenseKey={licenseKey} />
            </p>
            <p className={styles.note}>{text}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const ORDER_COLUMNS: readonly Column<StudioOrderFound>[] = [
  { title: 'Course', cell: ({ id, courseTitle }) => <OrderLink id={id} title={courseTitle} /> },
  {
    title: 'Seats redeemed',
    cell: ({ redeemedCount, seatCount }) => `${countText(redeemedCount)} of ${countText(seatCount)}`,
    phone: 'second',
  },
  { title: 'Bought', cell: ({ createdAt }) => <Time at={createdAt} />, align: 'end', phone: 'secondEnd' },
];

function OrderLink({ id, title }: { readonly id: string; readonly title: string }) {
  const mayOpen = useCan('/getStudioOrder');
  return mayOpen ? <a href={`#/orders/${encodeURIComponent(id)}`}>{title}</a> : title;
}

/** Orders shown at first; the screen of orders lists all. */
const ORDERS = 20;

function Orders({ email }: Pick<Customer, 'email'>) {
  const request = { buyerEmail: email, limit: ORDERS };
  const list = useRead('/searchStudioOrders', request);
  return (
    <Section
      title="Orders"
      hint={
        list.data?.nextCursor !== undefined && (
          <a href={`#/orders?buyer=${encodeURIComponent(email)}`}>All orders of this buyer</a>
        )
      }
    >
      <Table
        caption="Orders that the customer bought, the newest first"
        file={listFile('orders-of-customer', '/searchStudioOrders', request, ({ orders }) => orders)}
        rows={list.data?.orders}
        keyOf={({ id }) => id}
        columns={ORDER_COLUMNS}
        notice={readNotice(list)}
        age={ageOf(list)}
        empty={null}
      />
    </Section>
  );
}

const SEAT_COLUMNS: readonly Column<CustomerSeat>[] = [
  { title: 'Course', cell: ({ studioOrderId, courseTitle }) => <OrderLink id={studioOrderId} title={courseTitle} /> },
  {
    title: 'Redeemed',
    cell: ({ redeemedAt }) => (redeemedAt === null ? '–' : <Time at={redeemedAt} />),
    align: 'end',
    phone: 'firstEnd',
  },
];

const REDEMPTION_COLUMNS: readonly Column<CustomerRedemption>[] = [
  {
    title: 'Code',
    cell: ({ code }) => (
      <a href={`#/codes/${encodeURIComponent(code)}`}>
        <Mono>{code}</Mono>
      </a>
    ),
  },
  { title: 'License', cell: ({ licenseKey }) => <LicenseLink licenseKey={licenseKey} />, phone: 'second' },
  { title: 'Redeemed', cell: ({ redeemedAt }) => <Time at={redeemedAt} />, align: 'end', phone: 'firstEnd' },
];

const MAIL_COLUMNS: readonly Column<Mail>[] = [
  { title: 'E-mail', cell: ({ kind }) => mailText(kind) },
  {
    title: 'License',
    cell: ({ licenseKey }) => (licenseKey === null ? '–' : <LicenseLink licenseKey={licenseKey} />),
    phone: 'second',
  },
  {
    title: 'State',
    cell: ({ state, lastError }) => (
      <span title={lastError ?? undefined}>
        <StatusOf {...MAIL_STATE_WORDS[state]} />
      </span>
    ),
    phone: 'firstEnd',
  },
  { title: 'Queued', cell: ({ createdAt }) => <Time at={createdAt} />, align: 'end', phone: 'secondEnd' },
];
