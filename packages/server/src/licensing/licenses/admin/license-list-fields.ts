/**
 * The fields of /listLicenses that cannot be combined, because no index has the order of one and the other (rules 4.2).
 */
import { refusalForCountry } from '../../../platform/endpoint/country-field.ts';
import { type Refusal, refuse } from '../../../platform/endpoint/refusals.ts';
import { FILTER_FIELDS, type LicenseFilter } from '../listing-store.ts';

export const LICENSE_VIEWS = ['expiring', 'threat'] as const;
export const LICENSE_ORDERS = ['newest', 'oldest', 'expiry'] as const;

/** A request for a list of licenses. Moments are 24-character timestamps, inclusive. */
export interface LicenseListRequest extends LicenseFilter {
  readonly view?: (typeof LICENSE_VIEWS)[number] | undefined;
  /** A country that the licenses were used from, in any case. */
  readonly country?: string | undefined;
  /** A name of the metadata, and its value. */
  readonly metadata?: readonly [name: string, value: string] | undefined;
  /** The beginning of the addresses, in any case. */
  readonly beginning?: string | undefined;
  readonly createdFrom?: string | undefined;
  readonly createdTo?: string | undefined;
  readonly expiresFrom?: string | undefined;
  readonly expiresTo?: string | undefined;
  readonly sort?: (typeof LICENSE_ORDERS)[number] | undefined;
  readonly withinDays?: number | undefined;
  readonly minimum?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

type Fields = Partial<Omit<LicenseListRequest, 'productIds' | 'limit'>>;
type Field = keyof Fields;

const CREATED_FIELDS = ['createdFrom', 'createdTo'] as const satisfies Field[];

/**
 * The fields that a list of its own excludes, in the order of the reference. `metadata` leads to the rows of a list by
 * creation, which has no oldest first.
 */
const EXCLUDED_BY = {
  view: [...FILTER_FIELDS, 'country', 'metadata', 'beginning', ...CREATED_FIELDS, 'sort'],
  country: [...FILTER_FIELDS, 'metadata', 'beginning', 'sort'],
  beginning: [...FILTER_FIELDS, 'metadata', ...CREATED_FIELDS, 'sort'],
  metadata: ['sort'],
} as const satisfies { readonly [Leading in Field]?: readonly Field[] };
const EXCLUDED_BY_EXPIRY: readonly Field[] = ['purchaseId', 'email', 'variant', ...CREATED_FIELDS];

/** The refusal when fields of a request cannot be combined; null when they can. Names the first of them. */
export function refusalForFields(fields: Fields): Refusal<'invalid_field'> | null {
  const { country, withinDays, minimum, view, sort } = fields;
  const isGiven = (field: Field) => fields[field] !== undefined;
  for (const [leading, excluded] of Object.entries(EXCLUDED_BY) as [Field, readonly Field[]][]) {
    const stray = isGiven(leading) ? excluded.find(isGiven) : undefined;
    if (stray !== undefined) return invalidFields(`${stray} cannot be given together with ${leading}`);
  }
  if (sort === 'expiry') {
    const stray = EXCLUDED_BY_EXPIRY.find(isGiven);
    if (stray !== undefined) return invalidFields(`${stray} cannot be given together with sort expiry`);
  }
  const unknownCountry = refusalForCountry(country);
  if (unknownCountry !== null) return unknownCountry;
  if (withinDays !== undefined && view !== 'expiring') return invalidFields('withinDays goes with view expiring only');
  if (minimum !== undefined && view !== 'threat') return invalidFields('minimum goes with view threat only');
  const ofExpiry = (['expiresFrom', 'expiresTo'] as const).find(isGiven);
  if (ofExpiry !== undefined && sort !== 'expiry') return invalidFields(`${ofExpiry} goes with sort expiry only`);
  return null;
}

function invalidFields(message: string): Refusal<'invalid_field'> {
  return refuse('invalid_field', { details: { message } });
}
