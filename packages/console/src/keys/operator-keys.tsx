/** The list of keys with which the operator's people sign in. */
import { useState } from 'react';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import type { OperatorKey } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Empty } from '../parts/empty.tsx';
import { Menu } from '../parts/menu.tsx';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { cursorOf, pagesOf, useFilters } from '../parts/use-filters.ts';
import { Hash } from './api-keys.tsx';
import { RevokeOperatorKeyDialog } from './key-dialogs.tsx';
import { keyState, ROLE_WORDS } from './words.ts';

const COLUMNS: readonly Column<OperatorKey>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Role', cell: ({ role }) => ROLE_WORDS[role].title, phone: 'second' },
  { title: 'Hash', cell: ({ keyHash }) => <Hash of={keyHash} /> },
  {
    title: 'State',
    cell: ({ active }) => <Status tone={keyState(active).tone}>{keyState(active).title}</Status>,
    phone: 'firstEnd',
  },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, align: 'end', phone: 'secondEnd' },
];

/** Operator keys, newest first. */
export function OperatorKeys() {
  const filters = useFilters([]);
  const [revoked, setRevoked] = useState<OperatorKey | null>(null);
  const mayRevoke = useCan('/revokeOperatorKey');
  const list = useRead('/listOperatorKeys', { limit: 50, ...cursorOf(filters) }, { keepPrevious: true });
  return (
    <>
      <Table
        caption="Operator keys"
        rows={list.data?.keys}
        keyOf={({ keyHash }) => keyHash}
        columns={COLUMNS}
        {...(mayRevoke
          ? {
              actions: (key: OperatorKey) =>
                key.active && (
                  <Menu
                    label={`Actions of ${key.name}`}
                    groups={[[{ title: 'Revoke', onSelect: () => setRevoked(key), danger: true }]]}
                  />
                ),
            }
          : {})}
        pages={pagesOf(filters, list.data?.nextCursor)}
        fresh={list.isPlaceholderData}
        empty={
          <Empty title="No operator keys yet">
            Give everybody who works with this console a key of their own: the activity then says who did what, and one
            person's access can be ended without changing the admin secret.
          </Empty>
        }
        notice={list.error && <RefusalNotice refusal={list.error} onRetry={() => void list.refetch()} />}
      />
      {revoked !== null && <RevokeOperatorKeyDialog of={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}
