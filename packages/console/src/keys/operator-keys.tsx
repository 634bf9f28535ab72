import { useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import type { OperatorKey } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Empty } from '../parts/empty.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { RevokeOperatorKeyDialog } from './key-dialogs.tsx';
import { Hash, LAST_COLUMNS, revoking } from './key-table.tsx';
import { ROLE_WORDS } from './words.ts';

const COLUMNS: readonly Column<OperatorKey>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Role', cell: ({ role }) => ROLE_WORDS[role].title, phone: 'second' },
  { title: 'Hash', cell: ({ keyHash }) => <Hash of={keyHash} /> },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} as="past" />),
  },
  { title: 'Ends', cell: ({ expiresAt }) => (expiresAt === null ? 'Never' : <Time at={expiresAt} as="day" />) },
  ...LAST_COLUMNS,
];

/** The operator keys, with which people sign in, newest first. */
export function OperatorKeys() {
  const filters = useFilters([]);
  const [revoked, setRevoked] = useState<OperatorKey | null>(null);
  const mayRevoke = useCan('/revokeOperatorKey');
  const request = { limit: 50, ...given({ cursor: filters.cursor }) };
  const list = useRead('/listOperatorKeys', request, { keepPrevious: true });
  return (
    <>
      <Table
        caption="Operator keys"
        file={listFile('operator-keys', '/listOperatorKeys', request, ({ keys }) => keys)}
        rows={list.data?.keys}
        keyOf={({ keyHash }) => keyHash}
        columns={COLUMNS}
        {...revoking<OperatorKey>(mayRevoke, setRevoked)}
        {...listingOf(list, filters)}
        empty={
          <Empty title="No operator keys yet">
            Give everybody who works with this console a key of their own: the activity then says who did what, and one
            person's access can be ended without changing the admin secret.
          </Empty>
        }
      />
      {revoked !== null && <RevokeOperatorKeyDialog of={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}
