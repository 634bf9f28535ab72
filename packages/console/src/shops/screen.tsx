/** Connected shops: their state, their last event, and their waiting events. */
import { useState } from 'react';
import { CreatorFilter } from '../actions/creator-field.tsx';
import { ageOf } from '../actions/listing-of.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { Connector } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan, useSession } from '../api/session.ts';
import { Button, LinkButton } from '../parts/button.tsx';
import { counted, countText } from '../parts/count-words.ts';
import { Empty } from '../parts/empty.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Nothing } from '../parts/listing.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { Badge, Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { ConnectDialog, type Connected, ConnectedDialog } from './connect-dialog.tsx';
import styles from './shops.module.css';
import { ANY_SELLER, attentionOf, SELLERS, stateOf, waitingOf } from './words.ts';

const EVERY_SECONDS = 15;

/** The list of shops. `new` in the address opens the form. */
export function Screen() {
  const filters = useFilters(['creator']);
  const form = useFilters(['new']);
  const isOperator = useSession().kind === 'operator';
  const mayConnect = useCan('/createConnector');
  const mayDecide = useCan('/listShopEvents');
  const [made, setMade] = useState<Connected | null>(null);
  const { creator } = filters.values;
  const list = useRead('/listConnectors', given({ creatorId: creator }), {
    keepPrevious: true,
    everySeconds: EVERY_SECONDS,
  });
  const attention = (list.data?.connectors ?? []).reduce((sum, { counts }) => sum + attentionOf(counts), 0);
  const connect = mayConnect && (
    <Button look="primary" onClick={() => form.set({ new: 'one' })}>
      Connect your shop
    </Button>
  );
  return (
    <Page
      title="Shops"
      subtitle="Sellers whose sales, renewals and refunds become licenses by themselves."
      actions={connect}
    >
      {attention > 0 && mayDecide && (
        <div className={styles.notice}>
          <Notice
            tone="danger"
            title={`${counted(attention, 'event')} ${attention === 1 ? 'needs' : 'need'} a decision.`}
            actions={
              <LinkButton small href="#/shops/attention">
                Open the inbox
              </LinkButton>
            }
          >
            A buyer may have paid and wait for a key.
          </Notice>
        </div>
      )}
      {isOperator && (
        <FilterBar set={filters.count} onClear={filters.clear}>
          <CreatorFilter value={creator} onChange={(chosen) => filters.set({ creator: chosen })} />
        </FilterBar>
      )}
      <Table
        caption="Shops, the oldest first"
        file="shops"
        rows={list.data?.connectors}
        keyOf={({ connectorId }) => connectorId}
        hrefOf={({ connectorId }) => `#/shops/${encodeURIComponent(connectorId)}`}
        columns={COLUMNS}
        notice={readNotice(list)}
        fresh={list.isPlaceholderData}
        age={ageOf(list)}
        empty={
          <Nothing
            filters={filters}
            title="No shop fits."
            clear="Show all shops"
            first={
              <Empty title="No shop is connected yet" actions={connect}>
                Paste one address into {ANY_SELLER}, and say which price is which product. Every sale then becomes a
                license, and the buyer gets the key by e-mail. A new shop watches first: you see the effect of each
                event before anything changes.
              </Empty>
            }
          />
        }
      />
      {mayConnect && form.values.new === 'one' && made === null && (
        <ConnectDialog onClose={() => form.set({ new: '' })} onMade={setMade} />
      )}
      {made !== null && (
        <ConnectedDialog of={made} onClose={() => location.assign(`#/shops/${encodeURIComponent(made.connectorId)}`)} />
      )}
    </Page>
  );
}

function State({ of: connector }: { readonly of: Connector }) {
  const { tone, title, sentence } = stateOf(connector);
  return (
    <span className={styles.state}>
      <Status tone={tone}>{title}</Status>
      <span className={styles.quiet}>{sentence}</span>
    </span>
  );
}

const COLUMNS: readonly Column<Connector>[] = [
  {
    title: 'Shop',
    cell: ({ name, mode }) => (
      <>
        {name} {mode === 'test' && <Badge>Test</Badge>}
      </>
    ),
  },
  { title: 'Seller', cell: ({ source }) => SELLERS[source].title },
  { title: 'State', cell: (connector) => <State of={connector} />, phone: 'second' },
  { title: 'Owner', cell: ({ creatorId }) => creatorId ?? 'The operator' },
  { title: 'Waiting', cell: ({ counts }) => countText(waitingOf(counts)), align: 'end' },
  {
    title: 'Last event',
    cell: ({ lastEventAt }) => (lastEventAt === null ? 'Never' : <Time at={lastEventAt} />),
    align: 'end',
    phone: 'firstEnd',
  },
];
