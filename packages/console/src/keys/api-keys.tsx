import { useState } from 'react';
import { CreatorFilter } from '../actions/creator-field.tsx';
import { CurlExample } from '../actions/curl.tsx';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import type { ApiKey } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Empty } from '../parts/empty.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Nothing } from '../parts/listing.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { RevokeApiKeyDialog } from './key-dialogs.tsx';
import { Hash, LAST_COLUMNS, revoking } from './key-table.tsx';

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Creator', cell: ({ creatorId }) => creatorId, phone: 'second' },
  { title: 'Hash', cell: ({ hash }) => <Hash of={hash} /> },
  ...LAST_COLUMNS,
];

/** The API keys of creators, newest first. */
export function ApiKeys() {
  const filters = useFilters(['creator']);
  const { creator } = filters.values;
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const mayRevoke = useCan('/revokeApiKey');
  const request = { limit: 50, ...given({ creatorId: creator, cursor: filters.cursor }) };
  const list = useRead('/listApiKeys', request, { keepPrevious: true });
  return (
    <>
      <FilterBar set={filters.count} onClear={filters.clear}>
        <CreatorFilter value={creator} onChange={(chosen) => filters.set({ creator: chosen })} />
      </FilterBar>
      <Table
        caption="API keys"
        file={listFile('api-keys', '/listApiKeys', request, ({ keys }) => keys)}
        rows={list.data?.keys}
        keyOf={({ hash }) => hash}
        columns={COLUMNS}
        {...revoking<ApiKey>(mayRevoke, setRevoked)}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No key fits."
            clear="Show all keys"
            first={
              <Empty title="No API keys yet">
                <p>With an API key a creator's programs reach the creator's own products, licenses and codes.</p>
                <br />
                <CurlExample
                  label="create an API key"
                  path="/createApiKey"
                  request={{ creatorId: 'ada', name: 'Build server' }}
                />
              </Empty>
            }
          >
            {creator} has no API key.
          </Nothing>
        }
      />
      {revoked !== null && <RevokeApiKeyDialog of={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}
