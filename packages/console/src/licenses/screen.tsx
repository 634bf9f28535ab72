/** The list of licenses. */
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { useRead } from '../api/reads.ts';
import { Key } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';

export function Screen() {
  const list = useRead('/listLicenses', { detail: true, limit: 50 });
  return (
    <Page title="Licenses">
      <Table
        caption="Licenses"
        rows={list.data?.licenses}
        keyOf={({ key }) => key}
        hrefOf={({ key }) => `#/licenses/${encodeURIComponent(key)}`}
        columns={[
          { title: 'Key', cell: ({ key }) => <Key value={key} /> },
          { title: 'Customer', cell: ({ email }) => email, phone: 'second' },
        ]}
        empty={<Empty title="No licenses yet" />}
        notice={list.error && <RefusalNotice refusal={list.error} onRetry={() => void list.refetch()} />}
      />
    </Page>
  );
}
