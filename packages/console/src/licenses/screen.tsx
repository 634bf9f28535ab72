/** The list of licenses. */
import { useState } from 'react';
import { listingOf } from '../actions/listing-of.tsx';
import { call } from '../api/call.ts';
import type { LicenseSummary, RequestOf } from '../api/contract.ts';
import { curlLine } from '../api/curl.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { CsvButton } from '../parts/csv.tsx';
import { CodeLine } from '../parts/curl.tsx';
import { Empty } from '../parts/empty.tsx';
import { Nothing } from '../parts/listing.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { useShortcuts } from '../parts/shortcuts.ts';
import { Table } from '../parts/table.tsx';
import { cursorOf, useFilters } from '../parts/use-filters.ts';
import { ChosenBar } from './chosen-bar.tsx';
import { type ChosenRows, chosenAfter } from './chosen-rows.ts';
import { IssueDialog } from './issue-dialog.tsx';
import { ListBar } from './list-bar.tsx';
import { licenseColumns } from './list-columns.tsx';
import { FILTERS, listRequest } from './list-filters.ts';

const PAGE = 50;
/** Maximum number of entries in a file, and the page size for reading them. */
const CSV_MOST = 10_000;
const CSV_PAGE = 1_000;

export function Screen() {
  const filters = useFilters(FILTERS);
  const request = listRequest(filters.values);
  const list = useRead(
    '/listLicenses',
    { ...request, detail: true, limit: PAGE, ...cursorOf(filters) },
    { keepPrevious: true },
  );
  const now = useNow();
  const mayIssue = useCan('/createLicense');
  const [chosen, setChosen] = useState<ChosenRows>(new Map());
  const [isIssuing, setIssuing] = useState(false);
  useShortcuts(mayIssue ? [{ keys: 'c', does: 'Issue licenses', run: () => setIssuing(true) }] : []);
  const rows = list.data?.licenses;
  const choose = (keys: ReadonlySet<string>) => setChosen(chosenAfter(chosen, keys, rows ?? []));
  const issue = mayIssue && (
    <Button look="primary" onClick={() => setIssuing(true)}>
      Issue licenses
    </Button>
  );
  return (
    <Page
      title="Licenses"
      actions={
        <>
          <CsvButton name="licenses" titles={CSV_TITLES} rows={() => readAll(request)} row={csvRow} />
          {issue}
        </>
      }
    >
      <ListBar filters={filters} />
      <Table
        caption="Licenses, the newest first"
        columns={licenseColumns(now)}
        rows={rows}
        keyOf={({ key }) => key}
        nameOf={({ email, key }) => `${email}, ${key}`}
        hrefOf={({ key }) => `#/licenses/${encodeURIComponent(key)}`}
        selection={{ keys: new Set(chosen.keys()), onChange: choose }}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No license fits."
            first={
              <Empty title="No licenses yet" actions={issue}>
                <p>
                  A license lets an app run on a number of machines. Shops issue licenses through the webhook, people
                  issue them here, and scripts like this:
                </p>
                <CodeLine
                  label="Issue a license by curl"
                  line={curlLine(location.origin, '/createLicense', { email: 'ada@example.com', productId: 'my-app' })}
                />
              </Empty>
            }
          >
            An e-mail address must be whole. To find a license by the beginning of something, search with <kbd>/</kbd>.
          </Nothing>
        }
      />
      <ChosenBar chosen={chosen} rows={rows ?? []} onChoose={choose} />
      {isIssuing && <IssueDialog onClose={() => setIssuing(false)} productId={filters.values.product} />}
    </Page>
  );
}

const CSV_TITLES = [
  'Key',
  'E-mail',
  'Product',
  'Variant',
  'Status',
  'Type',
  'Machines',
  'Machines allowed',
  'Expires',
  'Created',
];

function csvRow(license: LicenseSummary): readonly (string | number | null)[] {
  const { key, email, productId, variant, status, licenseType, machinesUsed, maxMachines, expiresAt, createdAt } =
    license;
  const allowed = maxMachines < 0 ? 'unlimited' : maxMachines;
  return [
    key,
    email,
    productId,
    variant,
    status,
    licenseType ?? null,
    machinesUsed ?? null,
    allowed,
    expiresAt ?? null,
    createdAt,
  ];
}

/** Reads all licenses that match the filters, page by page. */
async function readAll(request: RequestOf<'/listLicenses'>): Promise<readonly LicenseSummary[]> {
  const all: LicenseSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await call('/listLicenses', {
      ...request,
      detail: true,
      limit: CSV_PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    all.push(...page.licenses);
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < CSV_MOST);
  return all;
}
