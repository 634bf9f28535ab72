/** The usage of meters as lines of an export. */
import Type from 'typebox';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { listMeterUses, type MeterUse, meterUseTable, saveMeterUses } from '../../licensing/meters/store.ts';
import { flag, licenseKeyField, text, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { licensesThere, NO_LICENSE } from './license-records.ts';
import { fromTable, type RecordKind } from './record.ts';

/** The use of a meter as its line states it. */
export type UsageContent = Omit<MeterUse, 'requests'>;

const usageKey = ({ licenseKey, meter }: UsageContent) => JSON.stringify([licenseKey, meter]);

/** A day, month or year, the end of a term, or the empty text without a period. */
const PERIOD = '^(\\d{4}(-\\d\\d(-\\d\\d)?)?|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)?$';

export const usageRecords: RecordKind<UsageContent> = {
  ...fromTable(
    meterUseTable,
    Type.Object({
      licenseKey: licenseKeyField,
      meter: text('Name of the meter.', 40),
      period: Type.Optional(
        Type.String({
          description: 'The day, month or year of the use, or the end of its term; empty without a period.',
          pattern: PERIOD,
          errorText: 'must be a day, month, year or timestamp, or empty',
        }),
      ),
      used: wholeNumber('Units used in the period.', 0, Number.MAX_SAFE_INTEGER),
      isLimitReached: Type.Optional(flag('Whether the reached limit was recorded in the period.')),
    }),
    { requests: 'requests to the service of the last two days are not exported' },
  ),
  missing: 'lacks licenseKey, meter or used',
  content(fields) {
    const given = fields as Pick<MeterUse, 'licenseKey' | 'meter' | 'used'> & Partial<UsageContent>;
    const content = {
      period: '',
      isLimitReached: false,
      ...given,
      licenseKey: storedLicenseKey(given.licenseKey),
    };
    return { id: usageKey(content), content };
  },
  async loadExisting(sql, tx, given, planned) {
    const known = await listMeterUses(
      sql,
      given.map(({ licenseKey }) => licenseKey),
    );
    const isThere = await licensesThere(sql, tx, given, planned);
    return {
      present: new Map(known.map((use) => [usageKey(use), use])),
      refusal: ({ licenseKey }) => (isThere(licenseKey) ? null : NO_LICENSE),
    };
  },
  add: (tx, uses) =>
    saveMeterUses(
      tx,
      uses.map((use) => ({ ...use, requests: 0 })),
      [],
    ),
};
