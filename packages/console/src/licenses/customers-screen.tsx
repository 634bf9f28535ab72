/** The list of customers: the addresses that have licenses. */
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { ProductFilter } from '../actions/product-filter.tsx';
import type { CustomerSummary } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { LinkButton } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Nothing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { customerCountText } from './customer-words.ts';
import { CUSTOMER_FILTERS, customersRequest } from './first-reads.ts';

const COLUMNS: readonly Column<CustomerSummary>[] = [
  { title: 'Customer', cell: ({ email }) => email },
  { title: 'Licenses', cell: customerCountText, width: '140px', phone: 'second' },
  {
    title: 'Newest license',
    cell: ({ newestLicenseAt }) => <Time at={newestLicenseAt} />,
    align: 'end',
    phone: 'secondEnd',
  },
];

export function Screen() {
  const filters = useFilters(CUSTOMER_FILTERS);
  const request = customersRequest({ ...filters.values, cursor: filters.cursor });
  const list = useRead('/listCustomers', request, { keepPrevious: true });
  const seesLicenses = useCan('/listLicenses');
  return (
    <Page title="Customers" subtitle="Everybody who has a license, by address.">
      <FilterBar set={filters.count} onClear={filters.clear}>
        <FilterText
          label="Address begins with"
          value={filters.values.address}
          onChange={(address) => filters.set({ address })}
        />
        <ProductFilter value={filters.values.product} onChange={(product) => filters.set({ product })} />
      </FilterBar>
      <Table
        caption="Customers, by address"
        file={listFile('customers', '/listCustomers', request, ({ customers }) => customers.map(inFile))}
        columns={COLUMNS}
        rows={list.data?.customers}
        keyOf={({ email }) => email}
        hrefOf={({ email }) => `#/customers/${encodeURIComponent(email)}`}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No customer fits."
            clear="Show all customers"
            first={
              <Empty
                title="No customers yet"
                actions={seesLicenses && <LinkButton href="#/licenses">Go to the licenses</LinkButton>}
              >
                An address becomes a customer with its first license.
              </Empty>
            }
          >
            To find a customer by the domain or the last name, search with <kbd>/</kbd>.
          </Nothing>
        }
      />
    </Page>
  );
}

/** A customer as the file shows it. */
function inFile(customer: CustomerSummary) {
  return {
    'E-mail': customer.email,
    Licenses: customerCountText(customer),
    'Newest license': customer.newestLicenseAt,
  };
}
