/** The list of licenses, by filters or by the lines that somebody pasted. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CurlExample } from '../actions/curl.tsx';
import { listFile } from '../actions/list-file.ts';
import { ageOf, listingOf } from '../actions/listing-of.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { LicenseSummary } from '../api/contract.ts';
import { late } from '../api/late.tsx';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/count-words.ts';
import { Empty } from '../parts/empty.tsx';
import { Nothing } from '../parts/listing.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { useShortcuts } from '../parts/shortcuts.ts';
import { Table } from '../parts/table.tsx';
import { type Filters, pagesOf, useFilters } from '../parts/use-filters.ts';
import { ChosenBar } from './chosen-bar.tsx';
import { type ChosenRows, chosenAfter } from './chosen-rows.ts';
import { FILTERS, listRequest, PAGE, PASTED } from './first-reads.ts';
import { inFile } from './in-file.ts';
import { IssueDialog } from './issue-dialog.tsx';
import { ListBar } from './list-bar.tsx';
import { licenseColumns } from './list-columns.tsx';
import { changeOf, orderText, sortedBy } from './list-filters.ts';
import { keepPasted, licensesIn, pastedRequest, usePastedLines } from './pasted-list.ts';
import { SelectAll } from './select-all.tsx';

const PasteDialog = late(async () => (await import('./paste-dialog.tsx')).PasteDialog);

export function Screen() {
  const filters = useFilters(FILTERS);
  const list = useListed(filters);
  const client = useQueryClient();
  const mayIssue = useCan('/createLicense');
  const [chosen, setChosen] = useState<ChosenRows>(new Map());
  const [opened, setOpened] = useState<'issue' | 'paste' | null>(null);
  const close = () => setOpened(null);
  useShortcuts(mayIssue ? [{ keys: 'c', does: 'Issue licenses', run: () => setOpened('issue') }] : []);
  const { rows } = list.table;
  // A selected row may have changed since it was selected.
  const present = chosenAfter(chosen, new Set(chosen.keys()), rows ?? []);
  const choose = (keys: ReadonlySet<string>) => setChosen(chosenAfter(chosen, keys, rows ?? []));
  const chooseAll = (all: readonly LicenseSummary[]) => setChosen(new Map(all.map((row) => [row.key, row])));
  const issue = mayIssue && (
    <Button look="primary" onClick={() => setOpened('issue')}>
      Issue licenses
    </Button>
  );
  const paste = () => setOpened('paste');
  const isWhole = list.isPasted && list.all.licenses?.every(({ key }) => chosen.has(key)) === true;
  return (
    <Page title="Licenses" actions={issue}>
      <ListBar filters={filters} onPaste={paste} />
      <Table
        keyOf={({ key }) => key}
        nameOf={({ email, key }) => `${email}, ${key}`}
        hrefOf={({ key }) => `#/licenses/${encodeURIComponent(key)}`}
        selection={{ keys: new Set(chosen.keys()), onChange: choose }}
        {...list.table}
        empty={
          list.isPasted ? (
            <Empty title="No pasted list" actions={<Button onClick={paste}>Paste a list</Button>}>
              A pasted list stays in this tab until the page is loaded again, because its lines name customers.
            </Empty>
          ) : (
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
              The beginning of an e-mail address will do. Search with <kbd>/</kbd> for anything else.
            </Nothing>
          )
        }
      />
      <ChosenBar
        chosen={present}
        rows={rows ?? []}
        onChoose={choose}
        selectAll={list.hasMore && !isWhole && <SelectAll {...list.all} onSelect={chooseAll} />}
      />
      {opened === 'issue' && <IssueDialog onClose={close} productId={filters.values.product} />}
      {opened === 'paste' && (
        <PasteDialog
          productId={filters.values.product}
          onSelect={(request, reply) => {
            keepPasted(client, request, reply);
            filters.set(changeOf({ view: PASTED }), true);
            chooseAll(licensesIn(reply));
          }}
          onClose={close}
        />
      )}
    </Page>
  );
}

/** The rows of the address, as the table and the selection of all need them. */
function useListed(filters: Filters<(typeof FILTERS)[number]>) {
  const { values, cursor, page } = filters;
  const now = useNow();
  const lines = usePastedLines();
  const isPasted = values.view === PASTED;
  const request = listRequest({ ...values, cursor });
  const listed = useRead('/listLicenses', request, { keepPrevious: true, enabled: !isPasted });
  const pasted = useRead('/findLicenses', pastedRequest(lines, values.product), {
    keepPrevious: true,
    enabled: isPasted && lines.length > 0,
  });
  if (isPasted) {
    const all = lines.length === 0 ? [] : pasted.data && licensesIn(pasted.data);
    const rows = all?.slice((page - 1) * PAGE, page * PAGE);
    const isMore = (all?.length ?? 0) > page * PAGE;
    return {
      isPasted,
      hasMore: (all?.length ?? 0) > PAGE,
      all: { licenses: all ?? [] },
      table: {
        caption: `Licenses of the pasted list of ${counted(lines.length, 'line')}`,
        file: { name: 'licenses-of-list', entries: () => (all ?? []).map(inFile) },
        columns: licenseColumns(now),
        rows,
        notice: readNotice(pasted),
        fresh: pasted.isPlaceholderData,
        age: lines.length === 0 ? null : ageOf(pasted),
        pages: {
          ...pagesOf(filters, undefined),
          ...(isMore ? { onNext: () => filters.goTo('', page + 1) } : {}),
        },
      },
    };
  }
  const sortBy = (column: 'created' | 'expires') => () => filters.set(changeOf(sortedBy(column, values), values));
  const isByExpiry = values.sort === 'expiry' || values.view.startsWith('expiring');
  const isByCreation = !isByExpiry && !values.view.startsWith('threat') && request.beginning === undefined;
  const created = values.sort === 'oldest' ? 'ascending' : 'descending';
  return {
    isPasted,
    hasMore: page > 1 || listed.data?.nextCursor !== undefined,
    all: { request },
    table: {
      caption: orderText(values),
      file: listFile('licenses', '/listLicenses', request, ({ licenses }) => licenses.map(inFile)),
      columns: licenseColumns(now, {
        created: { direction: isByCreation ? created : 'none', onSort: sortBy('created') },
        expires: { direction: isByExpiry ? 'ascending' : 'none', onSort: sortBy('expires') },
      }),
      rows: listed.data?.licenses,
      ...listingOf(listed, filters),
    },
  };
}
