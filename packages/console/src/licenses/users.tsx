/** The users who hold seats of a license with named users, and how to release one. */
import { useState } from 'react';
import { filePages } from '../actions/list-file.ts';
import { ageOf } from '../actions/listing-of.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import { WriteDialog } from '../actions/write-dialog.tsx';
import { call } from '../api/call.ts';
import type { License, LicenseUser } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { counted, countText } from '../parts/count-words.ts';
import type { ListFile } from '../parts/csv.tsx';
import { Empty } from '../parts/empty.tsx';
import { Menu } from '../parts/menu.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { useCursors } from '../parts/use-cursors.ts';

const COLUMNS: readonly Column<LicenseUser>[] = [
  { title: 'User', cell: ({ user }) => user, phone: 'first' },
  { title: 'Machines', cell: ({ machines }) => countText(machines), phone: 'second' },
  { title: 'Since', cell: ({ since }) => <Time at={since} as="day" /> },
  { title: 'Last seen', cell: ({ lastSeen }) => <Time at={lastSeen} />, align: 'end', phone: 'firstEnd' },
];

function usersFile(licenseKey: string): ListFile {
  return filePages(`users-of-${licenseKey}`, async (cursor) => {
    const { users, nextCursor } = await call('/listUsers', {
      licenseKey,
      limit: 1000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    return { entries: users, nextCursor };
  });
}

export function Users({ license }: { readonly license: License }) {
  const licenseKey = license.key;
  const [cursor, pagesBefore] = useCursors();
  const page = useRead(
    '/listUsers',
    { licenseKey, limit: 50, ...(cursor === undefined ? {} : { cursor }) },
    { keepPrevious: true, everySeconds: 15 },
  );
  const [releasing, setReleasing] = useState<LicenseUser | null>(null);
  const mayRelease = useCan('/releaseUser');
  const users = page.data?.users ?? [];
  return (
    <>
      <Table
        caption="Users of the license"
        file={usersFile(licenseKey)}
        columns={COLUMNS}
        rows={users}
        keyOf={({ user }) => user}
        fresh={page.isPlaceholderData}
        notice={readNotice(page)}
        age={ageOf(page)}
        {...(mayRelease
          ? {
              actions: (user: LicenseUser) => (
                <Menu
                  label={`Actions of ${user.user}`}
                  groups={[[{ title: 'Release user', onSelect: () => setReleasing(user), danger: true }]]}
                />
              ),
            }
          : {})}
        pages={{ ...pagesBefore(page.data?.nextCursor), shown: `${countText(license.maxUsers ?? 0)} seats` }}
        empty={<Empty title="No user yet">A user appears here when an app activates the license for them.</Empty>}
      />
      {releasing !== null && (
        <WriteDialog
          path="/releaseUser"
          request={{ licenseKey, user: releasing.user }}
          title={`Release ${releasing.user}?`}
          description={`The seat is free at once, and ${counted(releasing.machines, 'machine')} of the user must be activated again. This cannot be undone.`}
          verb="Release user"
          onClose={() => setReleasing(null)}
          onDone={({ machinesReleased }) =>
            toast({
              title: `${releasing.user} was released.`,
              detail: `${counted(machinesReleased, 'machine')} removed.`,
            })
          }
        />
      )}
    </>
  );
}
