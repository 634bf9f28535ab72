/** Trials without a key as lines. */
import Type from 'typebox';
import { findTrial, insertTrials, trialTable } from '../../commerce/trials/store.ts';
import type { Trial } from '../../commerce/trials/trial.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { licenseKeyField, nullable, productIdField, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { licensesThere, NO_LICENSE } from './license-records.ts';
import { fromTable, type RecordKind } from './record.ts';

const trialKey = ({ productId, machineHash }: Trial) => JSON.stringify([productId, machineHash]);

export const trialRecords: RecordKind<Trial> = {
  ...fromTable(
    trialTable,
    Type.Object({
      productId: productIdField,
      machineHash: text('SHA-256 of the product and the fingerprint of the machine.', 64),
      licenseKey: licenseKeyField,
      startedAt: timestamp('When it began.'),
      paidAt: Type.Optional(nullable(timestamp('When its machine was found with a paid license.'))),
    }),
    {},
  ),
  missing: 'lacks productId, machineHash, licenseKey or startedAt',
  content(fields) {
    const given = fields as unknown as Omit<Trial, 'paidAt'> & Partial<Trial>;
    const content = { paidAt: null, ...given, licenseKey: storedLicenseKey(given.licenseKey) };
    return { id: trialKey(content), content };
  },
  async loadExisting(sql, tx, given, planned) {
    const present = new Map<string, Trial>();
    for (const content of given) {
      const known = await findTrial(sql, content);
      if (known !== undefined) present.set(trialKey(content), known);
    }
    const isThere = await licensesThere(sql, tx, given, planned);
    return { present, refusal: ({ licenseKey }) => (isThere(licenseKey) ? null : NO_LICENSE) };
  },
  add: (tx, trials) => insertTrials(tx, trials),
};
