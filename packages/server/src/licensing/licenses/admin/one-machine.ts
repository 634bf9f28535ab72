/** Shared parts of the endpoints that release one machine's slot: request fields and reply. */
import Type, { type Static } from 'typebox';
import { toTimestamp } from '../../../ground/base/clock.ts';
import type { ReplyOf, Request } from '../../../platform/endpoint/endpoint.ts';
import { licenseKeyField, success } from '../../../platform/endpoint/field-types.ts';
import { isRefusal, type Refusal, type RefusalCode } from '../../../platform/endpoint/refusals.ts';
import type { Tx } from '../../../storage/contract/storage.ts';
import type { Activation } from '../../machines/activation.ts';
import { listMachines } from '../../machines/activation-store.ts';
import { fingerprintField } from '../../machines/machine-fields.ts';
import { changeLicense, type LicenseDecision } from '../change.ts';
import { type License, slotLimit, slotsUsed } from '../license.ts';
import { listLicensesOf } from '../license-set-store.ts';
import { licenseSchema, licenseView } from '../views.ts';

/** One machine of a license. */
export const oneMachineFields = Type.Object({ licenseKey: licenseKeyField, machineFingerprint: fingerprintField });

/** The slots as /deactivate reports them, and the license after the change. */
export const oneMachineReply = success({
  machinesUsed: Type.Integer({ description: 'Slots taken now.' }),
  maxMachines: Type.Integer({ description: 'Number of slots; -1 is unlimited.' }),
  license: licenseSchema,
});

/** Applies a pure rule to a license and one of its machines, and replies with the number of slots taken afterwards. */
export async function changeMachine<Code extends RefusalCode>(
  tx: Tx,
  {
    fields: { licenseKey, machineFingerprint: fingerprint },
    scope,
    origin,
    now,
  }: Request<Static<typeof oneMachineFields>>,
  decide: (license: License, machine: Activation | undefined) => LicenseDecision | Refusal<Code>,
): Promise<ReplyOf<typeof oneMachineReply> | Refusal<Code | 'license_not_found'>> {
  const load = async (license: License) =>
    (await listMachines(tx, [{ licenseKey: license.licenseKey, fingerprint }]))[0];
  const changed = await changeLicense<Activation | undefined, Code>(tx, origin, { licenseKey, scope, load }, decide);
  if (isRefusal(changed)) return changed;
  // Read again, because the stored count includes lapsed sessions that have not been released.
  const [present] = await listLicensesOf(tx, [changed.licenseKey], toTimestamp(now));
  if (present === undefined) throw new Error('a license that is locked is gone');
  return {
    success: true,
    machinesUsed: slotsUsed(present),
    maxMachines: slotLimit(present),
    license: licenseView(changed, now),
  };
}
