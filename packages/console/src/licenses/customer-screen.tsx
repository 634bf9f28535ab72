/** The page of one customer, who is an e-mail address: licenses, and all else that is stored for it. */
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { NoItem } from '../actions/no-item.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { Customer, LicenseSummary } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton, Key } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Nothing } from '../parts/listing.tsx';
import { Meter } from '../parts/meter.tsx';
import { Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { StatusOf } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { AddressDialog } from './address-dialog.tsx';
import { CustomerLists } from './customer-lists.tsx';
import { licensesText } from './customer-words.ts';
import { ForgetDialog } from './forget-dialog.tsx';
import styles from './licenses.module.css';
import { STATUS_WORDS } from './words.ts';

const LICENSES = 20;
const BACK = { title: 'Customers', href: '#/customers' };
const MISSING = 'customer_not_found';

export function Screen() {
  const { email } = useParams({ strict: false }) as { readonly email: string };
  return <CustomerOf key={email} email={email} />;
}

function CustomerOf({ email }: { readonly email: string }) {
  const read = useRead('/getCustomer', { email });
  const [forgotten, setForgotten] = useState<Customer | null>(null);
  const { data, error } = read;
  // The read keeps the data of a customer who is forgotten. The dialog with the proof stays.
  const isGone = error?.code === MISSING;
  return (
    <>
      {data !== undefined && !isGone ? (
        <CustomerPage customer={data.customer} notice={readNotice(read)} onForget={setForgotten} />
      ) : (
        <NoItem title={email} what="the customer" back={BACK} all="All customers" read={read} missing={MISSING} />
      )}
      {forgotten !== null && <ForgetDialog customer={forgotten} onClose={() => setForgotten(null)} />}
    </>
  );
}

interface CustomerPageProps {
  readonly customer: Customer;
  readonly notice: ReactNode;
  readonly onForget: (customer: Customer) => void;
}

function CustomerPage({ customer, notice, onForget }: CustomerPageProps) {
  const { email, licenseCount } = customer;
  const [isMoving, setMoving] = useState(false);
  const mayChange = useCan('/changeEmail') && licenseCount > 0;
  const mayForget = useCan('/forgetCustomer');
  return (
    <Page
      title={email}
      back={BACK}
      shownTitle={
        <span className={styles.keyTitle}>
          {email} <CopyButton text={email} label="Copy the e-mail address" />
        </span>
      }
      subtitle={<Summary customer={customer} />}
      actions={
        (mayChange || mayForget) && (
          <>
            {mayForget && <Button onClick={() => onForget(customer)}>Forget</Button>}
            {mayChange && <Button onClick={() => setMoving(true)}>Change the address</Button>}
          </>
        )
      }
    >
      {notice}
      <Licenses email={email} />
      <CustomerLists customer={customer} />
      {isMoving && <AddressDialog email={email} onClose={() => setMoving(false)} />}
    </Page>
  );
}

/** The customer in one line: numbers and times. */
function Summary({ customer }: { readonly customer: Customer }) {
  const { firstLicenseAt, machines } = customer;
  const lastSeen = machines[0]?.lastSeen;
  return (
    <>
      <span>{licensesText(customer)}</span>
      {firstLicenseAt !== null && (
        <span>
          Customer since <Time at={firstLicenseAt} as="day" />
        </span>
      )}
      {lastSeen !== undefined && (
        <span>
          Last seen <Time at={lastSeen} />
        </span>
      )}
    </>
  );
}

/** Fewer columns than the list of all licenses has, because the page names the customer. */
const COLUMNS: readonly Column<LicenseSummary>[] = [
  { title: 'Key', cell: ({ key }) => <Key value={key} />, width: '148px' },
  { title: 'Product', cell: ({ productId, variant }) => `${productId} / ${variant}`, phone: 'second' },
  { title: 'Status', cell: ({ status }) => <StatusOf {...STATUS_WORDS[status]} />, phone: 'firstEnd' },
  {
    title: 'Machines',
    cell: ({ machinesUsed = 0, maxMachines }) => <Meter label="Machines" used={machinesUsed} limit={maxMachines} />,
  },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, align: 'end', phone: 'secondEnd' },
];

function Licenses({ email }: { readonly email: string }) {
  const filters = useFilters([]);
  const request = { email, detail: true, limit: LICENSES, ...given({ cursor: filters.cursor }) };
  const list = useRead('/listLicenses', request, { keepPrevious: true });
  return (
    <Section title="Licenses">
      <Table
        caption="Licenses of the customer, the newest first"
        file={listFile('licenses-of-customer', '/listLicenses', request, ({ licenses }) => licenses)}
        columns={COLUMNS}
        rows={list.data?.licenses}
        keyOf={({ key }) => key}
        hrefOf={({ key }) => `#/licenses/${encodeURIComponent(key)}`}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No license fits."
            first={<Empty title="No license">No license has this address now.</Empty>}
          />
        }
      />
    </Section>
  );
}
