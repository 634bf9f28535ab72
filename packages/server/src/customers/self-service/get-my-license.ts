import { askedTerms, predictRefusal } from '../../licensing/client-endpoints/predicted-refusal.ts';
import { findLicenseSnapshot } from '../../licensing/client-endpoints/snapshot-store.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { usageOf } from '../../licensing/licenses/meters.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import { listMachines } from '../../licensing/machines/activation-store.ts';
import { listMeterUsesOf } from '../../licensing/meters/store.ts';
import { isKeptRefusalCode, type KeptRefusal } from '../../licensing/observed-calls/kept-refusal.ts';
import { listRefusals } from '../../licensing/observed-calls/store.ts';
import { UNLIMITED_UNITS } from '../../licensing/products/meters.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { keyOfRef, listCards, refOfDevice } from './cards.ts';
import { type DevicesOfLicense, devicesOf } from './devices.ts';
import { newKeyOf } from './new-key.ts';
import { budgetOf, isRunning, releaseKind } from './release.ts';
import { signedInBy } from './session.ts';
import { CUSTOMER, CUSTOMER_CALLS, type Device, type ShownRefusal, type Usage } from './shapes.ts';
import { listSeats, seatView } from './users.ts';

const REFUSALS_SHOWN = 5;
/** Refusals looked at for those to show. */
const REFUSALS_READ = 25;
/** Maximum length of a hostname at /activate. */
const LONGEST_HOSTNAME = 255;
/** Of a revoked license nothing is shown but itself: its customer writes to support. */
const NOTHING: DevicesOfLicense = { machines: [], hasMore: false, files: new Map(), budget: budgetOf(0, []) };

/** One license of a customer, its devices, and why devices were refused (rules 13.4). Writes the use of the session. */
export const getMyLicense = inner('getMyLicense', CUSTOMER, CUSTOMER_CALLS.getMyLicense, [
  'customer_not_signed_in',
  'license_gone',
]).write(async (tx, { fields, now: at, ruleContext }) => {
  const signedIn = await signedInBy(tx, fields.session, { now: at, ruleContext });
  if (isRefusal(signedIn)) return signedIn;
  const { session, settings, makesFiles, scope, now } = signedIn;
  const licenseKey = await keyOfRef(tx, signedIn, fields.license);
  const license = licenseKey === undefined || scope === null ? undefined : await findLicense(tx, licenseKey, scope);
  if (license === undefined || scope === null) return refuse('license_gone');
  const isRevoked = license.revocation !== null;
  // Sent together: PostgreSQL wakes up less often.
  const [[card], known, refusals, seats, uses, newKey] = await Promise.all([
    listCards(tx, [license.licenseKey], at),
    isRevoked ? NOTHING : devicesOf(tx, license, settings, now),
    isRevoked ? [] : openRefusals(tx, license.licenseKey),
    isRevoked ? [] : listSeats(tx, license),
    isRevoked || license.variantTerms.meters === null ? null : listMeterUsesOf(tx, license.licenseKey),
    newKeyOf(tx, license, now),
  ]);
  if (card === undefined) return refuse('license_gone');
  return {
    email: session.emailFolded,
    shop: session.creatorId,
    license: card,
    usage: uses === null ? [] : usageOf(license, uses, now).map(usageView),
    devices: known.machines.toSorted(lastSeenFirst).map((machine) => deviceView(machine, known, now)),
    moreDevices: known.hasMore,
    users: seats.map((seat) => seatView(seat, known, now)),
    budget: known.budget,
    refusals: await Promise.all(refusals.map((refusal) => refusalView(tx, license, refusal, scope, at))),
    newKey,
    files: makesFiles && card.status === 'active',
  };
});

function usageView({ meter, used, limit, resetsAt }: ReturnType<typeof usageOf>[number]): Usage {
  return { meter, used, limit: limit === UNLIMITED_UNITS ? null : limit, resetsAt };
}

function lastSeenFirst(one: Activation, other: Activation): number {
  if (one.lastSeen !== other.lastSeen) return one.lastSeen < other.lastSeen ? 1 : -1;
  return one.fingerprint < other.fingerprint ? -1 : 1;
}

function deviceView(machine: Activation, { files, budget }: DevicesOfLicense, now: number): Device {
  const { licenseKey, fingerprint, hostname, firstSeen, lastSeen, lastCountry } = machine;
  const file = files.get(fingerprint);
  return {
    ref: refOfDevice(licenseKey, fingerprint),
    name: hostname,
    firstSeenAt: firstSeen,
    lastSeenAt: lastSeen,
    country: lastCountry,
    running: isRunning(machine, file?.issuedAt, now),
    fileUntil: file?.expiresAt ?? null,
    release: releaseKind(machine, file !== undefined, budget, now),
  };
}

/**
 * The last refusals, without those of machines that gave a sign of life since: the app was let in, so the refusal is no
 * news to its customer.
 */
async function openRefusals(sql: Sql, licenseKey: string): Promise<readonly KeptRefusal[]> {
  const last = await listRefusals(sql, licenseKey, null, REFUSALS_READ);
  const refused = new Set(last.flatMap(({ fingerprint }) => fingerprint ?? []));
  const bound = await listMachines(
    sql,
    [...refused].map((fingerprint) => ({ licenseKey, fingerprint })),
  );
  const seen = new Map(bound.map(({ fingerprint, lastSeen }) => [fingerprint, lastSeen]));
  return last
    .filter(({ fingerprint, lastAt }) => fingerprint === null || (seen.get(fingerprint) ?? '') <= lastAt)
    .slice(0, REFUSALS_SHOWN);
}

/** A refusal, and whether the app would be let in now: by the rules of the client endpoints themselves. */
async function refusalView(
  sql: Sql,
  { licenseKey, productId }: License,
  { lastAt, fingerprint, hostname, code, endpoint, details }: KeptRefusal,
  scope: Scope,
  now: number,
): Promise<ShownRefusal> {
  const snapshot = await findLicenseSnapshot(sql, licenseKey, scope, fingerprint ?? '', now);
  const asked = details?.productId;
  const given = {
    machineFingerprint: fingerprint ?? '',
    hostname: hostname ?? (fingerprint ?? '').slice(0, LONGEST_HOSTNAME).toWellFormed(),
    productId: typeof asked === 'string' ? asked : productId,
    ...askedTerms(details),
  };
  // An app that is refused elsewhere activates again, so /activate decides; /verify names no machine. Activating brings
  // no feature and no units.
  const isOfItself = fingerprint === null || code === 'feature_missing' || endpoint === '/consume';
  const path = isOfItself ? endpoint : '/activate';
  return {
    at: lastAt,
    device: hostname,
    code: isKeptRefusalCode(code) ? code : 'machine_not_activated',
    details: details ?? {},
    wouldWorkNow: snapshot !== undefined && predictRefusal(path, snapshot, given) === null,
  };
}
