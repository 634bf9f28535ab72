/** Signed license files: the machines that have one, their expiry, and a button for a machine without a connection. */
import { useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { ageOf } from '../actions/listing-of.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { License, LicenseFile } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useCursors } from '../parts/use-cursors.ts';
import { FileDialog } from './file-dialog.tsx';
import styles from './licenses.module.css';

const PAGE = 50;

export function Files({ license }: { readonly license: License }) {
  const [cursor, pagesBefore] = useCursors();
  const request = { licenseKey: license.key, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
  const read = useRead('/listLicenseFiles', request, { keepPrevious: true });
  const [isMaking, setMaking] = useState(false);
  const mayMake = useCan('/createLicenseFile');
  const make = mayMake && <Button onClick={() => setMaking(true)}>Make a license file</Button>;
  return (
    <>
      {(read.data?.files.length ?? 0) > 0 && make !== false && <div className={styles.toolbar}>{make}</div>}
      <Table
        caption="License files"
        file={listFile('license-files', '/listLicenseFiles', request, ({ files }) => files)}
        columns={COLUMNS}
        rows={read.data?.files}
        keyOf={({ fileId }) => fileId}
        fresh={read.isPlaceholderData}
        notice={readNotice(read)}
        age={ageOf(read)}
        pages={pagesBefore(read.data?.nextCursor)}
        empty={
          <Empty title="No license file yet" actions={make}>
            Apps fetch signed files for outages by themselves. For a machine without a connection you make one from the
            request that its app wrote.
          </Empty>
        }
      />
      {isMaking && <FileDialog license={license} onClose={() => setMaking(false)} />}
    </>
  );
}

const COLUMNS: readonly Column<LicenseFile>[] = [
  {
    title: 'Machine',
    cell: ({ fingerprint, hostname }) =>
      fingerprint === null ? 'Any machine' : (hostname ?? `Machine ${fingerprint.slice(0, 8)}`),
    phone: 'first',
  },
  {
    title: 'For',
    cell: ({ purpose }) => (purpose === 'grace' ? 'Outages' : 'No connection'),
    phone: 'second',
  },
  { title: 'Issued', cell: ({ issuedAt }) => <Time at={issuedAt} /> },
  {
    title: 'Good until',
    cell: ({ expiresAt }) => (expiresAt === null ? 'For ever' : <Time at={expiresAt} as="day" />),
    align: 'end',
    phone: 'firstEnd',
  },
];
