/** One connected shop: the values to paste, its mappings, and its events. */
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { NoItem } from '../actions/no-item.tsx';
import type { Connector } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { Refusal } from '../api/refusal.ts';
import { useCan } from '../api/session.ts';
import { Button, LinkButton } from '../parts/button.tsx';
import { Mono, WithCopy } from '../parts/copy.tsx';
import { countText } from '../parts/count-words.ts';
import { Menu } from '../parts/menu.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { Badge, Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import {
  ApiKeyDialog,
  CatchUpDialog,
  DeleteDialog,
  PauseDialog,
  RemoveApiKeyDialog,
  SecretDialog,
  SettingsDialog,
  TurnOnDialog,
} from './connector-dialogs.tsx';
import { ShopEvents } from './events.tsx';
import { Mappings } from './mappings.tsx';
import { addressOf, SetupSteps } from './setup-steps.tsx';
import styles from './shops.module.css';
import { attentionOf, catchesUp, missingOf, SELLERS, stateOf, waitingOf } from './words.ts';

const BACK = { title: 'Shops', href: '#/shops' };
const EVERY_SECONDS = 10;

type Opened = 'on' | 'pause' | 'settings' | 'secret' | 'apiKey' | 'noApiKey' | 'catchUp' | 'delete';

interface PartProps {
  readonly of: Connector;
  readonly open: (opened: Opened) => void;
}

export function Screen() {
  const { connectorId = '' } = useParams({ strict: false }) as { readonly connectorId?: string };
  const read = useRead('/listConnectors', {}, { everySeconds: EVERY_SECONDS });
  const connector = read.data?.connectors.find((each) => each.connectorId === connectorId);
  if (connector !== undefined) return <ConnectorPage connector={connector} />;
  const error = read.data === undefined ? read.error : new Refusal('connector_not_found', 'Connector not found');
  return (
    <NoItem
      title="Shop"
      what="the shop"
      back={BACK}
      all="All shops"
      read={{ error, refetch: read.refetch }}
      missing="connector_not_found"
    />
  );
}

function ConnectorPage({ connector }: { readonly connector: Connector }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const shared = { of: connector, onClose: () => setOpened(null) };
  const { tone, title, sentence } = stateOf(connector);
  return (
    <Page
      title={connector.name}
      back={BACK}
      subtitle={
        <>
          <Status tone={tone}>{title}</Status>
          <span>{sentence}</span>
          {connector.mode === 'test' && <Badge>Test</Badge>}
        </>
      }
      actions={<Actions of={connector} open={setOpened} />}
    >
      <Trouble of={connector} open={setOpened} />
      <Setup of={connector} />
      <ConnectorFacts of={connector} />
      <Mappings of={connector} />
      <Section title="Events" hint="The events of the seller, newest first, each with its outcome.">
        <ShopEvents of={connector} />
      </Section>
      {opened === 'on' && <TurnOnDialog {...shared} />}
      {opened === 'pause' && <PauseDialog {...shared} />}
      {opened === 'settings' && <SettingsDialog {...shared} />}
      {opened === 'secret' && <SecretDialog {...shared} />}
      {opened === 'apiKey' && <ApiKeyDialog {...shared} />}
      {opened === 'noApiKey' && <RemoveApiKeyDialog {...shared} />}
      {opened === 'catchUp' && <CatchUpDialog {...shared} />}
      {opened === 'delete' && <DeleteDialog {...shared} />}
    </Page>
  );
}

function Actions({ of: connector, open }: PartProps) {
  const mayChange = useCan('/updateConnector');
  const mayDelete = useCan('/deleteConnector');
  if (!mayChange) return null;
  const { name, state, sellerApiKeyHint, secretHints } = connector;
  return (
    <>
      {state === 'on' ? (
        <Button onClick={() => open('pause')}>Pause</Button>
      ) : (
        <Button look={missingOf(connector) === null ? 'primary' : 'plain'} onClick={() => open('on')}>
          Turn on
        </Button>
      )}
      <Menu
        label={`More for ${name}`}
        groups={[
          [
            { title: 'Settings', onSelect: () => open('settings') },
            {
              title: secretHints.length === 0 ? 'Enter the signing secret' : 'New signing secret',
              onSelect: () => open('secret'),
            },
            {
              title: sellerApiKeyHint === null ? 'Enter an API key' : 'Change the API key',
              onSelect: () => open('apiKey'),
            },
            ...(catchesUp(connector) ? [{ title: 'Catch up now', onSelect: () => open('catchUp') }] : []),
            ...(sellerApiKeyHint === null ? [] : [{ title: 'Remove the API key', onSelect: () => open('noApiKey') }]),
          ],
          mayDelete ? [{ title: 'Delete', onSelect: () => open('delete'), danger: true }] : [],
        ]}
      >
        More
      </Menu>
    </>
  );
}

/** The next thing to do; renders nothing while all is well. */
function Trouble({ of: connector, open }: PartProps) {
  const mayChange = useCan('/updateConnector');
  const { state, counts, source, lastEventAt, lastRejectedAt, lastRejection, catchUpFailure } = connector;
  const missing = missingOf(connector);
  const isRejecting = lastRejectedAt !== null && (lastEventAt === null || lastRejectedAt > lastEventAt);
  const attention = attentionOf(counts);
  const button = (opened: Opened, text: string) =>
    mayChange && (
      <Button small onClick={() => open(opened)}>
        {text}
      </Button>
    );
  const notice = () => {
    if (missing === 'secret')
      return (
        <Notice
          tone="warn"
          title="The signing secret is missing."
          actions={button('secret', 'Enter the signing secret')}
        >
          Requests are refused until it is here: without it, nobody knows whether a sale is real.
        </Notice>
      );
    if (missing === 'apiKey')
      return (
        <Notice tone="warn" title="The API key is missing." actions={button('apiKey', 'Enter an API key')}>
          {SELLERS[source].title} does not sign its requests, so every sale is read back with the key before anything
          changes.
        </Notice>
      );
    if (isRejecting)
      return (
        <Notice
          tone="danger"
          title={`The last request was refused: ${lastRejection ?? 'the signature is not valid'}.`}
          actions={button('secret', 'New signing secret')}
        >
          Compare the signing secret with that of the seller. Strangers who guess the address are refused as well.
        </Notice>
      );
    if (attention > 0)
      return (
        <Notice
          tone="danger"
          title={stateOf(connector).sentence}
          actions={
            <LinkButton small href="#/shops/attention">
              Open the inbox
            </LinkButton>
          }
        >
          A buyer may have paid and wait for a key.
        </Notice>
      );
    if (catchUpFailure !== null)
      return (
        <Notice tone="warn" title="Missed events could not be read." actions={button('catchUp', 'Catch up now')}>
          {catchUpFailure}. Events that {SELLERS[source].title} delivers arrive all the same.
        </Notice>
      );
    if (state === 'on') return null;
    return (
      <Notice title={state === 'watching' ? 'This shop only watches.' : 'This shop is paused.'}>
        {state === 'watching'
          ? 'Open an event below to see its effect. Turn the shop on once that is right.'
          : 'Its events are stored. Turn it on to apply them.'}
      </Notice>
    );
  };
  const shown = notice();
  return shown === null ? null : <div className={styles.notice}>{shown}</div>;
}

/** The values to paste: in sight until the first event arrives. */
function Setup({ of: connector }: { readonly of: Connector }) {
  const { source, lastEventAt } = connector;
  const title = `Set up at ${SELLERS[source].title}`;
  if (lastEventAt === null)
    return (
      <Section title={title} hint="This page notices the first event by itself.">
        <div className={styles.open}>
          <SetupSteps of={connector} />
        </div>
      </Section>
    );
  return (
    <details className={styles.folded}>
      <summary>{title}</summary>
      <SetupSteps of={connector} />
    </details>
  );
}

function ConnectorFacts({ of: connector }: { readonly of: Connector }) {
  const { source, mode, url, prefix, creatorId, secretHints, sellerApiKeyHint, settings, counts } = connector;
  const { lastEventAt, rejected, lastRejectedAt, caughtUpAt } = connector;
  return (
    <Facts
      facts={[
        { title: 'Seller', value: `${SELLERS[source].title}, ${mode === 'test' ? 'tests' : 'real sales'}` },
        {
          title: 'Address',
          value: (
            <WithCopy text={addressOf(url)} label="Copy the address">
              <Mono>{addressOf(url)}</Mono>
            </WithCopy>
          ),
        },
        { title: 'Last event', value: lastEventAt === null ? 'Never' : <Time at={lastEventAt} /> },
        {
          title: 'Caught up',
          value: !catchesUp(connector) ? null : caughtUpAt === null ? 'Not yet' : <Time at={caughtUpAt} />,
        },
        { title: 'Waiting', value: countText(waitingOf(counts)) },
        {
          title: 'Signing secrets',
          value: secretHints.length === 0 ? 'None' : secretHints.map((hint) => `… ${hint}`).join(', '),
        },
        { title: 'API key', value: sellerApiKeyHint === null ? 'None' : `… ${sellerApiKeyHint}` },
        {
          title: 'Refused requests',
          value:
            lastRejectedAt === null ? null : (
              <>
                {countText(rejected)}, last <Time at={lastRejectedAt} />
              </>
            ),
        },
        { title: 'E-mails with keys', value: settings.mail === false ? 'Not sent' : 'Sent' },
        { title: 'Prefix', value: <Mono>{prefix}</Mono> },
        { title: 'Owner', value: creatorId ?? 'The operator' },
      ]}
    />
  );
}
