/** The keys of an order for the thank-you page of its buyer (rules 15.9). */
import { hash } from 'node:crypto';
import Type from 'typebox';
import { DAY_MS, fromTimestamp, HOUR_MS } from '../../ground/base/clock.ts';
import { maskedAddress } from '../../ground/base/typed-text.ts';
import { shownLicenseKey } from '../../licensing/licenses/license.ts';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { askRates, countRates, type RateLimit } from '../../platform/rates/rates.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { findOrder } from './order-store.ts';
import { listUnits } from './subject-store.ts';

/** Time after an order in which its page may show the keys. */
const SHOWN_MS = DAY_MS;
/** Keys in one answer; the e-mail has as many. */
const MAX_KEYS = 50;
const EVERYBODY = { creatorId: null };
/** The ids of the sellers that have one: letters, digits, `_` and `-`. A shorter text has fewer than 80 random bits. */
const SESSION = /^[\w-]{20,255}$/;

/** The keys of an order. */
export interface OrderKeys {
  readonly status: 'ready';
  /** The address of the buyer, all but hidden. */
  readonly email: string | null;
  readonly licenses: readonly {
    readonly product: string;
    readonly variant: string;
    readonly licenseKey: string;
    readonly expiresAt: string | null;
  }[];
}

/**
 * The state of an order: its keys and the origins whose pages may read them; `pending` while they are not issued;
 * `unknown` for an id that may still become one; `gone` for all others and after a day.
 */
export type OrderState =
  | { readonly state: 'ready'; readonly keys: OrderKeys; readonly origins: readonly string[] }
  | { readonly state: 'pending' | 'gone' }
  | {
      readonly state: 'unknown';
      readonly isCounted: boolean;
      /** Seconds until the network may ask for another unknown id; null for now. */
      readonly pauseSeconds: number | null;
    };

/** Reads the state of an order. @param now milliseconds since 1970 */
export async function readOrder(sql: Sql, session: string, network: string, now: number): Promise<OrderState> {
  if (!SESSION.test(session)) return { state: 'gone' };
  const found = await findOrder(sql, session);
  if (found === undefined) {
    const isCounted = (await askRates(sql, [askedFor(session, network)], now)) !== null;
    return { state: 'unknown', isCounted, pauseSeconds: await askRates(sql, [unknownOf(network)], now) };
  }
  const { connector, subject } = found;
  if (now - fromTimestamp(subject.createdAt) >= SHOWN_MS || subject.reversal !== null) return { state: 'gone' };
  const units = (await listUnits(sql, subject)).slice(0, MAX_KEYS);
  if (units.length === 0) return { state: 'pending' };
  const licenses = await listWholeLicenses(
    sql,
    units.map(({ licenseKey }) => licenseKey),
  );
  const valid = licenses.filter(({ revocation }) => revocation === null);
  if (valid.length === 0) return { state: 'gone' };
  const names = new Map<string, string>();
  for (const productId of new Set(valid.map((license) => license.productId)))
    names.set(productId, (await findProduct(sql, productId, EVERYBODY))?.name ?? productId);
  const shown = valid.map((license) => {
    const { productId, variant, expiresAt } = license;
    return { product: names.get(productId)!, variant, licenseKey: shownLicenseKey(license), expiresAt };
  });
  const email = subject.email === null ? null : maskedAddress(subject.email);
  return { state: 'ready', keys: { status: 'ready', email, licenses: shown }, origins: connector.settings.origins };
}

/** An id that a network asks for counts once in an hour, however often its page looks again. */
function askedFor(session: string, network: string): RateLimit {
  const subject = `order ${hash('sha256', session, 'base64url')} of ${network}`;
  return { subject, max: 1, windowMs: HOUR_MS };
}

/** Unknown ids that one network may ask for in an hour. */
function unknownOf(network: string): RateLimit {
  return { subject: `unknown orders of ${network}`, max: 30, windowMs: HOUR_MS };
}

/** Counts an unknown id of a network. */
export const noteUnknownOrder = inner(
  'noteUnknownOrder',
  { kind: 'storefront' },
  { fields: Type.Object({ session: Type.String(), network: Type.String() }), reply: Type.Object({}) },
  ['order_rate'],
).write(async (tx, { fields: { session, network }, origin: { now } }) => {
  if ((await askRates(tx, [askedFor(session, network)], now)) !== null) return {};
  const retryAfterSeconds = await countRates(tx, [unknownOf(network), askedFor(session, network)], now);
  return retryAfterSeconds === null ? {} : refuse('order_rate', { retryAfterSeconds });
});
