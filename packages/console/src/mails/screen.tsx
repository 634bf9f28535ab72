/** E-mails to customers: whether they were sent, and why not. */
import { useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { SendAgainDialog } from '../actions/send-again-dialog.tsx';
import type { Mail } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Key } from '../parts/copy.tsx';
import { createdSpan } from '../parts/day-range.ts';
import { DayRangeFilter } from '../parts/day-range-filter.tsx';
import { Empty } from '../parts/empty.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Nothing } from '../parts/listing.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { canSendAgain, failureText } from '../sentences/mail-failures.ts';
import { kindText, STATES } from '../sentences/mail-names.ts';
import styles from './mails.module.css';
import { changeOf, FILTERS, stateIn, stateOf } from './words.ts';

const EVERY_SECONDS = 15;

/** The list of e-mails, newest first. */
export function Screen() {
  const filters = useFilters(FILTERS);
  const { license, to, days } = filters.values;
  const set = (change: Partial<typeof filters.values>) => filters.set(changeOf(change));
  const mayMail = useCan('/mailLicense');
  const [sending, setSending] = useState<Mail | null>(null);
  const state = stateIn(filters.values.state);
  const request = {
    limit: 50,
    // Links may hold filters that exclude each other.
    ...(to === '' ? given({ state, licenseKey: license }) : { to }),
    ...given({ ...createdSpan(days), cursor: filters.cursor }),
  };
  const list = useRead('/listMails', request, { keepPrevious: true, everySeconds: EVERY_SECONDS });
  return (
    <Page
      title="E-mails"
      subtitle="E-mails to customers of the last 30 days, newest first. Sign-in codes are listed until they are sent."
    >
      <FilterBar set={filters.count} onClear={filters.clear}>
        <SelectField
          label="State"
          hideLabel
          value={state ?? ''}
          onChange={(chosen) => set({ state: chosen })}
          options={STATES}
        />
        <FilterText label="Recipient" value={to} onChange={(chosen) => set({ to: chosen })} />
        <FilterText label="License key" value={license} onChange={(chosen) => set({ license: chosen })} />
        <DayRangeFilter what="Queued" lengths={[3, 7, 14]} value={days} onChange={(chosen) => set({ days: chosen })} />
      </FilterBar>
      <Table
        caption="E-mails, the newest first"
        file={listFile('mails', '/listMails', request, ({ mails }) => mails)}
        rows={list.data?.mails}
        keyOf={({ mailId }) => mailId}
        columns={COLUMNS}
        {...(mayMail
          ? {
              actions: (mail: Mail) =>
                canSendAgain(mail) && (
                  <Button small label={`Send again to ${mail.to}`} onClick={() => setSending(mail)}>
                    Send again
                  </Button>
                ),
            }
          : {})}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No e-mail fits."
            clear="Show all e-mails"
            first={
              <Empty title="No e-mails yet">
                E-mails with keys and sign-in codes are listed here. The service sends them once LATCHKEY_SMTP_URL names
                a mail server.
              </Empty>
            }
          >
            The address of a recipient must be given whole.
          </Nothing>
        }
      />
      {sending !== null && (
        <SendAgainDialog of={sending} reason={failureText(sending)} onClose={() => setSending(null)} />
      )}
    </Page>
  );
}

function State({ of: mail }: { readonly of: Mail }) {
  const { tone, title, sentence } = stateOf(mail, useNow());
  return (
    <span className={styles.state}>
      <Status tone={tone}>{title}</Status>
      {sentence !== '' && <span className={styles.quiet}>{sentence}</span>}
    </span>
  );
}

const COLUMNS: readonly Column<Mail>[] = [
  { title: 'To', cell: ({ to }) => to },
  { title: 'State', cell: (mail) => <State of={mail} />, phone: 'second' },
  { title: 'About', cell: ({ kind }) => kindText(kind), width: '140px' },
  {
    title: 'License',
    cell: ({ licenseKey }) =>
      licenseKey === null ? (
        'None'
      ) : (
        <a href={`#/licenses/${encodeURIComponent(licenseKey)}`}>
          <Key value={licenseKey} />
        </a>
      ),
    width: '148px',
    phone: 'secondEnd',
  },
  { title: 'Attempts', cell: ({ attempts }) => attempts, align: 'end', width: '80px' },
  {
    title: 'Queued',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    align: 'end',
    width: '120px',
    phone: 'firstEnd',
  },
];
