/** License requests: a seller asks for the keys of a line while it fulfills an order (rules 15.9). */
import type { Clock } from '../../ground/base/clock.ts';
import { shownLicenseKey } from '../../licensing/licenses/license.ts';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import { openSecret } from '../../platform/sealing/seal.ts';
import { pathPattern } from '../../platform/sites/path-pattern.ts';
import type { Site, Visit } from '../../platform/sites/site.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { Connector } from './connector.ts';
import { applyAll, refusalOfSignature, takeDelivery } from './deliveries.ts';
import { receiveShopEvents } from './receive.ts';
import type { LicenseRequest } from './sources/source.ts';
import { sourceNamed } from './sources/source-list.ts';
import { findSubjectOf, listUnits } from './subject-store.ts';

const LICENSES = pathPattern('/connect/<connectorId>/licenses');
const MAX_FORM_BYTES = 16 * 1024;
const TEXT = ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-store'];

/** The site. */
export function licenseRequestSite(clock: Clock, settings: Settings): Site {
  return {
    countedPaths: [LICENSES.pattern],
    has: (path) => LICENSES.segmentsOf(path) !== null,
    answer: (visit) => answerVisit(visit, clock, settings),
  };
}

async function answerVisit(visit: Visit, clock: Clock, { secretsKey }: Settings): Promise<void> {
  const { connectorId = '' } = LICENSES.segmentsOf(visit.path) ?? {};
  const requestsOf = ({ source }: Pick<Connector, 'source'>) => sourceNamed(source).licenseRequests;
  const hasAddress = (connector: Connector) => requestsOf(connector) !== undefined;
  const arrived = await takeDelivery(visit, connectorId, { clock, maxBytes: MAX_FORM_BYTES, hasAddress });
  const requests = arrived && requestsOf(arrived.connector);
  if (arrived === null || requests == null) return;
  const form = new URLSearchParams(arrived.body.toString());
  const { apiKey } = arrived.connector;
  const privateKey =
    apiKey === null || secretsKey === null ? undefined : openSecret(apiKey.sealed, connectorId, secretsKey);
  const rejection = requests.rejectionOf(form, privateKey == null ? [] : [privateKey]);
  if (rejection !== null) return visit.refuse(await refusalOfSignature(visit, arrived, rejection));
  const request = requests.read(form, clock());
  if (typeof request === 'string')
    return visit.refuse(refuse('missing_fields', { details: { message: `Missing ${request}` } }));
  const answer = await visit.call(receiveShopEvents, { connectorId, events: [request.event] });
  if ('refusal' in answer || answer.outcome.failure !== undefined) return visit.sendOutcome(answer.outcome);
  await applyAll(visit, answer.reply.eventIds);
  const keys = await visit.read((sql) => listRequestedKeys(sql, connectorId, request));
  if (isRefusal(keys)) return visit.refuse(keys);
  // The seller holds the order back, and a person finds the event in attention.
  if (keys.found.length === 0) return visit.refuse(refuse('keys_not_ready'));
  visit.send({ status: 200, headers: TEXT, body: keys.found.join('\n') });
}

/** The keys of a line, one for each unit, without those of revoked licenses. */
async function listRequestedKeys(
  sql: Sql,
  connectorId: string,
  { order, line }: LicenseRequest,
): Promise<readonly string[]> {
  const known = await findSubjectOf(sql, connectorId, [order]);
  if (known === undefined) return [];
  const units = (await listUnits(sql, known.subject)).filter((unit) => unit.line === line);
  const licenses = await listWholeLicenses(
    sql,
    units.map(({ licenseKey }) => licenseKey),
  );
  const valid = new Map(
    licenses.filter(({ revocation }) => revocation === null).map((license) => [license.licenseKey, license]),
  );
  return units.flatMap(({ licenseKey }) => {
    const license = valid.get(licenseKey);
    return license === undefined ? [] : [shownLicenseKey(license)];
  });
}
