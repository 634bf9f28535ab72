/**
 * The inbox of shops: the events that a person decides, each with its reason and its remedies, and the e-mails with
 * keys that did not reach their buyers.
 */
import { useRef, useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import type { Connector, ShopEvent, ShopRemedy } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Key, Mono } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Listing, Nothing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { useRowKeys } from '../parts/table-keys.ts';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { DEEDS } from '../sentences/shop-outcomes.ts';
import { DecideDialog } from './decide-dialog.tsx';
import { FailedMails } from './failed-mails.tsx';
import { MappingDialog } from './mapping-dialogs.tsx';
import styles from './shops.module.css';
import { REMEDIES, reasonOf, remediesOf, SELLERS } from './words.ts';

const EVERY_SECONDS = 15;

type Opened =
  | { readonly event: ShopEvent; readonly remedy: ShopRemedy }
  | { readonly event: ShopEvent; readonly shop: Connector };

export function Screen() {
  const filters = useFilters([]);
  const [opened, setOpened] = useState<Opened | null>(null);
  const request = { state: 'attention' as const, limit: 50, ...given({ cursor: filters.cursor }) };
  const list = useRead('/listShopEvents', request, { keepPrevious: true, everySeconds: EVERY_SECONDS });
  const shops = useRead('/listConnectors', {}).data?.connectors ?? [];
  const close = () => setOpened(null);
  return (
    <Page
      title="Shop events that need you"
      back={{ title: 'Shops', href: '#/shops' }}
      subtitle="The service does not guess about money: you decide, and nothing is lost meanwhile."
    >
      <Listing
        what="the events"
        file={listFile('shop-events', '/listShopEvents', request, ({ events }) => events)}
        entries={list.data?.events}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="No event fits."
            first={
              <Empty title="Nothing needs you.">
                A sale of an unknown product, a refund that names no license, a dispute that you won: such events wait
                here until you decide.
              </Empty>
            }
          />
        }
      >
        {(events) => <Inbox events={events} shops={shops} open={setOpened} />}
      </Listing>
      <FailedMails />
      {opened !== null && 'remedy' in opened && (
        <DecideDialog of={opened.event} remedy={opened.remedy} onClose={close} />
      )}
      {opened !== null && 'shop' in opened && (
        <MappingDialog of={opened.shop} eventId={opened.event.eventId} onClose={close} />
      )}
    </Page>
  );
}

interface InboxProps {
  readonly events: readonly ShopEvent[];
  readonly shops: readonly Connector[];
  readonly open: (opened: Opened) => void;
}

/** The list. The keys j and k move through it, Enter opens the event. */
function Inbox({ events, shops, open }: InboxProps) {
  const list = useRef<HTMLUListElement>(null);
  useRowKeys(
    list,
    true,
    undefined,
    events.map(({ eventId }) => eventId),
    false,
  );
  return (
    <ul ref={list} className={styles.inbox} aria-label="Events that need you">
      {events.map((event) => (
        <li key={event.eventId} className={styles.item} data-key={event.eventId}>
          <Item event={event} shop={shops.find(({ connectorId }) => connectorId === event.connectorId)} open={open} />
        </li>
      ))}
    </ul>
  );
}

function Item({
  event,
  shop,
  open,
}: Pick<InboxProps, 'open'> & { readonly event: ShopEvent; readonly shop: Connector | undefined }) {
  const { connectorId, eventId, type, subject, detail, receivedAt, outcome } = event;
  const { title, sentence } = reasonOf(event);
  const mayDecide = useCan('/decideShopEvent');
  const mayMap = useCan('/updateConnector') && event.reason === 'unmapped_product';
  return (
    <>
      <div className={styles.what}>
        <h2>
          <a
            href={`#/shops/${encodeURIComponent(connectorId)}?state=attention&event=${encodeURIComponent(eventId)}`}
            data-row-link=""
          >
            {title}
          </a>
        </h2>
        <p>{sentence}</p>
        {detail !== null && <p>{detail}</p>}
        {outcome.length > 0 && (
          <ul className={styles.licenses}>
            {outcome.map(({ licenseKey, did }) => (
              <li key={`${licenseKey} ${did}`}>
                <a href={`#/licenses/${encodeURIComponent(licenseKey)}`}>
                  <Key value={licenseKey} />
                </a>
                <span>{DEEDS[did]}</span>
              </li>
            ))}
          </ul>
        )}
        <p className={styles.facts}>
          <span>{shop === undefined ? 'A shop' : `${shop.name}, ${SELLERS[shop.source].title}`}</span>
          <span>{type}</span>
          {subject !== null && <Mono>{subject}</Mono>}
          <Time at={receivedAt} />
        </p>
      </div>
      {mayDecide && (
        <div className={styles.remedies}>
          {mayMap && shop !== undefined && (
            <Button small look="primary" onClick={() => open({ event, shop })}>
              Map the product
            </Button>
          )}
          {remediesOf(event).map((remedy) => (
            <Button
              key={remedy}
              small
              look={remedy === 'dismiss' ? 'quiet' : 'plain'}
              label={`${REMEDIES[remedy].title}: ${type} ${subject ?? ''}`.trim()}
              onClick={() => open({ event, remedy })}
            >
              {REMEDIES[remedy].title}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}
