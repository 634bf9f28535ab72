/** The catalogue: every product, by status. */
import { useState } from 'react';
import { CreatorFilter } from '../actions/creator-field.tsx';
import { CurlExample } from '../actions/curl.tsx';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import type { ListProductsRequest, Product } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Mono } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Nothing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { StatusOf } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { type Filters, useFilters } from '../parts/use-filters.ts';
import { NewProductDialog } from './product-dialogs.tsx';
import { PRODUCT_STATUS_WORDS } from './words.ts';

const STATUSES = [
  { value: '', title: 'All but archived' },
  { value: 'live', title: 'On sale' },
  { value: 'unlisted', title: 'Not listed' },
  { value: 'archived', title: 'Archived' },
] as const;

export function Screen() {
  const filters = useFilters(['status', 'creator']);
  const isOperator = useSession().kind === 'operator';
  const mayCreate = useCan('/createProduct');
  const [isMaking, setMaking] = useState(false);
  const request = requestOf(filters);
  const list = useRead('/listProducts', request, { keepPrevious: true });
  const making = (
    <Button look="primary" onClick={() => setMaking(true)}>
      New product
    </Button>
  );
  return (
    <Page title="Products" actions={mayCreate && making}>
      <FilterBar set={filters.count} onClear={filters.clear}>
        <div>
          <SelectField
            label="Status"
            hideLabel
            options={STATUSES}
            value={filters.values.status}
            onChange={(status) => filters.set({ status })}
          />
        </div>
        {isOperator && (
          <CreatorFilter value={filters.values.creator} onChange={(creator) => filters.set({ creator })} />
        )}
      </FilterBar>
      <Table
        caption="Products"
        file={listFile('products', '/listProducts', request, ({ products }) => products)}
        rows={list.data?.products}
        keyOf={({ productId }) => productId}
        hrefOf={({ productId }) => `#/products/${encodeURIComponent(productId)}`}
        columns={columns(isOperator)}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No product fits."
            clear="Show all products"
            first={<NothingYet action={mayCreate ? making : null} isOperator={isOperator} />}
          >
            No product has this status{isOperator && ' and this creator'}.
          </Nothing>
        }
      />
      {isMaking && <NewProductDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

function requestOf(filters: Filters<'status' | 'creator'>): ListProductsRequest {
  const { status, creator } = filters.values;
  return {
    status: status === '' ? 'live,unlisted' : status,
    limit: 50,
    ...given({ creatorId: creator, cursor: filters.cursor }),
  };
}

function columns(isOperator: boolean): readonly Column<Product>[] {
  return [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Identifier', cell: ({ productId }) => <Mono>{productId}</Mono>, phone: 'second' },
    { title: 'Status', cell: ({ status }) => <StatusOf {...PRODUCT_STATUS_WORDS[status]} />, phone: 'firstEnd' },
    ...(isOperator ? [{ title: 'Creator', cell: ({ creatorId }: Product) => creatorId }] : []),
    { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} />, phone: 'secondEnd', align: 'end' },
  ];
}

function NothingYet({ action, isOperator }: { readonly action: React.ReactNode; readonly isOperator: boolean }) {
  const example = { name: 'Tape Head', slug: 'tape-head', ...(isOperator ? { creatorId: 'ada' } : {}) };
  return (
    <Empty title="No products yet" actions={action}>
      <p>
        A license is for a product. The variants of a product set how many machines a license allows and how long it
        lasts.
      </p>
      <br />
      <CurlExample label="create a product" path="/createProduct" request={example} />
    </Empty>
  );
}
