import { type ReactNode, useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { ConsoleSession } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Section } from '../parts/section.tsx';
import { Badge } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { browserText, WAY_IN_WORDS, whoText } from './words.ts';

/** How to keep a person out for good. */
const KEEP_OUT_WORDS = {
  admin_secret: 'They can sign in again with the admin secret.',
  operator_key: 'They can sign in again with the same key: to keep them out, revoke it.',
  api_key: 'They can sign in again with the same key: to keep them out, revoke it.',
  provider: 'They can sign in again with their account: to keep them out, take its role away at the provider.',
} as const;

const COLUMNS: readonly Column<ConsoleSession>[] = [
  {
    title: 'Name',
    cell: ({ name, isThisOne }) => (
      <>
        {name} {isThisOne && <Badge tone="good">You, here</Badge>}
      </>
    ),
  },
  { title: 'As', cell: whoText, phone: 'second' },
  { title: 'Way in', cell: ({ signedInBy }) => WAY_IN_WORDS[signedInBy] },
  { title: 'Browser', cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{browserText(userAgent)}</span> },
  { title: 'Address', cell: ({ address }) => address ?? 'Not known' },
  { title: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />, phone: 'firstEnd' },
  { title: 'Ends at the latest', cell: ({ expiresAt }) => <Time at={expiresAt} />, phone: 'secondEnd' },
];

/** The sessions of the console, newest first, each with a button that ends it. */
export function Sessions({ hint }: { readonly hint: ReactNode }) {
  const filters = useFilters([]);
  const [ended, setEnded] = useState<ConsoleSession | null>(null);
  const mayEnd = useCan('/endConsoleSession');
  const request = { limit: 50, ...given({ cursor: filters.cursor }) };
  const list = useRead('/listConsoleSessions', request, { keepPrevious: true });
  return (
    <Section title="Signed in" hint={hint}>
      <Table
        caption="Sessions of the console"
        file={listFile('console-sessions', '/listConsoleSessions', request, ({ sessions }) => sessions)}
        rows={list.data?.sessions}
        keyOf={({ sessionId }) => sessionId}
        columns={COLUMNS}
        {...(mayEnd
          ? {
              actions: (session: ConsoleSession) =>
                !session.isThisOne && (
                  <Button
                    small
                    look="quiet"
                    label={`End the session of ${session.name}`}
                    onClick={() => setEnded(session)}
                  >
                    End
                  </Button>
                ),
            }
          : {})}
        {...listingOf(list, filters)}
        empty={<Empty title="Nobody is signed in" />}
      />
      {ended !== null && (
        <WriteDialog
          path="/endConsoleSession"
          title={`End the session of ${ended.name}`}
          description={`${ended.name} (${browserText(ended.userAgent)}) is signed out with the next call. ${KEEP_OUT_WORDS[ended.signedInBy]}`}
          verb="End session"
          danger
          request={{ sessionId: ended.sessionId }}
          onClose={() => setEnded(null)}
          onDone={() => toast({ title: `${ended.name} is signed out.` })}
        />
      )}
    </Section>
  );
}
