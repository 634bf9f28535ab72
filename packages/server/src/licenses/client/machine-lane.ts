/**
 * The way of /activate, /validate, /deactivate and /heartbeat: all calls that wait are decided in one transaction. Lock
 * their licenses, load their machines, let each endpoint's pure rule decide in the order the calls came, write what
 * changed. A handful of statements however many calls there are, and no two batches ever decide on one license at once,
 * which is what makes limits exact.
 */

import { toTimestamp } from '../../clock.ts';
import type { Circumstances, Lane, LaneCall, Reply, Work } from '../../endpoint/endpoint.ts';
import { type Refusal, refuse } from '../../refusals.ts';
import type { Service } from '../../service.ts';
import type { Tx } from '../../storage/storage.ts';
import {
  deleteMachines,
  insertMachines,
  listMachines,
  releaseLapsedSessions,
  touchMachines,
  updateMachines,
} from '../activation-store.ts';
import { canonicalLicenseKey } from '../license.ts';
import { lockLicenses, updateLicenseUse } from '../license-set-store.ts';
import { gather, type Violation } from '../violation.ts';
import { listGatheringViolations, saveViolations } from '../violation-store.ts';
import { LicenseInUse } from './license-in-use.ts';

/** The fields that every endpoint of this lane has. */
interface MachineFields {
  readonly licenseKey: string;
  readonly machineFingerprint: string;
  readonly token?: string;
}

/** An endpoint's rule: an ordered list of questions, the first refusal wins. */
export type DecideOnMachine<Fields> = (
  inUse: LicenseInUse,
  fields: Fields,
  circumstances: Circumstances,
  service: Service,
) => Reply | Refusal;

const machineLane: Lane = {
  name: 'machine',
  mode: 'write',
  async run(tx, laneCalls, service) {
    const calls = laneCalls.map(toMachineCall);
    const now = Math.max(...calls.map((call) => call.circumstances.now));
    const tokens = calls.flatMap(({ fields }) => fields.token ?? []);
    await service.tokenKeys.refresh(tx, tokens, now);
    const inUse = await load(tx, calls, now);
    const results = calls.map((call) => {
      const license = inUse.get(call.licenseKey);
      return license === undefined
        ? refuse('license_not_found')
        : call.decide(license, call.fields, call.circumstances, service);
    });
    await save(tx, [...inUse.values()], now);
    return results;
  },
};

/** Ties an endpoint's rule to this lane. */
export function decidedOnMachine<Fields extends MachineFields>(decide: DecideOnMachine<Fields>): Work<Fields> {
  return { kind: 'lane', lane: machineLane, decide };
}

interface MachineCall {
  readonly licenseKey: string;
  readonly fields: MachineFields;
  readonly circumstances: Circumstances;
  readonly decide: DecideOnMachine<MachineFields>;
}

function toMachineCall({ fields, circumstances, decide }: LaneCall): MachineCall {
  const machineFields = fields as unknown as MachineFields;
  return {
    licenseKey: canonicalLicenseKey(machineFields.licenseKey),
    fields: machineFields,
    circumstances,
    decide: decide as DecideOnMachine<MachineFields>,
  };
}

/**
 * Locks the licenses, releases what lapsed, and reads the machines: three statements that travel together, and that the
 * database runs one after the other, so the machines are read when their licenses are locked.
 */
async function load(tx: Tx, calls: readonly MachineCall[], now: number): Promise<Map<string, LicenseInUse>> {
  const licenseKeys = [...new Set(calls.map((call) => call.licenseKey))];
  const machines = new Map<string, { licenseKey: string; fingerprint: string }>();
  for (const { licenseKey, fields } of calls) {
    const fingerprint = fields.machineFingerprint;
    machines.set(`${licenseKey} ${fingerprint}`, { licenseKey, fingerprint });
  }
  const [licenses, released, activations] = await Promise.all([
    lockLicenses(tx, licenseKeys),
    releaseLapsedSessions(tx, licenseKeys, toTimestamp(now)),
    listMachines(tx, [...machines.values()]),
  ]);
  const inUse = new Map(
    licenses.map((each) => [each.licenseKey, new LicenseInUse(each, released.get(each.licenseKey) ?? 0)]),
  );
  for (const activation of activations) inUse.get(activation.licenseKey)?.load(activation);
  return inUse;
}

async function save(tx: Tx, inUse: readonly LicenseInUse[], now: number): Promise<void> {
  const observant = inUse.filter((each) => each.observations.length > 0);
  if (observant.length > 0) await saveObservations(tx, observant, now);
  const changes = inUse.map((each) => each.changes());
  const inserted = changes.flatMap((change) => change.inserted);
  const touched = changes.flatMap((change) => change.touched);
  const updated = changes.flatMap((change) => change.updated);
  const deleted = changes.flatMap((change) => change.deleted);
  const changed = inUse.filter((each) => each.isChanged);
  // A machine unbound and bound anew is deleted first; statements that travel together keep their order.
  const writes: Promise<void>[] = [];
  if (deleted.length > 0) writes.push(deleteMachines(tx, deleted));
  if (touched.length > 0) writes.push(touchMachines(tx, touched));
  if (updated.length > 0) writes.push(updateMachines(tx, updated));
  if (inserted.length > 0) writes.push(insertMachines(tx, inserted));
  if (changed.length > 0)
    writes.push(
      updateLicenseUse(
        tx,
        changed.map(({ license }) => license),
      ),
    );
  await Promise.all(writes);
  for (const each of inUse) if (each.isCountChanged) tx.announce(each.license.licenseKey);
}

async function saveObservations(tx: Tx, inUse: readonly LicenseInUse[], now: number): Promise<void> {
  const licenseKeys = inUse.map((each) => each.license.licenseKey);
  const open = new Map<string, Violation>();
  for (const violation of await listGatheringViolations(tx, licenseKeys))
    open.set(`${violation.licenseKey} ${violation.type}`, violation);
  const seen = new Map<string, Violation>();
  for (const each of inUse) {
    const { licenseKey } = each.license;
    for (const observation of each.observations) {
      const place = `${licenseKey} ${observation.type}`;
      const violation = gather(open.get(place), observation, licenseKey, now);
      open.set(place, violation);
      seen.set(place, violation);
      each.raiseThreat(violation.severity);
    }
  }
  await saveViolations(tx, [...seen.values()]);
}
