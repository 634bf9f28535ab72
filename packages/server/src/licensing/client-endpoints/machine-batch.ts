/**
 * The batch of /activate, /validate, /deactivate and /heartbeat: one transaction decides all waiting calls. It locks
 * their licenses, loads their machines, runs each endpoint's pure rule in order of arrival, and saves the changes. It
 * takes a handful of statements for any number of calls. No two batches decide on one license at the same time, which
 * makes limits exact.
 */
import { toTimestamp } from '../../ground/base/clock.ts';
import {
  type Answer,
  type BatchCall,
  type BatchedWork,
  type BatchResult,
  CallFailure,
  type Reply,
  type RequestContext,
  type WriteBatch,
} from '../../platform/endpoint/endpoint.ts';
import { type Refusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { storedLicenseKey } from '../licenses/license.ts';
import type { LicenseSave } from '../licenses/license-save.ts';
import { lockLicenses } from '../licenses/license-set-store.ts';
import { saveLicenses } from '../licenses/save.ts';
import { listWholeLicenses } from '../licenses/store.ts';
import { type CollectedViolations, collectViolations } from '../licenses/violation-record.ts';
import { listMachines, type MachineOfLicense, releaseLapsedSessions } from '../machines/activation-store.ts';
import type { SessionFields } from '../machines/machine-fields.ts';
import { metricsOf, type ObservedPath } from '../observed-calls/metrics.ts';
import type { ViolationTally } from '../violations/violation-tally.ts';
import { loadIdleMachines } from './idle-machines.ts';
import { LicenseChanges } from './license-changes.ts';
import { loadMeters, type MeterCall, saveMeters } from './meter-changes.ts';
import { followReplacements } from './moved-calls.ts';
import { type NotedCall, noteResult } from './note-result.ts';
import { loadUsers, saveUsers } from './user-changes.ts';

/** The fields that every endpoint of this batch has. */
interface MachineFields {
  readonly licenseKey: string;
  readonly machineFingerprint: string;
  readonly token?: string;
  readonly hostname?: string;
  readonly productId?: string;
  readonly meter?: string;
  readonly requestId?: string | undefined;
  readonly user?: string | undefined;
  readonly acceptsReplacement?: boolean | undefined;
}

/** An endpoint's rule: an ordered list of checks; the first refusal wins. */
export type DecideOnMachine<Fields, Result, Code extends RefusalCode> = (
  changes: LicenseChanges,
  fields: Fields,
  requestContext: RequestContext,
  ruleContext: RuleContext,
) => Answer<Result, Code>;

interface MachineCall<Result = Reply, Code extends RefusalCode = RefusalCode>
  extends BatchCall<Result, Code>,
    NotedCall {
  readonly requestContext: RequestContext;
  readonly fingerprint: string;
  readonly token: string | undefined;
  readonly hostname: string | undefined;
  readonly bindsMachine: boolean;
  readonly acceptsReplacement: boolean;
  /** As the app named the user. */
  readonly user: string | undefined;
  /** The request of a meter; undefined for other calls. */
  readonly metered: MeterCall | undefined;
  readonly decide: (changes: LicenseChanges, ruleContext: RuleContext) => Answer<Result, Code>;
}

const machineBatch: WriteBatch<MachineCall> = {
  name: 'machine',
  mode: 'write',
  async run(tx, received, ruleContext) {
    const now = Math.max(...received.map((call) => call.requestContext.now));
    const tokens = received.flatMap(({ token }) => token ?? []);
    await ruleContext.tokenKeys.refresh(tx, tokens, now);
    const changes = await load(tx, received, now, ruleContext);
    const isReplaced = ({ acceptsReplacement, licenseKey }: MachineCall) =>
      acceptsReplacement && changes.get(licenseKey)?.license.revocation === 'replaced';
    const calls = received.some(isReplaced) ? await followed(tx, received, changes, now, ruleContext) : received;
    await loadIdleMachines(tx, calls, changes, now, ruleContext.believedTime);
    await loadMeters(tx, calls, changes);
    await loadUsers(tx, calls, changes);
    const results = decideAll(calls, changes, ruleContext);
    const saves = await savesOf(tx, [...changes.values()], ruleContext.violationTally, now);
    await saveMeters(tx, changes.values());
    await saveUsers(tx, changes.values());
    await saveLicenses(tx, saves, now, { isLast: true });
    tx.afterwards((isCommitted) => isCommitted && note(ruleContext, calls, results, changes));
    return results;
  },
};

/** The calls as they are decided; loads the licenses and machines of those that follow their license to another key. */
async function followed(
  tx: Tx,
  received: readonly MachineCall[],
  changes: Map<string, LicenseChanges>,
  now: number,
  ruleContext: RuleContext,
): Promise<readonly MachineCall[]> {
  const licenseOf = (licenseKey: string) => changes.get(licenseKey)?.license;
  const calls = await followReplacements(tx, received, licenseOf, ruleContext.tokenKeys);
  if (calls === received) return calls;
  const moved = calls.filter((call, index) => call !== received[index]);
  const unlocked = moved.filter(({ licenseKey }) => !changes.has(licenseKey));
  if (unlocked.length > 0)
    for (const [licenseKey, loaded] of await load(tx, unlocked, now, ruleContext)) changes.set(licenseKey, loaded);
  for (const machine of await listMachines(tx, moved)) {
    const license = changes.get(machine.licenseKey);
    if (license?.machine(machine.fingerprint) === undefined) license?.load(machine);
  }
  return calls;
}

/**
 * Runs the rule of each call in order of arrival. If one throws because the row of its license is damaged, every call
 * on that license in this batch fails with the error and changes nothing; calls on other licenses are decided as usual.
 */
function decideAll(
  calls: readonly MachineCall[],
  licenses: Map<string, LicenseChanges>,
  ruleContext: RuleContext,
): BatchResult[] {
  const failures = new Map<string, CallFailure>();
  const results = calls.map(({ licenseKey, decide }): BatchResult => {
    const license = licenses.get(licenseKey);
    if (license === undefined) return refuse('license_not_found');
    try {
      return decide(license, ruleContext);
    } catch (error) {
      const failure = new CallFailure(error);
      failures.set(licenseKey, failure);
      return failure;
    }
  });
  if (failures.size === 0) return results;
  for (const licenseKey of failures.keys()) licenses.set(licenseKey, licenses.get(licenseKey)!.undone());
  return results.map((result, index) => failures.get(calls[index]!.licenseKey) ?? result);
}

/** Reports the results of calls after their commit. */
function note(
  ruleContext: RuleContext,
  calls: readonly MachineCall[],
  results: readonly BatchResult[],
  licenses: ReadonlyMap<string, LicenseChanges>,
): void {
  const hostnameOf = ({ licenseKey, fingerprint, hostname }: MachineCall) =>
    hostname ?? licenses.get(licenseKey)?.machine(fingerprint)?.hostname ?? null;
  for (const [index, call] of calls.entries()) {
    const result = results[index]!;
    if (!(result instanceof CallFailure))
      noteResult(ruleContext, call, licenses.get(call.licenseKey)?.license, result, hostnameOf);
  }
  const { observedCalls } = ruleContext;
  for (const { license, machinesOfDay, countriesMet } of licenses.values()) {
    for (const { country, now } of machinesOfDay) observedCalls.noteMachineOfDay(license.productId, country, now);
    for (const country of countriesMet) observedCalls.sightings.note(country, license.licenseKey);
  }
}

/** Connects an endpoint's rule to this batch. */
export function decidedOnMachine<Fields extends MachineFields, Result extends Reply, Code extends RefusalCode>(
  endpoint: ObservedPath,
  rule: DecideOnMachine<Fields, Result, Code>,
): BatchedWork<Fields, Result, Code> {
  const metrics = metricsOf(endpoint);
  return {
    kind: 'batch',
    batch: machineBatch,
    bind: (fields, requestContext): MachineCall<Result, Code> => ({
      metrics,
      licenseKey: storedLicenseKey(fields.licenseKey),
      fingerprint: fields.machineFingerprint,
      token: fields.token,
      hostname: fields.hostname,
      bindsMachine: endpoint === '/activate',
      acceptsReplacement: fields.acceptsReplacement === true,
      user: fields.user,
      productId: fields.productId ?? null,
      metered: fields.meter === undefined ? undefined : { requestId: fields.requestId },
      requestContext,
      decide: (changes, ruleContext) => rule(changes, fields, requestContext, ruleContext),
    }),
  };
}

/**
 * Decides one call outside the batch, with the same loading and saving.
 *
 * @param decide called under the license's lock, if a license has this key
 */
export async function decideOnOneMachine<Result extends object, Code extends RefusalCode>(
  tx: Tx,
  { licenseKey: given, machineFingerprint: fingerprint, token }: Omit<SessionFields, 'token'> & Partial<SessionFields>,
  { now, ruleContext }: { readonly now: number; readonly ruleContext: RuleContext },
  decide: (changes: LicenseChanges) => Promise<Result | Refusal<Code>>,
): Promise<Result | Refusal<Code | 'license_not_found'>> {
  const licenseKey = storedLicenseKey(given);
  await ruleContext.tokenKeys.refresh(tx, token === undefined ? [] : [token], now);
  const changes = (await load(tx, [{ licenseKey, fingerprint }], now, ruleContext)).get(licenseKey);
  if (changes === undefined) return refuse('license_not_found');
  const result = await decide(changes);
  await saveLicenses(tx, await savesOf(tx, [changes], ruleContext.violationTally, now), now);
  return result;
}

/**
 * Loads a license and the machine of a call without a lock, for calls that may need no change. Lapsed sessions may
 * still be present.
 *
 * @returns undefined when no license has this key
 */
export async function lookAtOneMachine(
  tx: Tx,
  { licenseKey: given, machineFingerprint: fingerprint, token }: SessionFields,
  { now, ruleContext }: { readonly now: number; readonly ruleContext: RuleContext },
): Promise<LicenseChanges | undefined> {
  const licenseKey = storedLicenseKey(given);
  await ruleContext.tokenKeys.refresh(tx, [token], now);
  const [[license], machines] = await Promise.all([
    listWholeLicenses(tx, [licenseKey]),
    listMachines(tx, [{ licenseKey, fingerprint }]),
  ]);
  if (license === undefined) return undefined;
  const changes = new LicenseChanges(license, 0);
  for (const machine of machines) changes.load(machine);
  return changes;
}

/**
 * Locks the licenses, releases lapsed sessions, and reads the machines: three statements sent together. The database
 * runs them in order, so the machines are read after their licenses are locked.
 */
async function load(
  tx: Tx,
  calls: readonly MachineOfLicense[],
  now: number,
  { believedTime }: Pick<RuleContext, 'believedTime'>,
): Promise<Map<string, LicenseChanges>> {
  const sessionNow = believedTime.sessionNow(now);
  const licenseKeys = [...new Set(calls.map(({ licenseKey }) => licenseKey))];
  const [licenses, released, activations] = await Promise.all([
    lockLicenses(tx, licenseKeys),
    releaseLapsedSessions(tx, licenseKeys, toTimestamp(sessionNow)),
    // A machine that several calls concern is read once per call, which is cheaper than removing duplicates.
    listMachines(tx, calls),
  ]);
  const changes = new Map(
    licenses.map((each) => [
      each.licenseKey,
      new LicenseChanges(each, released.get(each.licenseKey) ?? 0, believedTime),
    ]),
  );
  for (const activation of activations) changes.get(activation.licenseKey)?.load(activation);
  return changes;
}

/** The writes of decided licenses, with the violations collected from their observations. */
async function savesOf(
  tx: Tx,
  changes: readonly LicenseChanges[],
  tally: ViolationTally,
  now: number,
): Promise<LicenseSave[]> {
  const observed = changes.filter((each) => each.observations.length > 0);
  const collected = observed.length > 0 ? await collectViolations(tx, observed, tally, now) : NOTHING_COLLECTED;
  return changes.map((each) => each.save(collected.get(each.license.licenseKey))).filter(isWorthSaving);
}

const NOTHING_COLLECTED: ReadonlyMap<string, CollectedViolations> = new Map();

function isWorthSaving({ kind, machines, repeated = [], entries }: LicenseSave): boolean {
  return kind !== 'unchanged' || machines !== undefined || repeated.length > 0 || entries.length > 0;
}
