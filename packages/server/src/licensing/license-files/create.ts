/** Creates the file of a machine without a connection: binds the machine like /activate, then issues the file. */
import { DAY_MS, LATEST_MS, toTimestamp } from '../../ground/base/clock.ts';
import { mintId } from '../../ground/base/random.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { RequestContext } from '../../platform/endpoint/endpoint.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { RuleContext, Settings } from '../../platform/endpoint/rule-context.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { loadIdleMachine } from '../client-endpoints/idle-machines.ts';
import { LicenseChanges, newActivation } from '../client-endpoints/license-changes.ts';
import { refusalForUser, userAfter } from '../client-endpoints/named-users.ts';
import { loadUsers } from '../client-endpoints/user-changes.ts';
import { coversProduct, refusalForStatus, slotLimit, slotsUsed, storedLicenseKey } from '../licenses/license.ts';
import { saveLicenses } from '../licenses/save.ts';
import { lockLicense } from '../licenses/store.ts';
import { listMachines, releaseLapsedSessions } from '../machines/activation-store.ts';
import { type IssuedFile, issueFile } from './issue.ts';
import { type Period, periodOf } from './license-file.ts';

/** A machine to bind. */
export interface NamedMachine {
  readonly fingerprint: string;
  readonly hostname: string;
  /** The person who uses it, where the license has named users; undefined keeps the user of a bound machine. */
  readonly user?: string | undefined;
}

/** An order by an operator or creator. */
export interface OfflineOrder {
  /** As the caller sent it. */
  readonly licenseKey: string;
  /** The product that the app asks for; undefined when unknown. */
  readonly productId: string | undefined;
  /** Null: the file is for any machine, and none is bound. */
  readonly machine: NamedMachine | null;
  /** Null: until the license expires. */
  readonly days: number | null;
  readonly includesEmail: boolean;
}

/** The settings that matter here. */
type FileSettings = Pick<Settings, 'floatingTimeoutMs' | 'licenseFiles'>;

/** The default validity of a file in days. */
export const DEFAULT_DAYS = 365;
/** The longest validity in days. */
export const MAX_DAYS = 3650;

/** The file, and the number of slots of its license taken afterwards. */
export interface CreatedFile extends IssuedFile {
  readonly machinesUsed: number;
  readonly maxMachines: number;
}

type OfflineRefusal =
  | 'license_not_found'
  | 'wrong_product'
  | 'license_replaced'
  | 'license_revoked'
  | 'license_expired'
  | 'user_required'
  | 'user_limit'
  | 'machine_limit';

/**
 * Binds the machine if there is a slot for it or an idle machine makes room, and issues its file; records both. The
 * machine keeps its slot until the file expires, a seat of a floating license as well.
 */
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
  const changes = new LicenseChanges(locked, released.get(locked.licenseKey) ?? 0, ruleContext.believedTime);
  if (machine !== null) {
    const { licenseKey: key } = locked;
    for (const bound of await listMachines(tx, [{ licenseKey: key, ...machine }])) changes.load(bound);
    await loadUsers(
      tx,
      [{ licenseKey: key, ...machine, user: machine.user, bindsMachine: true }],
      new Map([[key, changes]]),
    );
    const unseated = refusalForUser(changes, callOf(machine));
    if (unseated !== null) {
      await saveLicenses(tx, [changes.save()], now);
      return unseated;
    }
    const isFull = !changes.hasSlotFor(machine.fingerprint);
    if (isFull) await loadIdleMachine(tx, changes, now, ruleContext.believedTime);
    if (isFull && !changes.makeRoom(contextOf(origin))) {
      // A refusal is committed, and with it the release of lapsed sessions: their number on the license follows.
      await saveLicenses(tx, [changes.save()], now);
      return refuse('machine_limit', { details: { limit: slotLimit(locked) } });
    }
    bind(changes, machine, origin, ruleContext.settings);
  }
  // A file for any machine is a use of the license, too.
  changes.begin(contextOf(origin));
  const { license } = changes;
  const { licenseFiles } = ruleContext.settings;
  const period = periodOf(license, days === null ? null : days * DAY_MS, licenseFiles, now);
  if (machine !== null) changes.holdUntil(machine.fingerprint, expiryOf(period));
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
  // The actor is the operator or creator who makes the file, not an app.
  const entries = [...save.entries.map((entry) => ({ ...entry, origin })), issued];
  await saveLicenses(tx, [{ ...save, entries }], now);
  return { ...file, machinesUsed: slotsUsed(license), maxMachines: slotLimit(license) };
}

/** The end of a file as the machine stores it: the latest moment for one that never expires. */
function expiryOf({ expiresAt }: Period): string {
  return toTimestamp(expiresAt === null ? LATEST_MS : expiresAt * 1000);
}

/** Binds a machine, gives it a user or starts its session. Records no sign of life of one that needs none of it. */
function bind(changes: LicenseChanges, named: NamedMachine, origin: Origin, { floatingTimeoutMs }: FileSettings): void {
  const { fingerprint, hostname, user } = named;
  const bound = changes.machine(fingerprint);
  const machine = bound ?? newActivation(changes.license, fingerprint, hostname, mintId(), origin.now, user);
  const after = userAfter(machine, callOf(named));
  if (!changes.needsSlot(fingerprint) && after.userFolded === machine.userFolded) return;
  changes.keep({ ...machine, ...after }, contextOf(origin), floatingTimeoutMs);
}

function callOf({ fingerprint, user }: NamedMachine) {
  return { machineFingerprint: fingerprint, user };
}

/** The country would be that of the person who makes the file, not of the machine. */
function contextOf({ requestId, now }: Origin): RequestContext {
  return { requestId: requestId ?? '', now, country: null, address: null };
}
