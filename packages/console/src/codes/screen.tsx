/** Codes for trials: scope, number of uses, and expiry of each. */
import { useState } from 'react';
import { CreatorFilter } from '../actions/creator-field.tsx';
import { CurlExample } from '../actions/curl.tsx';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { ProductFilter } from '../actions/product-filter.tsx';
import type { DiscountCode } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Mono } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Nothing } from '../parts/listing.tsx';
import { Menu } from '../parts/menu.tsx';
import { Meter } from '../parts/meter.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { daysText } from '../parts/span-words.ts';
import { StatusOf } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { ChangeCodeDialog, DeleteCodeDialog, NewCodeDialog, useSwitchCode } from './code-dialogs.tsx';
import { ManyCodesDialog } from './many-codes-dialog.tsx';
import { forText, stateOf } from './words.ts';

type Opened = { readonly what: 'change' | 'delete'; readonly code: DiscountCode };

/** The list of codes. `new` in the address opens a form, so that other screens can link to it. */
export function Screen() {
  const filters = useFilters(['product', 'creator']);
  const form = useFilters(['new']);
  const isOperator = useSession().kind === 'operator';
  const mayCreate = useCan('/createDiscountCode');
  const [opened, setOpened] = useState<Opened | null>(null);
  const actions = useActions(setOpened);
  const { product, creator } = filters.values;
  const request = { limit: 50, ...given({ productId: product, creatorId: creator, cursor: filters.cursor }) };
  const list = useRead('/listDiscountCodes', request, { keepPrevious: true });
  const close = () => form.set({ new: '' });
  const making = (
    <>
      <Button onClick={() => form.set({ new: 'many' })}>Many codes</Button>
      <Button look="primary" onClick={() => form.set({ new: 'one' })}>
        New code
      </Button>
    </>
  );
  return (
    <Page title="Trial codes" actions={mayCreate && making}>
      <FilterBar set={filters.count} onClear={filters.clear}>
        <ProductFilter value={product} onChange={(chosen) => filters.set({ product: chosen })} />
        {isOperator && <CreatorFilter value={creator} onChange={(chosen) => filters.set({ creator: chosen })} />}
      </FilterBar>
      <Table
        caption="Trial codes"
        file={listFile('trial-codes', '/listDiscountCodes', request, ({ codes }) => codes)}
        rows={list.data?.codes}
        keyOf={({ code }) => code}
        hrefOf={({ code }) => `#/codes/${encodeURIComponent(code)}`}
        columns={COLUMNS}
        {...(actions === null ? {} : { actions })}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No code fits."
            clear="Show all codes"
            first={
              <Empty title="No codes yet" actions={mayCreate && making}>
                <p>A code gives its redeemer a license for some days: for fairs, magazines and reviewers.</p>
                <br />
                <CurlExample
                  label="create a code"
                  path="/createDiscountCode"
                  request={{ code: 'SPRING', trialDays: 14 }}
                />
              </Empty>
            }
          >
            There is no code for this {product !== '' ? 'product' : 'creator'}.
          </Nothing>
        }
      />
      {mayCreate && form.values.new === 'one' && <NewCodeDialog product={product} onClose={close} />}
      {mayCreate && form.values.new === 'many' && <ManyCodesDialog product={product} onClose={close} />}
      {opened?.what === 'change' && <ChangeCodeDialog of={opened.code} onClose={() => setOpened(null)} />}
      {opened?.what === 'delete' && <DeleteCodeDialog of={opened.code} onClose={() => setOpened(null)} />}
    </Page>
  );
}

/** The menu of a code's row; null without permission to change codes. */
function useActions(open: (opened: Opened) => void) {
  const mayChange = useCan('/updateDiscountCode');
  const mayDelete = useCan('/deleteDiscountCode');
  const switchCode = useSwitchCode();
  if (!mayChange && !mayDelete) return null;
  return (code: DiscountCode) => (
    <Menu
      label={`Actions of ${code.code}`}
      groups={[
        mayChange
          ? [
              { title: code.active ? 'Switch off' : 'Switch on', onSelect: () => switchCode(code) },
              { title: 'Change', onSelect: () => open({ what: 'change', code }) },
            ]
          : [],
        mayDelete ? [{ title: 'Delete', onSelect: () => open({ what: 'delete', code }), danger: true }] : [],
      ]}
    />
  );
}

function State({ code }: { readonly code: DiscountCode }) {
  return <StatusOf {...stateOf(code, useNow())} />;
}

const COLUMNS: readonly Column<DiscountCode>[] = [
  { title: 'Code', cell: ({ code }) => <Mono>{code}</Mono> },
  { title: 'State', cell: (code) => <State code={code} />, phone: 'firstEnd' },
  { title: 'For', cell: forText, phone: 'second' },
  { title: 'Trial', cell: ({ trialDays }) => daysText(trialDays) },
  {
    title: 'Used',
    cell: ({ usedCount, maxUses }) => <Meter label="Used" used={usedCount} limit={maxUses} />,
    phone: 'secondEnd',
  },
  {
    title: 'Works until',
    cell: ({ expiresAt }) => (expiresAt === null ? 'No end' : <Time at={expiresAt} as="day" />),
  },
];
