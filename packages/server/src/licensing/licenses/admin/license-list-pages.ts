/** Pages of /listLicenses: by creation, by expiry, by address, by threat (rules 4.2). */
import { daysAfter, toTimestamp } from '../../../ground/base/clock.ts';
import { foldEmail } from '../../../ground/base/typed-text.ts';
import { AFTER_MOMENT, fallingStart, risingStart } from '../../../platform/endpoint/creation-range.ts';
import {
  cursorAfter,
  cursorOf,
  cutPageOfNames,
  LEVEL_FORM,
  MOMENT_FORM,
  NEWEST,
  readCursor,
  readPosition,
  TEXT_FORM,
} from '../../../platform/endpoint/page.ts';
import { isRefusal, type Refusal } from '../../../platform/endpoint/refusals.ts';
import type { Sql } from '../../../storage/contract/storage.ts';
import { type AddressPosition, addressPositionOf, listLicensesByBeginning } from '../beginning-listing-store.ts';
import { listLicensesOfCountry } from '../country-listing-store.ts';
import { listLicensesByExpiry } from '../expiry-listing-store.ts';
import { type ListedLicense, listLicenses } from '../listing-store.ts';
import { listLicensesOfMetadata } from '../metadata-store.ts';
import { listThreatenedLicenses, type ThreatPosition } from '../threat-listing-store.ts';
import type { LicenseListRequest } from './license-list-fields.ts';

/** Defaults: days ahead, and lowest threat level. */
export const DEFAULT_WITHIN_DAYS = 30;
export const DEFAULT_MINIMUM_LEVEL = 1;

/** The licenses of a page, and the cursor when there are more. */
type LicensePage = ReturnType<typeof cutPageOfNames<ListedLicense>>;
type PageRead = Promise<LicensePage | Refusal<'invalid_field'>>;

/**
 * A page of a list or of one of its views.
 *
 * @param now milliseconds since 1970
 */
export function licensePage(sql: Sql, request: LicenseListRequest, now: number): PageRead {
  if (request.view === 'threat') return threatPage(sql, request);
  if (request.view === 'expiring') return expiringPage(sql, request, now);
  if (request.beginning !== undefined) return beginningPage(sql, request, request.beginning);
  if (request.sort === 'expiry')
    return expiryPage(sql, { ...request, from: request.expiresFrom, to: request.expiresTo }, now);
  return creationPage(sql, request, now);
}

/** A range of moments, both inclusive; undefined is open. */
interface MomentRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Licenses by creation. The list of each filter begins at the cursor, and the page ends with the range. */
async function creationPage(sql: Sql, request: LicenseListRequest, now: number): PageRead {
  const { productIds, country, metadata, limit, sort, createdFrom: from, createdTo: to } = request;
  const isOldest = sort === 'oldest';
  const given = request.cursor === undefined ? undefined : readCursor(request.cursor);
  if (given !== undefined && isRefusal(given)) return given;
  const start = isOldest ? risingStart(given, from) : fallingStart(given ?? NEWEST, to);
  const at = toTimestamp(now);
  const found =
    metadata !== undefined
      ? await listLicensesOfMetadata(sql, metadata, withFoldedEmail(request), start, limit + 1, at)
      : country !== undefined
        ? await listLicensesOfCountry(sql, productIds, country.toUpperCase(), start, limit + 1)
        : await listLicenses(sql, request, start, limit + 1, at, isOldest ? 'oldest' : 'newest');
  const within = found.filter(({ createdAt }) =>
    isOldest ? to === undefined || createdAt <= to : from === undefined || createdAt >= from,
  );
  return cutPageOfNames(within, limit, ({ createdAt, licenseKey }) => cursorAfter({ createdAt, id: licenseKey }));
}

function withFoldedEmail(request: LicenseListRequest): LicenseListRequest {
  const { email } = request;
  return email === undefined ? request : { ...request, email: foldEmail(email) };
}

async function expiryPage(
  sql: Sql,
  { productIds, status, cursor, limit, from, to }: LicenseListRequest & MomentRange,
  now: number,
): PageRead {
  const given = cursor === undefined ? undefined : readCursor(cursor);
  if (given !== undefined && isRefusal(given)) return given;
  const { createdAt: expiresAt, id: licenseKey } = risingStart(given, from);
  const after = { expiresAt, licenseKey };
  const until = to ?? AFTER_MOMENT;
  const found = await listLicensesByExpiry(sql, { productIds, status }, after, until, limit + 1, toTimestamp(now));
  return cutPageOfNames(found, limit, (each) => cursorAfter({ createdAt: each.expiresAt ?? '', id: each.licenseKey }));
}

/** Licenses that expired since the previous page, or at this moment, are not listed: they are no longer active. */
function expiringPage(
  sql: Sql,
  { withinDays = DEFAULT_WITHIN_DAYS, ...request }: LicenseListRequest,
  now: number,
): PageRead {
  const range = { from: `${toTimestamp(now)}${AFTER_MOMENT}`, to: daysAfter(now, withinDays) };
  return expiryPage(sql, { ...request, ...range, status: 'active' }, now);
}

const ADDRESS_POSITION = [TEXT_FORM, MOMENT_FORM, TEXT_FORM];

async function beginningPage(sql: Sql, { productIds, cursor, limit }: LicenseListRequest, beginning: string): PageRead {
  const position = cursor === undefined ? undefined : readPosition(cursor, ADDRESS_POSITION);
  if (position !== undefined && isRefusal(position)) return position;
  const [email = '', createdAt = '', licenseKey = ''] = position ?? [];
  const after: AddressPosition | undefined = position && { email, createdAt, licenseKey };
  const found = await listLicensesByBeginning(sql, productIds, beginning, after, limit + 1);
  return cutPageOfNames(found, limit, (last) => {
    const at = addressPositionOf(last);
    return cursorOf([at.email, at.createdAt, at.licenseKey]);
  });
}

const THREAT_POSITION = [LEVEL_FORM, MOMENT_FORM, TEXT_FORM];
const GRAVEST: ThreatPosition = { threatLevel: 5, createdAt: '', licenseKey: '' };

function threatPositionOf(cursor: string | undefined): ThreatPosition | Refusal<'invalid_field'> {
  if (cursor === undefined) return GRAVEST;
  const position = readPosition(cursor, THREAT_POSITION);
  if (isRefusal(position)) return position;
  const [level = '', createdAt = '', licenseKey = ''] = position;
  return { threatLevel: Number(level), createdAt, licenseKey };
}

async function threatPage(
  sql: Sql,
  { productIds, minimum = DEFAULT_MINIMUM_LEVEL, cursor, limit }: LicenseListRequest,
): PageRead {
  const after = threatPositionOf(cursor);
  if (isRefusal(after)) return after;
  const found = await listThreatenedLicenses(sql, productIds, after, minimum, limit + 1);
  return cutPageOfNames(found, limit, ({ threatLevel, createdAt, licenseKey }) =>
    cursorOf([String(threatLevel), createdAt, licenseKey]),
  );
}
