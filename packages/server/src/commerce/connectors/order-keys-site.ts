/** `/orderKeys`: the thank-you page of a shop shows the keys of the order (rules 15.9). */
import type { Clock } from '../../ground/base/clock.ts';
import { networkOf } from '../../ground/base/network-address.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { FORM_TYPE, readForm } from '../../platform/sites/form-body.ts';
import type { Site, Visit } from '../../platform/sites/site.ts';
import { isRecord } from '../../storage/contract/stored-json.ts';
import { noteUnknownOrder, readOrder } from './order-keys.ts';

const PATH = '/orderKeys';
const MAX_BODY_BYTES = 4 * 1024;
/** Time after which the page looks again. */
const AGAIN_SECONDS = 2;
const METHODS = 'GET, POST';
/** Any page may read that there are no keys yet; keys are for the pages of the shop alone. */
const FOR_ALL = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', 'Retry-After'];
const FOR_PREFLIGHT = [
  ...['Access-Control-Allow-Origin', '*', 'Access-Control-Allow-Methods', METHODS],
  ...['Access-Control-Allow-Headers', 'content-type', 'Access-Control-Max-Age', '86400'],
];

/** The site. */
export function orderKeysSite(clock: Clock): Site {
  return {
    countedPaths: [PATH],
    has: (path) => path === PATH,
    answer: (visit) => answerVisit(visit, clock),
  };
}

async function answerVisit(visit: Visit, clock: Clock): Promise<void> {
  if (visit.method === 'OPTIONS') return visit.send({ status: 204, headers: FOR_PREFLIGHT, body: '' });
  if (visit.method !== 'GET' && visit.method !== 'POST')
    return visit.refuse(refuse('method_not_allowed'), ['Allow', METHODS]);
  const session = await readSession(visit);
  if (typeof session !== 'string') return visit.refuse(session, FOR_ALL);
  const busy = visit.countAsCall();
  if (busy !== null) return visit.refuse(busy, FOR_ALL);
  const network = networkOf(visit.address ?? '');
  const looked = await visit.read((sql) => readOrder(sql, session, network, clock()));
  if (isRefusal(looked)) return visit.refuse(looked, FOR_ALL);
  const order = looked.found;
  switch (order.state) {
    case 'ready':
      return sendJson(visit, 200, order.keys, headersFor(visit.headers.origin, order.origins));
    case 'gone':
      return visit.refuse(refuse('order_not_found'), FOR_ALL);
    case 'pending':
      return sendPending(visit);
    case 'unknown': {
      if (order.isCounted) return sendPending(visit);
      const { pauseSeconds } = order;
      if (pauseSeconds !== null)
        return visit.refuse(refuse('order_rate', { retryAfterSeconds: pauseSeconds }), FOR_ALL);
      const noted = await visit.call(noteUnknownOrder, { session, network });
      if (!('refusal' in noted)) return sendPending(visit);
      const { retryAfterSeconds = 1 } = noted.refusal;
      return noted.refusal.refused === 'order_rate'
        ? visit.refuse(refuse('order_rate', { retryAfterSeconds }), FOR_ALL)
        : visit.sendOutcome(noted.outcome, FOR_ALL);
    }
  }
}

/** The id of the query, the JSON or the form. */
async function readSession(visit: Visit): Promise<string | Refusal> {
  const given = visit.method === 'GET' ? readQuery(visit) : await readBody(visit);
  return typeof given === 'string' && given !== ''
    ? given
    : refuse('missing_fields', { details: { message: 'Missing session' } });
}

function readQuery(visit: Visit): unknown {
  const read = visit.readQuery();
  return 'query' in read ? read.query.session : undefined;
}

async function readBody(visit: Visit): Promise<unknown> {
  const body = await visit.readBody({ contentType: null, maxBytes: MAX_BODY_BYTES });
  if (!Buffer.isBuffer(body)) return undefined;
  if ((visit.headers['content-type'] ?? '').toLowerCase().startsWith(FORM_TYPE)) return readForm(body)?.session;
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return isRecord(parsed) ? parsed.session : undefined;
  } catch {
    return undefined;
  }
}

function headersFor(origin: string | undefined, allowed: readonly string[]): readonly string[] {
  const vary = ['Vary', 'Origin'];
  return origin !== undefined && allowed.includes(origin) ? [...vary, 'Access-Control-Allow-Origin', origin] : vary;
}

function sendPending(visit: Visit): void {
  sendJson(visit, 202, { status: 'pending' }, [...FOR_ALL, 'Retry-After', String(AGAIN_SECONDS)]);
}

function sendJson(visit: Visit, status: number, body: object, headers: readonly string[]): void {
  visit.sendOutcome({ status, body: JSON.stringify({ success: true, ...body }) }, headers);
}
