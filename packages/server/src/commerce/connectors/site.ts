/** The addresses of connectors, to which sellers deliver their events (rules 15.2). */
import type { Clock } from '../../ground/base/clock.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import { pathPattern } from '../../platform/sites/path-pattern.ts';
import type { Site, Visit } from '../../platform/sites/site.ts';
import { openSecrets } from './connector.ts';
import { applyAll, refusalOfSignature, takeDelivery } from './deliveries.ts';
import { receiveShopEvents } from './receive.ts';
import { type Delivery, MAX_BODY_BYTES } from './sources/source.ts';
import { sourceNamed } from './sources/source-list.ts';

const CONNECT = pathPattern('/connect/<connectorId>');
const RECEIVED = { received: true };

/** The site. */
export function connectSite(clock: Clock, settings: Settings): Site {
  return {
    countedPaths: [CONNECT.pattern],
    has: (path) => CONNECT.segmentsOf(path) !== null,
    answer: (visit) => answerVisit(visit, clock, settings),
  };
}

async function answerVisit(visit: Visit, clock: Clock, { secretsKey }: Settings): Promise<void> {
  const { connectorId = '' } = CONNECT.segmentsOf(visit.path) ?? {};
  const arrived = await takeDelivery(visit, connectorId, { clock, maxBytes: MAX_BODY_BYTES });
  if (arrived === null) return;
  const { connector, body } = arrived;
  const source = sourceNamed(connector.source);
  const delivery: Delivery = { body, headers: visit.headersDistinct };
  if (source.isTrial?.(delivery) === true) return visit.sendOutcome(outcomeOf(RECEIVED));
  const secrets = secretsKey === null ? [] : openSecrets(connector, secretsKey, clock());
  const rejection = source.verify(delivery, secrets, clock());
  if (rejection !== null) return visit.refuse(await refusalOfSignature(visit, arrived, rejection));
  const answer = await visit.call(receiveShopEvents, { connectorId, events: source.events(delivery) });
  if ('refusal' in answer || answer.outcome.failure !== undefined) return visit.sendOutcome(answer.outcome);
  visit.sendOutcome(outcomeOf(RECEIVED));
  await applyAll(visit, answer.reply.eventIds);
}

function outcomeOf(body: object) {
  return { status: 200, body: JSON.stringify(body) };
}
