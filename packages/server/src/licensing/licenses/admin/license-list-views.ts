/** The views of /listLicenses, and its list by country: allowed combinations of fields, and pages (rules 4.2). */
import { daysAfter, toTimestamp } from '../../../ground/base/clock.ts';
import { foldEmail } from '../../../ground/base/typed-text.ts';
import { refusalForCountry } from '../../../platform/endpoint/country-field.ts';
import {
  cursorAfter,
  cursorOf,
  cutPageOfNames,
  LEVEL_FORM,
  MOMENT_FORM,
  readCursor,
  readPosition,
  TEXT_FORM,
} from '../../../platform/endpoint/page.ts';
import { isRefusal, type Refusal, refuse } from '../../../platform/endpoint/refusals.ts';
import type { Sql } from '../../../storage/contract/storage.ts';
import { listLicensesOfCountry } from '../country-listing-store.ts';
import { FILTER_FIELDS, type LicenseFilter, type ListedLicense, listLicenses } from '../listing-store.ts';
import { listLicensesOfMetadata } from '../metadata-store.ts';
import { listExpiringLicenses, listThreatenedLicenses, type ThreatPosition } from '../view-listing-store.ts';

export const LICENSE_VIEWS = ['expiring', 'threat'] as const;
type LicenseView = (typeof LICENSE_VIEWS)[number];

/** Defaults: days ahead, and lowest threat level. */
export const DEFAULT_WITHIN_DAYS = 30;
export const DEFAULT_MINIMUM_LEVEL = 1;

/** A request for a list of licenses. */
export interface LicenseListRequest extends LicenseFilter {
  readonly view?: LicenseView | undefined;
  /** A country that the licenses were used from, in any case. */
  readonly country?: string | undefined;
  /** A name of the metadata, and its value. */
  readonly metadata?: readonly [name: string, value: string] | undefined;
  readonly withinDays?: number | undefined;
  readonly minimum?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** The licenses of a page, and the cursor when there are more. */
type LicensePage = ReturnType<typeof cutPageOfNames<ListedLicense>>;

/**
 * The refusal when fields of a request cannot be combined; null when they can. Names the first field in the order of
 * the reference.
 */
export function refusalForFields(
  fields: Partial<Omit<LicenseListRequest, 'productIds' | 'limit'>>,
): Refusal<'invalid_field'> | null {
  const { view, country, metadata, withinDays, minimum } = fields;
  const only = view !== undefined ? 'view' : country !== undefined ? 'country' : undefined;
  // No index has the order of a view, or of a list by country, and a further filter.
  const stray = only === undefined ? undefined : FILTER_FIELDS.find((field) => fields[field] !== undefined);
  if (stray !== undefined) return invalidFields(`${stray} cannot be given together with ${only}`);
  if (view !== undefined && country !== undefined) return invalidFields('country cannot be given together with view');
  if (metadata !== undefined && only !== undefined)
    return invalidFields(`metadata cannot be given together with ${only}`);
  const unknownCountry = refusalForCountry(country);
  if (unknownCountry !== null) return unknownCountry;
  if (withinDays !== undefined && view !== 'expiring') return invalidFields('withinDays goes with view expiring only');
  if (minimum !== undefined && view !== 'threat') return invalidFields('minimum goes with view threat only');
  const position = view === 'threat' ? threatPositionOf(fields.cursor) : readCursor(fields.cursor);
  return isRefusal(position) ? position : null;
}

function invalidFields(message: string): Refusal<'invalid_field'> {
  return refuse('invalid_field', { details: { message } });
}

/**
 * A page of a list or of one of its views.
 *
 * @param now milliseconds since 1970
 */
export async function licensePage(
  sql: Sql,
  request: LicenseListRequest,
  now: number,
): Promise<LicensePage | Refusal<'invalid_field'>> {
  switch (request.view) {
    case 'expiring':
      return expiringPage(sql, request, now);
    case 'threat':
      return threatPage(sql, request);
    case undefined: {
      const cursor = readCursor(request.cursor);
      if (isRefusal(cursor)) return cursor;
      const { productIds, country, limit } = request;
      const { metadata } = request;
      const found =
        metadata !== undefined
          ? await listLicensesOfMetadata(sql, metadata, withFoldedEmail(request), cursor, limit + 1, toTimestamp(now))
          : country === undefined
            ? await listLicenses(sql, request, cursor, limit + 1, toTimestamp(now))
            : await listLicensesOfCountry(sql, productIds, country.toUpperCase(), cursor, limit + 1);
      return cutPageOfNames(found, limit, ({ createdAt, licenseKey }) => cursorAfter({ createdAt, id: licenseKey }));
    }
  }
}

function withFoldedEmail(request: LicenseListRequest): LicenseListRequest {
  const { email } = request;
  return email === undefined ? request : { ...request, email: foldEmail(email) };
}

/** Licenses that expired since the previous page are not listed, because they are no longer active. */
async function expiringPage(
  sql: Sql,
  { productIds, withinDays = DEFAULT_WITHIN_DAYS, cursor, limit }: LicenseListRequest,
  now: number,
): Promise<LicensePage | Refusal<'invalid_field'>> {
  // '~' sorts after every character of a timestamp, so a license that expires at this moment counts as expired.
  const present = { expiresAt: `${toTimestamp(now)}~`, licenseKey: '' };
  const given = readCursor(cursor);
  if (isRefusal(given)) return given;
  const isFirst = cursor === undefined || given.createdAt < present.expiresAt;
  const after = isFirst ? present : { expiresAt: given.createdAt, licenseKey: given.id };
  const found = await listExpiringLicenses(sql, productIds, after, daysAfter(now, withinDays), limit + 1);
  return cutPageOfNames(found, limit, ({ expiresAt, licenseKey }) =>
    cursorAfter({ createdAt: expiresAt ?? '', id: licenseKey }),
  );
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
): Promise<LicensePage | Refusal<'invalid_field'>> {
  const after = threatPositionOf(cursor);
  if (isRefusal(after)) return after;
  const found = await listThreatenedLicenses(sql, productIds, after, minimum, limit + 1);
  return cutPageOfNames(found, limit, ({ threatLevel, createdAt, licenseKey }) =>
    cursorOf([String(threatLevel), createdAt, licenseKey]),
  );
}
