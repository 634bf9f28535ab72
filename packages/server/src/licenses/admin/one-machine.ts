/** What the endpoints that take one machine's place away share: who is named, and what is answered. */
import Type from 'typebox';
import { toTimestamp } from '../../clock.ts';
import type { ReplyOf, Request } from '../../endpoint/endpoint.ts';
import { licenseKeyField } from '../../endpoint/field-types.ts';
import { isRefusal, type Refusal, type RefusalCode } from '../../refusals.ts';
import type { Tx } from '../../storage/storage.ts';
import type { Activation } from '../activation.ts';
import { listMachines } from '../activation-store.ts';
import { changeLicense, type LicenseDecision } from '../change.ts';
import { fingerprintField } from '../client/machine-fields.ts';
import { type License, slotLimit, slotsUsed } from '../license.ts';
import { listLicensesOf } from '../license-set-store.ts';
import { licenseSchema, licenseView } from '../views.ts';

/** One machine of a license. */
export const oneMachineFields = Type.Object({ licenseKey: licenseKeyField, machineFingerprint: fingerprintField });

/** The slots as /deactivate tells them, and the license as it is afterwards. */
export const oneMachineReply = Type.Object({
  success: Type.Literal(true),
  machinesUsed: Type.Integer({ description: 'Slots taken now.' }),
  maxMachines: Type.Integer({ description: 'Number of slots; -1 is unlimited.' }),
  license: licenseSchema,
});

/** Lets a pure rule decide on a license and one of its machines, and answers how many slots are taken then. */
export async function changeMachine<Code extends RefusalCode>(
  tx: Tx,
  { fields: { licenseKey, machineFingerprint: fingerprint }, scope, origin, now }: Request<OneMachine>,
  decide: (license: License, machine: Activation | undefined) => LicenseDecision | Refusal<Code>,
): Promise<ReplyOf<typeof oneMachineReply> | Refusal<Code | 'license_not_found'>> {
  const load = async (license: License) =>
    (await listMachines(tx, [{ licenseKey: license.licenseKey, fingerprint }]))[0];
  const changed = await changeLicense<Activation | undefined, Code>(tx, origin, { licenseKey, scope, load }, decide);
  if (isRefusal(changed)) return changed;
  // Read anew, because the kept count has sessions in it that lapsed and were not released yet.
  const [present] = await listLicensesOf(tx, [changed.licenseKey], toTimestamp(now));
  if (present === undefined) throw new Error('a license that is locked is gone');
  return {
    success: true,
    machinesUsed: slotsUsed(present.license),
    maxMachines: slotLimit(present.license),
    license: licenseView(changed, now),
  };
}

/** {@link oneMachineFields}, read. */
interface OneMachine {
  readonly licenseKey: string;
  readonly machineFingerprint: string;
}
