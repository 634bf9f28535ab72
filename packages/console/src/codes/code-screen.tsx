/** One code: its trial, and its redemptions. */
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { NoItem } from '../actions/no-item.tsx';
import type { CodeRedemption, DiscountCode } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { Refusal } from '../api/refusal.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Key, Mono, WithCopy } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Menu } from '../parts/menu.tsx';
import { Meter } from '../parts/meter.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { daysText } from '../parts/span-words.ts';
import { StatusOf } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { ChangeCodeDialog, DeleteCodeDialog, useSwitchCode } from './code-dialogs.tsx';
import { forText, stateOf } from './words.ts';

const BACK = { title: 'Trial codes', href: '#/codes' };

export function Screen() {
  const { code: name = '' } = useParams({ strict: false }) as { readonly code?: string };
  const read = useRead('/listDiscountCodes', { code: name });
  // The page stays while the code is being deleted, so that the dialog can show the result.
  const [deleting, setDeleting] = useState<DiscountCode | null>(null);
  const code = read.data?.codes[0] ?? deleting;
  if (code !== null) {
    return (
      <>
        <CodePage code={code} onDelete={() => setDeleting(code)} />
        {deleting !== null && (
          <DeleteCodeDialog
            of={deleting}
            onClose={() => setDeleting(null)}
            onDeleted={() => location.assign(BACK.href)}
          />
        )}
      </>
    );
  }
  const missing = 'discount_code_not_found';
  const error = read.data === undefined ? read.error : new Refusal(missing, 'Discount code not found');
  const one = { error, refetch: read.refetch };
  return <NoItem title="Code" what="the code" back={BACK} all="All codes" read={one} missing={missing} />;
}

function CodePage({ code, onDelete }: { readonly code: DiscountCode; readonly onDelete: () => void }) {
  const mayChange = useCan('/updateDiscountCode');
  const mayDelete = useCan('/deleteDiscountCode');
  const switchCode = useSwitchCode();
  const [isChanging, setChanging] = useState(false);
  const now = useNow();
  return (
    <Page
      title={code.code}
      shownTitle={
        <WithCopy text={code.code} label="Copy the code">
          <Mono>{code.code}</Mono>
        </WithCopy>
      }
      back={BACK}
      subtitle={
        <>
          <StatusOf {...stateOf(code, now)} />
          <span>
            Created <Time at={code.createdAt} />
          </span>
        </>
      }
      actions={
        <>
          {mayChange && (
            <>
              <Button onClick={() => setChanging(true)}>Change</Button>
              <Button onClick={() => switchCode(code)}>{code.active ? 'Switch off' : 'Switch on'}</Button>
            </>
          )}
          {mayDelete && (
            <Menu label={`More for ${code.code}`} groups={[[{ title: 'Delete', onSelect: onDelete, danger: true }]]}>
              More
            </Menu>
          )}
        </>
      }
    >
      <Facts
        facts={[
          { title: 'Trial', value: daysText(code.trialDays) },
          {
            title: 'For',
            value:
              code.productId === null ? (
                forText(code)
              ) : (
                <a href={`#/products/${encodeURIComponent(code.productId)}`}>{code.productId}</a>
              ),
          },
          { title: 'Used', value: <Meter label="Used" used={code.usedCount} limit={code.maxUses} /> },
          { title: 'Works until', value: code.expiresAt === null ? 'No end' : <Time at={code.expiresAt} as="day" /> },
          { title: 'Owner', value: code.creatorId ?? 'The operator' },
        ]}
      />
      <Redemptions code={code} />
      {isChanging && <ChangeCodeDialog of={code} onClose={() => setChanging(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<CodeRedemption>[] = [
  { title: 'Customer', cell: ({ email }) => email },
  { title: 'License', cell: ({ licenseKey }) => <Key value={licenseKey} />, phone: 'second' },
  { title: 'Redeemed', cell: ({ redeemedAt }) => <Time at={redeemedAt} />, align: 'end', phone: 'firstEnd' },
];

/** The redemptions of a code, newest first. */
function Redemptions({ code }: { readonly code: DiscountCode }) {
  const filters = useFilters([]);
  const request = { code: code.code, limit: 50, ...given({ cursor: filters.cursor }) };
  const list = useRead('/listRedemptions', request, { keepPrevious: true });
  return (
    <Section title="Redeemed by">
      <Table
        caption={`Customers who redeemed ${code.code}`}
        file={listFile(`redeemed-${code.code}`, '/listRedemptions', request, ({ redemptions }) =>
          redemptions.map(({ email, licenseKey, redeemedAt }) => ({
            customer: email,
            license: licenseKey,
            'redeemed at': redeemedAt,
          })),
        )}
        rows={list.data?.redemptions}
        keyOf={({ email }) => email}
        hrefOf={({ licenseKey }) => `#/licenses/${encodeURIComponent(licenseKey)}`}
        columns={COLUMNS}
        {...listingOf(list, filters)}
        empty={
          <Empty title="Nobody has redeemed it yet">Redemptions appear here with the license that they gave.</Empty>
        }
      />
    </Section>
  );
}
