/** A customer's request for a file: its license under lock, and the budget of files (rules 13.6). */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { type FileRequest, readFileRequest } from '../../licensing/license-files/file-request.ts';
import { listFilesOfCustomer } from '../../licensing/license-files/store.ts';
import { type License, slotLimit, storedLicenseKey, UNLIMITED_MACHINES } from '../../licensing/licenses/license.ts';
import { lockLicense } from '../../licensing/licenses/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { RequestContext } from '../../platform/endpoint/endpoint.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { keyOfRef } from './cards.ts';
import { type SignedIn, signedInBy } from './session.ts';
import { TIMES } from './settings.ts';
import type { FileFields } from './shapes.ts';

/** The validity of a customer's file in days. */
export const FILE_DAYS = 365;
/** The most files of a license without a limit of slots. */
const MAX_FILES = 20;

/** The refusals of a request before any slot is looked at. */
export const REQUEST_REFUSALS = [
  'customer_not_signed_in',
  'license_gone',
  'customer_files_off',
  'file_request_not_accepted',
  'file_budget_spent',
] as const;

/** A request that may become a file. The license is locked. */
export interface RequestedFile {
  readonly signedIn: SignedIn;
  readonly scope: Scope;
  readonly license: License;
  readonly request: FileRequest;
  readonly budget: FileBudget;
}

/** The files that a customer may make within the period. */
export interface FileBudget {
  readonly of: number;
  readonly left: number;
  /** Whether the device has a file of the period already: another one counts for nothing. */
  readonly isRepeat: boolean;
}

/** Reads a request, and refuses one that this customer may not make or that is beyond the budget. */
export async function requestedFile(
  tx: Tx,
  fields: FileFields,
  call: Pick<RequestContext, 'now'> & { readonly ruleContext: RuleContext },
): Promise<RequestedFile | Refusal<(typeof REQUEST_REFUSALS)[number]>> {
  const signedIn = await signedInBy(tx, fields.session, call);
  if (isRefusal(signedIn)) return signedIn;
  const { session, makesFiles, scope, now } = signedIn;
  if (!makesFiles) return refuse('customer_files_off');
  const licenseKey = await keyOfRef(tx, signedIn, fields.license);
  const license = licenseKey === undefined || scope === null ? undefined : await lockLicense(tx, licenseKey, scope);
  if (license === undefined || scope === null || foldEmail(license.email) !== session.emailFolded)
    return refuse('license_gone');
  const request = readFileRequest(fields.request);
  if (request === null || storedLicenseKey(request.licenseKey) !== license.licenseKey)
    return refuse('file_request_not_accepted');
  const slots = slotLimit(license);
  const of = slots === UNLIMITED_MACHINES ? MAX_FILES : slots;
  const issued = await listFilesOfCustomer(tx, license.licenseKey, toTimestamp(now - TIMES.files), of);
  const isRepeat = issued.some(({ fingerprint }) => fingerprint === request.fingerprint);
  const oldest = issued.at(-1);
  if (!isRepeat && oldest !== undefined && issued.length >= of) {
    const nextAt = toTimestamp(fromTimestamp(oldest.issuedAt) + TIMES.files);
    return refuse('file_budget_spent', { extra: { nextAt } });
  }
  return { signedIn, scope, license, request, budget: { of, left: of - issued.length, isRepeat } };
}
