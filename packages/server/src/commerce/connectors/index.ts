/** Connectors: accounts at sellers whose sales become licenses (rules 15). */

import type { Slice } from '../../platform/slice/slice.ts';
import { createConnector } from './create-connector.ts';
import { decideShopEvent } from './decide-shop-event.ts';
import { deleteConnector } from './delete-connector.ts';
import { connectorMetrics } from './exported-metrics.ts';
import { connectorWarnings } from './faults.ts';
import { getShopEvent } from './get-shop-event.ts';
import { connectorJobs } from './jobs.ts';
import { licenseRequestSite } from './license-request-site.ts';
import { listConnectors } from './list-connectors.ts';
import { listShopEvents } from './list-shop-events.ts';
import { noteUnknownOrder } from './order-keys.ts';
import { orderKeysSite } from './order-keys-site.ts';
import { previewShopEvent } from './preview-shop-event.ts';
import { applyReceived, noteNotApplied, receiveShopEvents, rejectShopEvents } from './receive.ts';
import { connectorRefusals } from './refusals.ts';
import { replayShopEvents } from './replay-shop-events.ts';
import { logSettled, settledEvents } from './settled-events.ts';
import { connectSite } from './site.ts';
import { SELLER_WORDS } from './sources/source-list.ts';
import { connectorTables } from './tables.ts';
import { updateConnector } from './update-connector.ts';
import './service-settings.ts';

export const connectors: Slice = {
  refusals: [connectorRefusals],
  sections: [
    {
      title: 'Shops',
      description:
        'Connectors take the events that sellers deliver, and turn sales, renewals, refunds and disputes into licenses.',
      endpoints: [
        createConnector,
        listConnectors,
        listShopEvents,
        getShopEvent,
        previewShopEvent,
        decideShopEvent,
        updateConnector,
        replayShopEvents,
        deleteConnector,
      ],
    },
  ],
  inner: [receiveShopEvents, rejectShopEvents, applyReceived, noteNotApplied, noteUnknownOrder],
  sites: ({ clock, ruleContext }) => [
    connectSite(clock, ruleContext.settings),
    licenseRequestSite(clock, ruleContext.settings),
    orderKeysSite(clock),
  ],
  tables: connectorTables,
  warnings: (sql, { secretsKey }) => connectorWarnings(sql, secretsKey),
  metrics: [connectorMetrics],
  reportCommit(published, report) {
    for (const settled of published.of(settledEvents)) report('shopEvent', settled);
  },
  logs: (log) => ({ shopEvent: (settled) => logSettled(log, settled) }),
  jobs: connectorJobs,
  consoleWords: { 'seller-words': SELLER_WORDS },
};
