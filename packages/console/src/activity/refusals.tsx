/** The refusals of apps: machine, license, reason, count and time. */
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { ProductFilter } from '../actions/product-filter.tsx';
import type { RefusalOfLicense } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Key } from '../parts/copy.tsx';
import { counted, countText } from '../parts/count-words.ts';
import { DayRangeFilter } from '../parts/day-range-filter.tsx';
import { Empty } from '../parts/empty.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Nothing } from '../parts/listing.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { type Filters, useFilters } from '../parts/use-filters.ts';
import { checkTitle, refusedName, refusedReason, repeatsText } from '../sentences/refusals.ts';
import styles from './activity.module.css';
import { REFUSAL_FILTERS, reasonChoices, refusalsRequest } from './refusal-filters.ts';

/** The list of refusals, ordered by their beginning, newest first. */
export function Refusals() {
  const filters = useFilters(REFUSAL_FILTERS);
  const request = refusalsRequest(filters.values, filters.cursor);
  const list = useRead('/listRefusals', request, {
    keepPrevious: true,
    everySeconds: filters.page === 1 ? 30 : 0,
  });
  return (
    <>
      <RefusalFilterBar filters={filters} />
      <p className={styles.note}>
        Repeated refusals of a machine for the same reason within an hour are one line. Calls with keys that do not
        exist are counted in the overview, but not listed here.
      </p>
      <Table
        caption="Refusals"
        file={listFile('refusals', '/listRefusals', request, ({ refusals }) => refusals.map(inFile))}
        columns={COLUMNS}
        rows={list.data?.refusals}
        keyOf={({ id }) => id}
        hrefOf={addressOf}
        {...listingOf(list, filters)}
        empty={<NothingRefused filters={filters} nextCursor={list.data?.nextCursor} />}
      />
    </>
  );
}

/** The page of the license, with "Why?" opened for this machine. */
function addressOf({ licenseKey, machineFingerprint }: RefusalOfLicense): string {
  const license = `#/licenses/${encodeURIComponent(licenseKey)}`;
  return machineFingerprint === null ? license : `${license}?machine=${encodeURIComponent(machineFingerprint)}`;
}

const COLUMNS: readonly Column<RefusalOfLicense>[] = [
  {
    title: 'Machine',
    cell: (refusal) => <span title={titleOf(refusal)}>{refusedName(refusal)}</span>,
    phone: 'first',
    width: '20%',
  },
  {
    title: 'Why',
    cell: (refusal) => (
      <div className={styles.reason} title={refusal.error}>
        <p>{refusedReason(refusal)}</p>
        <p className={classes(styles.quiet, styles.onDesk)}>
          {joined(checkTitle(refusal.endpoint), repeatsText(refusal))}
        </p>
        <p className={classes(styles.quiet, styles.onPhone)}>{joined(refusal.email, counted(refusal.count, 'time'))}</p>
      </div>
    ),
    phone: 'second',
  },
  {
    title: 'License',
    cell: ({ licenseKey, email, productId }) => (
      <div className={styles.reason}>
        <p>{email}</p>
        <p className={styles.quiet}>
          <Key value={licenseKey} />
          {` · ${productId}`}
        </p>
      </div>
    ),
  },
  { title: 'Times', cell: ({ count }) => countText(count), align: 'end', width: '72px' },
  { title: 'Last', cell: ({ lastAt }) => <Time at={lastAt} />, align: 'end', phone: 'firstEnd', width: '132px' },
];

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

function titleOf({ machineFingerprint }: RefusalOfLicense): string {
  return machineFingerprint === null ? 'The call named no machine' : `Fingerprint ${machineFingerprint}`;
}

type ScreenFilters = Filters<(typeof REFUSAL_FILTERS)[number]>;

function RefusalFilterBar({ filters }: { readonly filters: ScreenFilters }) {
  const { values, set } = filters;
  return (
    <FilterBar set={filters.count} onClear={filters.clear}>
      <SelectField
        label="Reason"
        hideLabel
        value={values.code}
        onChange={(code) => set({ code })}
        options={reasonChoices(values.code)}
      />
      <ProductFilter value={values.product} onChange={(product) => set({ product })} />
      <FilterText label="License key" value={values.license} onChange={(license) => set({ license })} />
      <FilterText label="Fingerprint" value={values.machine} onChange={(machine) => set({ machine })} />
      <DayRangeFilter what="Refused" value={values.days} onChange={(days) => set({ days })} />
    </FilterBar>
  );
}

function NothingRefused({
  filters,
  nextCursor,
}: {
  readonly filters: ScreenFilters;
  readonly nextCursor: string | undefined;
}) {
  if (nextCursor !== undefined)
    return (
      <Empty
        title="Nothing on this page fits."
        actions={<Button onClick={() => filters.goTo(nextCursor, filters.page + 1)}>Look further back</Button>}
      >
        There is more to look through.
      </Empty>
    );
  return (
    <Nothing
      filters={filters}
      title="No refusal fits."
      first={
        <Empty title="No app was refused.">
          When an app is refused, it is listed here within a second, with the machine and the reason, for 90 days.
        </Empty>
      }
    >
      Remove a filter, or choose a longer time.
    </Nothing>
  );
}

/** A refusal as the file shows it. */
function inFile(refusal: RefusalOfLicense) {
  return {
    Last: refusal.lastAt,
    First: refusal.firstAt,
    Times: refusal.count,
    Why: refusedReason(refusal),
    Code: refusal.code,
    'Told the app': refusal.error,
    Call: refusal.endpoint,
    Machine: refusal.hostname,
    Fingerprint: refusal.machineFingerprint,
    License: refusal.licenseKey,
    Customer: refusal.email,
    Product: refusal.productId,
    Request: refusal.requestId,
  };
}
