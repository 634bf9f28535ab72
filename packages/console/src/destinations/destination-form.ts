/** The fields of a destination in a form, and the requests that they make: pure. */
import type { CreateDestinationRequest, Destination, UpdateDestinationRequest } from '../api/contract.ts';
import { given } from '../api/given.ts';

/** The fields as typed. */
export interface DestinationForm {
  readonly url: string;
  readonly description: string;
  readonly isEverything: boolean;
  /** Chosen kinds, such as `license.*`. */
  readonly kinds: readonly string[];
  /** Single types besides the kinds, divided by commas or spaces. */
  readonly furtherTypes: string;
  /** Product identifiers, divided by commas or spaces; '' for all products. */
  readonly products: string;
  readonly licenseKeys: boolean;
  readonly personalData: boolean;
  readonly rate: string;
}

/** The kinds of events, in the order of the form. `*` covers only kinds of the shop. */
export const KINDS: readonly { readonly title: string; readonly kinds: readonly string[]; readonly ofShop: boolean }[] =
  [
    { title: 'Licenses', kinds: ['license.*'], ofShop: true },
    { title: 'Machines', kinds: ['activation.*', 'activations.*'], ofShop: true },
    { title: 'Ended sessions', kinds: ['session.*'], ofShop: true },
    { title: 'License files', kinds: ['license_file.*'], ofShop: true },
    { title: 'Violations', kinds: ['violation.*'], ofShop: true },
    { title: 'Products and variants', kinds: ['product.*', 'variant.*'], ofShop: true },
    { title: 'Trial codes', kinds: ['discount_code.*'], ofShop: true },
    { title: 'Studio orders', kinds: ['studio_order.*', 'studio_seat.*'], ofShop: true },
    { title: 'Keys', kinds: ['api_key.*', 'operator_key.*', 'token_key.*'], ofShop: false },
    { title: 'Sign-ins', kinds: ['console_session.*'], ofShop: false },
    { title: 'Forgotten customers', kinds: ['customer.*'], ofShop: false },
    { title: 'Destinations', kinds: ['destination.*'], ofShop: false },
  ];

/** The form of a new destination. */
export const NEW_DESTINATION: DestinationForm = {
  url: '',
  description: '',
  isEverything: true,
  kinds: [],
  furtherTypes: '',
  products: '',
  licenseKeys: false,
  personalData: false,
  rate: '50',
};

/** The form of an existing destination. */
export function formOf(destination: Destination): DestinationForm {
  const { types } = destination;
  const kinds = KINDS.filter((each) => each.kinds.every((kind) => types.includes(kind))).flatMap((each) => each.kinds);
  return {
    url: destination.url,
    description: destination.description ?? '',
    isEverything: types.includes('*'),
    kinds,
    furtherTypes: types.filter((type) => type !== '*' && !kinds.includes(type)).join(', '),
    products: destination.productIds?.join(', ') ?? '',
    licenseKeys: destination.includeLicenseKeys,
    personalData: destination.includePersonalData,
    rate: String(destination.requestsPerSecond),
  };
}

/** The types that a form selects. Kinds that `*` includes are not repeated beside it. */
export function typesOf({ isEverything, kinds, furtherTypes }: DestinationForm): readonly string[] {
  const ofShop = KINDS.filter((each) => each.ofShop).flatMap((each) => each.kinds);
  const named = isEverything ? kinds.filter((kind) => !ofShop.includes(kind)) : kinds;
  return [...new Set([...(isEverything ? ['*'] : []), ...named, ...wordsOf(furtherTypes)])];
}

/**
 * The request for a new destination; null while a field is missing or wrong.
 *
 * @param creator '' for the signed-in person
 */
export function createRequest(form: DestinationForm, creator: string): CreateDestinationRequest | null {
  const fields = fieldsOf(form);
  if (fields === null) return null;
  const { description, productIds, ...rest } = fields;
  return { ...rest, ...given({ description, productIds, creatorId: creator.trim() }) };
}

/**
 * The request with the changed fields, in place of the destination that the person saw; null if nothing is changed or a
 * field is wrong.
 */
export function updateRequest(destination: Destination, form: DestinationForm): UpdateDestinationRequest | null {
  const fields = fieldsOf(form);
  const before = fieldsOf(formOf(destination));
  if (fields === null || before === null) return null;
  const changed = Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
    ),
  );
  const { destinationId, updatedAt } = destination;
  return Object.keys(changed).length === 0 ? null : { destinationId, ...changed, wasUpdatedAt: updatedAt };
}

function fieldsOf(form: DestinationForm) {
  const types = typesOf(form);
  const requestsPerSecond = wholeNumber(form.rate);
  if (form.url.trim() === '' || types.length === 0 || requestsPerSecond === null) return null;
  const products = wordsOf(form.products);
  return {
    url: form.url.trim(),
    types,
    description: form.description.trim() === '' ? null : form.description.trim(),
    productIds: products.length === 0 ? null : products,
    includeLicenseKeys: form.licenseKeys,
    includePersonalData: form.personalData,
    requestsPerSecond,
  };
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** A whole number of at least one; null for anything else. */
function wholeNumber(text: string): number | null {
  return /^\d+$/.test(text.trim()) && Number(text) >= 1 ? Number(text) : null;
}

/** The longest overlap of two secrets, in hours. */
const LONGEST_OVERLAP = 168;

/** The hours of a field; null unless they are a whole number from 0 to 168. */
export function wholeHours(text: string): number | null {
  return /^\d+$/.test(text.trim()) && Number(text) <= LONGEST_OVERLAP ? Number(text) : null;
}
