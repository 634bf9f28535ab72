/**
 * E-mails to buyers: the keys of a connector's order or of a purchase that asked for an e-mail, and payments that
 * failed. The text is made when the e-mail is sent, so it has the licenses that the sale gave until then, and none that
 * was revoked.
 */
import { hash } from 'node:crypto';
import { listUnits } from '../../commerce/connectors/subject-store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import type { MailKind, PreparedMail, QueuedMail } from '../../platform/endpoint/mail-kind.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { findBrand, type ShownBrand } from '../brand/store.ts';
import { listKeysOfSale } from '../mail/sale-licenses.ts';
import { sentBy } from '../mail/sent-by.ts';
import { builtInText } from './built-in-texts.ts';
import { findTemplate } from './store.ts';
import { type FilledText, fillIn, type SaleMailKind } from './template.ts';
import { valuesOf } from './values.ts';

/** A buyer has paid, so a mail server may be away for three days. */
const TRIES = [
  ...[MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS],
  ...[DAY_MS, DAY_MS],
] as const;
const LONGEST_WAIT_MS = 4 * DAY_MS;
/** A seller may tell each attempt to collect a payment; the buyer reads of one in a day. */
const FAILED_PAYMENTS = { max: 1, windowMs: DAY_MS, partMs: 1 } as const;

const delays = { tries: TRIES, longestWaitMs: LONGEST_WAIT_MS };

/** The kinds, by what a sale asks for. */
export const saleMailKinds: Readonly<Record<SaleMailKind, MailKind>> = {
  keys: { name: 'sale_keys', ...delays, prepare: (sql, mail) => prepare(sql, mail, 'keys') },
  keys_added: { name: 'keys_added', ...delays, prepare: (sql, mail) => prepare(sql, mail, 'keys_added') },
  payment_failed: { name: 'payment_failed', ...delays, prepare: (sql, mail) => prepare(sql, mail, 'payment_failed') },
};

async function prepare(sql: Sql, mail: QueuedMail, kind: SaleMailKind): Promise<PreparedMail | null> {
  const licenses = await licensesOf(sql, mail, kind);
  const [first] = licenses;
  if (first === undefined) return null;
  // The payment succeeded meanwhile.
  if (kind === 'payment_failed' && mail.data.expiresAt !== (first.expiresAt ?? '')) return null;
  const { language, creatorId } = mail;
  const productIds = new Set(licenses.map(({ productId }) => productId));
  const productId = productIds.size === 1 ? first.productId : '';
  const template =
    (await findTemplate(sql, { creatorId, productId, kind, language })) ??
    builtInText(kind, language, { keys: licenses.length, hasEnd: first.expiresAt !== null });
  const brand = await findBrand(sql, creatorId);
  const filled = fillIn(template, await valuesOf(sql, licenses, { kind, language, brand }), language);
  const subject = `failed payments of ${hash('sha256', first.licenseKey, 'base64url')}`;
  return fromShop(filled, brand, kind === 'payment_failed' ? [{ subject, ...FAILED_PAYMENTS }] : []);
}

/** An e-mail in the name of a shop, which gets the replies. */
export function fromShop(
  filled: FilledText,
  brand: ShownBrand | null,
  limits: PreparedMail['limits'] = [],
): PreparedMail {
  return { ...filled, ...sentBy(brand), limits };
}

/** The licenses of the sale that are not revoked, and that still belong to the address. */
async function licensesOf(sql: Sql, mail: QueuedMail, kind: SaleMailKind): Promise<readonly License[]> {
  const address = foldEmail(mail.to);
  const isCopy = mail.data.isCopy === 'yes';
  return (await listWholeLicenses(sql, await keysOf(sql, mail, kind))).filter(
    ({ revocation, email }) => revocation === null && (isCopy || foldEmail(email) === address),
  );
}

async function keysOf(sql: Sql, { licenseKey, data }: QueuedMail, kind: SaleMailKind): Promise<readonly string[]> {
  const { connectorId, subjectId } = data;
  if (connectorId !== undefined && subjectId !== undefined)
    return (await listUnits(sql, { connectorId, subjectId })).map((unit) => unit.licenseKey);
  if (licenseKey === null) return [];
  return kind === 'payment_failed' ? [licenseKey] : listKeysOfSale(sql, licenseKey);
}
