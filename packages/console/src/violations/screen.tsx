/** The inbox of violations: those that need somebody first, and folders for the others, gravest first. */
import { useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { ProductFilter } from '../actions/product-filter.tsx';
import type { ViolationOfLicense } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { ActionBar } from '../parts/action-bar.tsx';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/count-words.ts';
import { DayRangeFilter } from '../parts/day-range-filter.tsx';
import { Empty } from '../parts/empty.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Listing, Nothing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { type Filters, useFilters } from '../parts/use-filters.ts';
import { violationTitle, violationTypes } from '../sentences/violations.ts';
import { Inbox } from './inbox.tsx';
import { changeOfType, FILTERS, ORDERS, requestOf, STATES } from './requests.ts';
import { ResolveDialog, type ResolveDialogProps } from './resolve-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';

const NONE: ReadonlySet<string> = new Set();

export function Screen() {
  const filters = useFilters(FILTERS);
  const request = requestOf(filters.values, filters.cursor);
  const list = useRead('/listViolations', request, { keepPrevious: true, everySeconds: 60 });
  const [chosen, setChosen] = useState(NONE);
  const [resolving, setResolving] = useState<Pick<ResolveDialogProps, 'violations' | 'keepsRevoked'> | null>(null);
  const [revoking, setRevoking] = useState<ViolationOfLicense | null>(null);
  const canResolve = useCan('/resolveLicense');
  const violations = list.data?.violations ?? [];
  const picked = violations.filter(({ id, resolvedAt }) => chosen.has(id) && resolvedAt === null);
  return (
    <Page
      title="Violations"
      subtitle="Use that a license does not allow. A single violation locks nobody out: you decide what follows."
    >
      <InboxFilters filters={filters} />
      <Listing
        what="violations"
        file={listFile('violations', '/listViolations', request, ({ violations: all }) => all)}
        entries={list.data?.violations}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No violation fits."
            first={
              <Empty title="Nothing needs you.">
                When a license is used on too many machines, from many countries at once or with a token that is not its
                own, it is listed here with the evidence. Refunds and chargebacks revoke their licenses by themselves
                and lie in <a href="#/violations?state=disputes">a folder of their own</a>.
              </Empty>
            }
          />
        }
      >
        {(all) => (
          <Inbox
            violations={all}
            chosen={chosen}
            onChoose={setChosen}
            onResolve={(violation) => setResolving({ violations: [violation], keepsRevoked: false })}
            onSettle={(violation) => setResolving({ violations: [violation], keepsRevoked: true })}
            onRevoke={setRevoking}
          />
        )}
      </Listing>
      {canResolve && picked.length > 0 && (
        <ActionBar
          label="What is selected"
          count={`${counted(picked.length, 'violation')} selected`}
          onClear={() => setChosen(NONE)}
        >
          <Button look="primary" onClick={() => setResolving({ violations: picked, keepsRevoked: false })}>
            Resolve
          </Button>
        </ActionBar>
      )}
      {resolving !== null && (
        <ResolveDialog
          {...resolving}
          onClose={() => setResolving(null)}
          onResolved={() => {
            setChosen(NONE);
            setResolving(null);
          }}
        />
      )}
      {revoking !== null && <RevokeDialog violation={revoking} onClose={() => setRevoking(null)} />}
    </Page>
  );
}

type ScreenFilters = Filters<(typeof FILTERS)[number]>;

function InboxFilters({ filters }: { readonly filters: ScreenFilters }) {
  const { values, set } = filters;
  return (
    <FilterBar set={filters.count} onClear={filters.clear}>
      <SelectField label="State" hideLabel value={values.state} onChange={(state) => set({ state })} options={STATES} />
      <SelectField
        label="Kind"
        hideLabel
        value={values.type}
        onChange={(type) => set(changeOfType(type, values))}
        options={[
          { value: '', title: 'Every kind' },
          ...violationTypes.map((type) => ({ value: type, title: violationTitle(type) })),
        ]}
      />
      <SelectField
        label="Severity"
        hideLabel
        value={values.severity}
        onChange={(severity) => set({ severity })}
        options={[
          { value: '', title: 'Every severity' },
          { value: '2', title: 'Medium and above' },
          { value: '3', title: 'High and above' },
          { value: '4', title: 'Severe' },
        ]}
      />
      <ProductFilter value={values.product} onChange={(product) => set({ product })} />
      <FilterText label="License key" value={values.license} onChange={(license) => set({ license })} />
      <DayRangeFilter what="First seen" value={values.days} onChange={(days) => set({ days })} />
      <SelectField label="Order" hideLabel value={values.sort} onChange={(sort) => set({ sort })} options={ORDERS} />
    </FilterBar>
  );
}
