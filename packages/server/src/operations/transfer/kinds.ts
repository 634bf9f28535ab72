/** Every kind of line. */
import { codeRecords, productRecords, redemptionRecords, variantRecords } from './catalogue-records.ts';
import type { LineKind } from './format.ts';
import { licenseRecords, machineRecords, violationRecords } from './license-records.ts';
import { noteRecords } from './note-records.ts';
import { orderRecords } from './order-records.ts';
import type { RecordKind } from './record.ts';
import { soldUnitRecords } from './sold-unit-records.ts';
import { trialRecords } from './trial-records.ts';
import { usageRecords } from './usage-records.ts';
import { userRecords } from './user-records.ts';

// biome-ignore lint/suspicious/noExplicitAny: each kind is used with contents of its own making only
export const KINDS: Readonly<Record<LineKind, RecordKind<any>>> = {
  product: productRecords,
  variant: variantRecords,
  code: codeRecords,
  license: licenseRecords,
  soldUnit: soldUnitRecords,
  user: userRecords,
  usage: usageRecords,
  machine: machineRecords,
  violation: violationRecords,
  note: noteRecords,
  redemption: redemptionRecords,
  trial: trialRecords,
  order: orderRecords,
};
