/** The addresses of connectors, to which sellers deliver their events (rules 15.2). */
import type { Clock } from '../../ground/base/clock.ts';
import { networkOf } from '../../ground/base/network-address.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import { askRates } from '../../platform/rates/rates.ts';
import { pathPattern } from '../../platform/sites/path-pattern.ts';
import { type Site, type Visit, VisitorLeft } from '../../platform/sites/site.ts';
import { openSecrets } from './connector.ts';
import { findConnector } from './connector-store.ts';
import { applyAll, refusalOfSignature } from './deliveries.ts';
import { receiveShopEvents, wrongSignaturesOf } from './receive.ts';
import { type Delivery, MAX_BODY_BYTES } from './sources/source.ts';
import { sourceNamed } from './sources/source-list.ts';

const CONNECT = pathPattern('/connect/<connectorId>');
const RECEIVED = { received: true };

/** The site. */
export function connectSite(clock: Clock, settings: Settings): Site {
  return {
    countedPaths: [CONNECT.pattern],
    has: (path) => CONNECT.segmentsOf(path) !== null,
    async answer(visit) {
      try {
        await answerVisit(visit, clock, settings);
      } catch (error) {
        if (!(error instanceof VisitorLeft)) throw error;
      }
    },
  };
}

async function answerVisit(visit: Visit, clock: Clock, { secretsKey }: Settings): Promise<void> {
  if (visit.method !== 'POST') return visit.refuse(refuse('method_not_allowed'), ['Allow', 'POST']);
  const { connectorId = '' } = CONNECT.segmentsOf(visit.path) ?? {};
  const network = networkOf(visit.address ?? '');
  const looked = await visit.read(async (sql) => ({
    connector: await findConnector(sql, connectorId, { creatorId: null }),
    pauseSeconds: await askRates(sql, [wrongSignaturesOf(network)], clock()),
  }));
  if (isRefusal(looked)) return visit.refuse(looked);
  const { connector, pauseSeconds } = looked.found;
  if (connector === undefined) return visit.refuse(refuse('connector_not_found'));
  const body = await visit.readBody({ contentType: null, maxBytes: MAX_BODY_BYTES });
  if (body === 'tooLarge' || body === 'otherType') return visit.refuse(refuse('delivery_too_large'));
  const busy = visit.countAsCall();
  if (busy !== null) return visit.refuse(busy);

  const source = sourceNamed(connector.source);
  const delivery: Delivery = { body, headers: visit.headersDistinct };
  if (source.isTrial?.(delivery) === true) return visit.sendOutcome(outcomeOf(RECEIVED));
  const secrets = secretsKey === null ? [] : openSecrets(connector, secretsKey, clock());
  const rejection = source.verify(delivery, secrets, clock());
  if (rejection !== null)
    return visit.refuse(await refusalOfSignature(visit, { connectorId, network, rejection, pauseSeconds }));
  const answer = await visit.call(receiveShopEvents, { connectorId, events: source.events(delivery) });
  if ('refusal' in answer || answer.outcome.failure !== undefined) return visit.sendOutcome(answer.outcome);
  visit.sendOutcome(outcomeOf(RECEIVED));
  await applyAll(visit, answer.reply.eventIds);
}

function outcomeOf(body: object) {
  return { status: 200, body: JSON.stringify(body) };
}
