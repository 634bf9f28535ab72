/** Carries out the facts beside sales and payments: customers, links between ids, keys of their own. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { changeLicense } from '../../licensing/licenses/change.ts';
import { emailChangeOf } from '../../licensing/licenses/email-change.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { isPseudonym } from '../../licensing/licenses/pseudonym.ts';
import { findKeyInForce } from '../../licensing/licenses/replacement.ts';
import { saveLicenses } from '../../licensing/licenses/save.ts';
import { lockLicense } from '../../licensing/licenses/store.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { EVERYBODY } from '../storefront/sale.ts';
import type { Application } from './application.ts';
import { type CustomerFact, isNewer, type Linked, type TheirKey } from './sources/facts.ts';
import type { Subject } from './subject.ts';
import {
  addReferences,
  findShopCustomer,
  findSubjectOf,
  listSellersKeys,
  listSubjectsOfCustomer,
  listUnits,
  listWaitingFor,
  saveSellersKey,
  saveShopCustomer,
  saveSubject,
} from './subject-store.ts';

/** The address and language of a customer; the licenses that the former address had get the new one. */
export async function applyCustomer(application: Application, fact: CustomerFact): Promise<void> {
  const { tx, connector, result } = application;
  const { connectorId } = connector;
  const known = await findShopCustomer(tx, connectorId, fact.customer);
  if (known !== undefined && !isNewer({ asOf: fact.asOf, rank: 0 }, { asOf: known.asOf, rank: 0 })) return;
  // The address of a customer who was forgotten is not stored again.
  const addresses = [known, ...(await listSubjectsOfCustomer(tx, connectorId, fact.customer))].map(
    (each) => each?.email,
  );
  if (addresses.some((email) => email != null && isPseudonym(email))) {
    result.isOfForgotten = true;
    return;
  }
  const after = {
    ...fact,
    email: fact.email ?? known?.email ?? null,
    language: fact.language ?? known?.language ?? null,
  };
  await saveShopCustomer(tx, connectorId, after);
  if (known?.email !== after.email) result.isNew = true;
  const awaited = [{ kind: 'customer', id: fact.customer } as const];
  if (after.email !== null)
    for (const eventId of await listWaitingFor(tx, connectorId, awaited)) result.due.add(eventId);
  if (known?.email == null || after.email === null || known.email === after.email) return;
  for (const subject of await listSubjectsOfCustomer(tx, connectorId, fact.customer))
    await readdress(application, subject, known.email, after.email);
}

async function readdress(
  { tx, origin, result }: Application,
  subject: Subject,
  former: string,
  email: string,
): Promise<void> {
  if (subject.email === null || foldEmail(subject.email) !== foldEmail(former)) return;
  await saveSubject(tx, { ...subject, email });
  for (const { licenseKey } of await listUnits(tx, subject)) {
    const license = await lockLicense(tx, licenseKey, EVERYBODY);
    if (license === undefined || foldEmail(license.email) !== foldEmail(former)) continue;
    const change = emailChangeOf(license, email, origin);
    if (change === null) continue;
    await saveLicenses(tx, [change], origin.now);
    result.did(licenseKey, 'readdressed');
  }
}

/** An id that belongs to a sale which another id names. */
export async function applyLinked(application: Application, { reference, to }: Linked): Promise<void> {
  const { tx, connector, result } = application;
  const known = await findSubjectOf(tx, connector.connectorId, to);
  if (known === undefined) return void result.awaited.push(...to);
  const { subject, isLater } = known;
  result.subjectId ??= subject.subjectId;
  const before = await findSubjectOf(tx, connector.connectorId, [reference]);
  if (before !== undefined) return;
  result.isNew = true;
  for (const eventId of await addReferences(tx, subject, [reference], isLater)) result.due.add(eventId);
}

/** A license key that the seller issued, or that it disabled. */
export async function applyTheirKey(application: Application, fact: TheirKey): Promise<void> {
  const { tx, connector, result } = application;
  const known = await findSubjectOf(tx, connector.connectorId, fact.of);
  if (known === undefined) return void result.awaited.push(...fact.of);
  const { subject } = known;
  result.subjectId ??= subject.subjectId;
  const before = (await listSellersKeys(tx, subject)).find(({ licenseKey }) => licenseKey === fact.key);
  const asOf = toTimestamp(fact.asOf);
  // A seller that tells no moment of a change tells the key's own; a key that is disabled counts then.
  const isTie = before?.asOf === asOf;
  if (before !== undefined && (isTie ? before.isDisabled || !fact.isDisabled : before.asOf > asOf)) return;
  const { connectorId, subjectId } = subject;
  await saveSellersKey(tx, {
    ...{ connectorId, subjectId, licenseKey: fact.key, line: fact.line, isDisabled: fact.isDisabled, asOf },
    isUsed: before?.isUsed ?? false,
  });
  if (before?.isDisabled !== fact.isDisabled) result.isNew = true;
  for (const eventId of await listWaitingFor(tx, connectorId, [{ kind: 'key', id: subjectId }]))
    result.due.add(eventId);
  if (before?.isUsed === true && fact.isDisabled && !before.isDisabled)
    await revokePlainly(application, await findKeyInForce(tx, storedLicenseKey(fact.key)));
}

/** The seller disabled its key: the license is revoked without a reason. */
async function revokePlainly({ tx, origin, result }: Application, licenseKey: string): Promise<void> {
  const changed = await changeLicense(tx, origin, { licenseKey, scope: EVERYBODY }, (license) => ({
    type: 'license.revoked',
    update: { revocation: license.revocation ?? 'plain' },
  }));
  if (!isRefusal(changed)) result.did(changed.licenseKey, 'revoked');
}
