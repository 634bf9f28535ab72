/** Makes the file of a machine without a connection: the machine is bound as by /activate, then the file is issued. */
import { DAY_MS, toTimestamp } from '../clock.ts';
import type { Scope } from '../endpoint/caller.ts';
import type { Origin } from '../events/event.ts';
import { listMachines, releaseLapsedSessions } from '../licenses/activation-store.ts';
import { LicenseChanges, newActivation } from '../licenses/client/license-changes.ts';
import { coversProduct, refusalForStatus, slotLimit, slotsUsed, storedLicenseKey } from '../licenses/license.ts';
import { saveLicenses } from '../licenses/save.ts';
import { lockLicense } from '../licenses/store.ts';
import { mintId } from '../random.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { RuleContext, Settings } from '../rule-context.ts';
import type { Tx } from '../storage/storage.ts';
import { type IssuedFile, issueFile } from './issue.ts';
import { periodOf } from './license-file.ts';

/** A machine that is to be bound. */
export interface NamedMachine {
  readonly fingerprint: string;
  readonly hostname: string;
}

/** What an operator or creator asks for. */
export interface OfflineOrder {
  /** As it was given. */
  readonly licenseKey: string;
  /** The product that the app asks for; undefined where nobody says. */
  readonly productId: string | undefined;
  /** Null: any machine, and none is bound. */
  readonly machine: NamedMachine | null;
  /** Null: as long as the license lasts. */
  readonly days: number | null;
  readonly includesEmail: boolean;
}

/** What an operator chose that matters here. */
type FileSettings = Pick<Settings, 'floatingTimeoutMs' | 'licenseFiles'>;

/** How long a file is good unless it is said. */
export const DEFAULT_DAYS = 365;
/** The longest time that can be said. */
export const MOST_DAYS = 3650;

/** The file, and how many slots of its license are taken then. */
export interface CreatedFile extends IssuedFile {
  readonly machinesUsed: number;
  readonly maxMachines: number;
}

type OfflineRefusal = 'license_not_found' | 'wrong_product' | 'license_revoked' | 'license_expired' | 'machine_limit';

/** Binds the machine, if there is a slot for it, and issues its file; both are recorded. */
export async function createFile(
  tx: Tx,
  origin: Origin,
  scope: Scope,
  { licenseKey, productId, machine, days, includesEmail }: OfflineOrder,
  ruleContext: Pick<RuleContext, 'signingKeys' | 'believedTime'> & { readonly settings: FileSettings },
): Promise<CreatedFile | Refusal<OfflineRefusal>> {
  const { now, actor } = origin;
  const locked = await lockLicense(tx, storedLicenseKey(licenseKey), scope);
  if (locked === undefined) return refuse('license_not_found');
  if (productId !== undefined && !coversProduct(locked, productId)) return refuse('wrong_product');
  const refusal = refusalForStatus(locked, now);
  if (refusal !== null) return refusal;
  const sessionNow = ruleContext.believedTime.sessionNow(now);
  const released = await releaseLapsedSessions(tx, [locked.licenseKey], toTimestamp(sessionNow));
  const changes = new LicenseChanges(locked, released.get(locked.licenseKey) ?? 0, now - sessionNow);
  if (machine !== null) {
    const { licenseKey: key } = locked;
    for (const bound of await listMachines(tx, [{ licenseKey: key, ...machine }])) changes.load(bound);
    if (!changes.hasSlotFor(machine.fingerprint))
      return refuse('machine_limit', { details: { limit: slotLimit(locked) } });
    bind(changes, machine, origin, ruleContext.settings);
  }
  const { license } = changes;
  const { licenseFiles } = ruleContext.settings;
  const period = periodOf(license, days === null ? null : days * DAY_MS, licenseFiles, now);
  const { fingerprint = null, hostname = null } = machine ?? {};
  const order = { purpose: 'offline', fingerprint, hostname, includesEmail, period, issuedBy: actor, now } as const;
  const file = await issueFile(tx, license, order, ruleContext);
  const { fileId, expiresAt } = file;
  const save = changes.save();
  const issued = {
    type: 'license_file.issued',
    subject: fingerprint,
    before: null,
    after: { fileId, fingerprint, hostname, expiresAt },
    origin,
  } as const;
  // The machine was bound by whoever makes the file, not by an app.
  const entries = [...save.entries.map((entry) => ({ ...entry, origin })), issued];
  await saveLicenses(tx, [{ ...save, entries }], now);
  return { ...file, machinesUsed: slotsUsed(license), maxMachines: slotLimit(license) };
}

/** Binds a machine, or begins a floating session of it, without any sign of life of one that needs neither. */
function bind(
  changes: LicenseChanges,
  { fingerprint, hostname }: NamedMachine,
  { requestId, now }: Origin,
  { floatingTimeoutMs }: FileSettings,
): void {
  if (!changes.needsSlot(fingerprint)) return;
  const machine = changes.machine(fingerprint) ?? newActivation(changes.license, fingerprint, hostname, mintId(), now);
  // The country is that of whoever makes the file, and tells nothing of the machine.
  changes.keep(machine, { requestId: requestId ?? '', now, country: null, address: null }, floatingTimeoutMs);
}
