/**
 * Mails with the keys of a sale: to the buyer of a connector's order, or of a purchase that asked for a mail. The text
 * is made when the mail is sent, so it has the licenses that the sale gave until then, and none that was revoked.
 */
import { listUnits } from '../../commerce/connectors/subject-store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import { shownLicenseKey } from '../../licensing/licenses/license.ts';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import { findProduct } from '../../licensing/products/store.ts';
import type { MailKind, MailText, QueuedMail } from '../../platform/endpoint/mail-kind.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { OPERATOR } from '../brand/brand.ts';
import { findBrand } from '../brand/store.ts';
import { layOut, oneLine } from './layout.ts';
import { SALE_TEXTS } from './sale-keys-texts.ts';

/** Keys in one mail. */
const MAX_KEYS = 50;
/** A buyer has paid, so a mail server may be away for three days. */
const TRIES = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  DAY_MS,
] as const;

/** The kinds, by what a sale asks for. */
export const saleMailKinds: Readonly<Record<'keys' | 'keys_added', MailKind>> = {
  keys: { name: 'sale_keys', tries: TRIES, prepare: (sql, mail) => textOf(sql, mail, false) },
  keys_added: { name: 'keys_added', tries: TRIES, prepare: (sql, mail) => textOf(sql, mail, true) },
};

async function textOf(sql: Sql, mail: QueuedMail, isAddition: boolean): Promise<MailText | null> {
  const licenses = (await listWholeLicenses(sql, await keysOf(sql, mail))).filter(
    ({ revocation }) => revocation === null,
  );
  const [first] = licenses;
  if (first === undefined) return null;
  const texts = SALE_TEXTS[mail.language];
  const names = new Map<string, string>();
  for (const productId of new Set(licenses.map((license) => license.productId)))
    names.set(productId, oneLine((await findProduct(sql, productId, { creatorId: null }))?.name ?? productId));
  const keys = licenses.slice(0, MAX_KEYS).map((license) => ({
    label: [names.get(license.productId), oneLine(license.variant)].join(', '),
    value: oneLine(shownLicenseKey(license)),
  }));
  const product = names.get(first.productId)!;
  const subject = isAddition ? texts.subjectOfAddition(product) : texts.subject(product);
  const laidOut = layOut(mail.language, subject, [
    texts.greeting,
    isAddition ? texts.introductionOfAddition : texts.introduction(licenses.length),
    ...keys,
    ...(licenses.length > MAX_KEYS ? [texts.more] : []),
    texts.use,
  ]);
  const brand = await findBrand(sql, mail.creatorId);
  return {
    ...laidOut,
    replyTo: brand?.supportAddress ?? null,
    fromName: brand === null ? null : oneLine(brand.name),
    isOfCreator: brand !== null && brand.creatorId !== OPERATOR,
  };
}

/** The licenses of the sale. */
async function keysOf(sql: Sql, { licenseKey, data }: QueuedMail): Promise<readonly string[]> {
  if (licenseKey !== null) return [licenseKey];
  const { connectorId, subjectId } = data;
  if (connectorId === undefined || subjectId === undefined) return [];
  return (await listUnits(sql, { connectorId, subjectId })).map((unit) => unit.licenseKey);
}
