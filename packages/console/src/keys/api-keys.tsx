import { useState } from 'react';
import { listingOf } from '../actions/listing-of.tsx';
import type { ApiKey } from '../api/contract.ts';
import { curlLine } from '../api/curl.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { CodeLine } from '../parts/curl.tsx';
import { Empty } from '../parts/empty.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Nothing } from '../parts/listing.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { cursorOf, useFilters } from '../parts/use-filters.ts';
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
  const list = useRead(
    '/listApiKeys',
    { ...(creator === '' ? {} : { creatorId: creator }), limit: 50, ...cursorOf(filters) },
    { keepPrevious: true },
  );
  return (
    <>
      <FilterBar set={filters.count} onClear={filters.clear}>
        <FilterText label="Creator" value={creator} onChange={(chosen) => filters.set({ creator: chosen })} />
      </FilterBar>
      <Table
        caption="API keys"
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
                <CodeLine
                  line={curlLine(location.origin, '/createApiKey', { creatorId: 'ada', name: 'Build server' })}
                  label="create an API key"
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
