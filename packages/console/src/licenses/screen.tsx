/** The list of licenses. */
import { useState } from 'react';
import { CurlExample } from '../actions/curl.tsx';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import type { LicenseSummary } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Nothing } from '../parts/listing.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { useShortcuts } from '../parts/shortcuts.ts';
import { Table } from '../parts/table.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { ChosenBar } from './chosen-bar.tsx';
import { type ChosenRows, chosenAfter } from './chosen-rows.ts';
import { FILTERS, listRequest } from './first-reads.ts';
import { IssueDialog } from './issue-dialog.tsx';
import { ListBar } from './list-bar.tsx';
import { licenseColumns } from './list-columns.tsx';

export function Screen() {
  const filters = useFilters(FILTERS);
  const request = listRequest({ ...filters.values, cursor: filters.cursor });
  const list = useRead('/listLicenses', request, { keepPrevious: true });
  const now = useNow();
  const mayIssue = useCan('/createLicense');
  const [chosen, setChosen] = useState<ChosenRows>(new Map());
  const [isIssuing, setIssuing] = useState(false);
  useShortcuts(mayIssue ? [{ keys: 'c', does: 'Issue licenses', run: () => setIssuing(true) }] : []);
  const rows = list.data?.licenses;
  // A selected row may have changed since it was selected.
  const present = chosenAfter(chosen, new Set(chosen.keys()), rows ?? []);
  const choose = (keys: ReadonlySet<string>) => setChosen(chosenAfter(chosen, keys, rows ?? []));
  const issue = mayIssue && (
    <Button look="primary" onClick={() => setIssuing(true)}>
      Issue licenses
    </Button>
  );
  return (
    <Page title="Licenses" actions={issue}>
      <ListBar filters={filters} />
      <Table
        caption="Licenses, the newest first"
        file={listFile('licenses', '/listLicenses', request, ({ licenses }) => licenses.map(inFile))}
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
                <CurlExample
                  label="issue a license"
                  path="/createLicense"
                  request={{ email: 'ada@example.com', productId: 'my-app' }}
                />
              </Empty>
            }
          >
            An e-mail address must be whole. To find a license by the beginning of something, search with <kbd>/</kbd>.
          </Nothing>
        }
      />
      <ChosenBar chosen={present} rows={rows ?? []} onChoose={choose} />
      {isIssuing && <IssueDialog onClose={() => setIssuing(false)} productId={filters.values.product} />}
    </Page>
  );
}

/** A license as the file shows it. */
function inFile(license: LicenseSummary) {
  return {
    Key: license.key,
    'E-mail': license.email,
    Product: license.productId,
    Variant: license.variant,
    Status: license.status,
    Type: license.licenseType,
    Machines: license.machinesUsed,
    'Machines allowed': license.maxMachines < 0 ? 'unlimited' : license.maxMachines,
    Expires: license.expiresAt,
    Created: license.createdAt,
  };
}
