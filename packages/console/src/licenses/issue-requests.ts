/** Builds the requests that issue licenses from the form: pure. */
import type { LicenseType, RequestOf } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { limitIn } from './words.ts';

/** Maximum number of licenses issued at once. */
export const MAX_AT_ONCE = 500;

/** The values of the form. */
export interface IssueForm {
  readonly productId: string;
  readonly variant: string;
  readonly addresses: readonly string[];
  /** Licenses per address, as typed. */
  readonly each: string;
  /** '' for the variant's type. */
  readonly licenseType: LicenseType | '';
  /** As typed; '' for the variant's limit. */
  readonly machines: string;
  readonly seats: string;
  /** Null for no expiry; undefined while the typed values are invalid. */
  readonly expiresAt: string | null | undefined;
  readonly purchaseId: string;
}

/** The requests, or the errors of the form. */
export interface IssueRequests {
  /** By a name for each, `ada@example.com 1`; null while a field is missing or invalid. */
  readonly all: ReadonlyMap<string, RequestOf<'/createLicense'>> | null;
  readonly wrong: Readonly<Partial<Record<'addresses' | 'each' | 'machines' | 'seats', string>>>;
}

/** One request for each license. */
export function issueRequests(form: IssueForm): IssueRequests {
  const { productId, variant, addresses, licenseType, expiresAt, purchaseId } = form;
  const each = limitIn(form.each);
  const machines = form.machines === '' ? undefined : limitIn(form.machines);
  const seats = form.seats === '' ? undefined : limitIn(form.seats);
  const strange = addresses.find((address) => !/^[^@\s]+@[^@\s]+$/.test(address));
  const wrong = {
    ...(strange === undefined ? {} : { addresses: `"${strange}" is not an e-mail address.` }),
    ...(each === null || each * Math.max(1, addresses.length) > MAX_AT_ONCE
      ? { each: `A whole number; at most ${MAX_AT_ONCE} licenses at once.` }
      : {}),
    ...(machines === null ? { machines: 'A whole number, 1 or more.' } : {}),
    ...(seats === null ? { seats: 'A whole number, 1 or more.' } : {}),
  };
  const isReady = productId !== '' && addresses.length > 0 && expiresAt !== undefined;
  if (!isReady || each === null || machines === null || seats === null || Object.keys(wrong).length > 0)
    return { all: null, wrong };
  const shared = {
    productId,
    ...given({ variant, licenseType, maxMachines: machines, maxConcurrent: seats, expiresAt, purchaseId }),
  };
  const all = new Map<string, RequestOf<'/createLicense'>>();
  for (const email of addresses)
    for (let number = 1; number <= each; number++) all.set(`${email} ${number}`, { email, ...shared });
  return { all, wrong };
}
