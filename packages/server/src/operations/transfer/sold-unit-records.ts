/** Lines of orders, copies and subscriptions of licenses as lines of a file. */
import Type from 'typebox';
import { MAX_QUANTITY } from '../../commerce/storefront/event.ts';
import {
  insertSoldUnits,
  listUnitsOf,
  listUnitsOfFirsts,
  type SoldUnit,
  soldUnitTable,
} from '../../commerce/storefront/sold-unit-store.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import { licenseKeyField, nullable, text, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { licensesThere, NO_LICENSE } from './license-records.ts';
import { fromTable, type RecordKind } from './record.ts';

/** A unit as its line states it. */
export type SoldUnitContent = Omit<SoldUnit, 'productId' | 'purchaseId'>;

const OF_LICENSE = 'on the line of the license';
const TAKEN_UNIT = 'the unit of its line belongs to another license';

const placeOf = ({ firstKey, unit }: Pick<SoldUnit, 'firstKey' | 'unit'>) => JSON.stringify([firstKey, unit]);

export const soldUnitRecords: RecordKind<SoldUnitContent> = {
  ...fromTable(
    soldUnitTable,
    Type.Object({
      licenseKey: licenseKeyField,
      firstKey: licenseKeyField,
      unit: Type.Optional(wholeNumber('From 1 within its line.', 1, MAX_QUANTITY)),
      quantity: Type.Optional(wholeNumber('Copies that the license stands for.', 1, MAX_QUANTITY)),
      lineId: Type.Optional(nullable(text('The line of the order.'))),
      subscriptionId: Type.Optional(nullable(text('The subscription that pays for it.'))),
    }),
    { productId: OF_LICENSE, purchaseId: OF_LICENSE },
  ),
  missing: 'lacks licenseKey or firstKey',
  content(fields) {
    const given = fields as Pick<SoldUnit, 'licenseKey' | 'firstKey'> & Partial<SoldUnitContent>;
    const licenseKey = storedLicenseKey(given.licenseKey);
    const firstKey = storedLicenseKey(given.firstKey);
    const content = { unit: 1, quantity: 1, lineId: null, subscriptionId: null, ...given, licenseKey, firstKey };
    if ((content.unit === 1) !== (licenseKey === firstKey))
      return { fault: 'firstKey must be the licenseKey of unit 1, and of no other unit' };
    return { id: licenseKey, content };
  },
  async loadExisting(sql, tx, given, planned) {
    const isThere = await licensesThere(sql, tx, given, planned);
    const known = await listUnitsOf(
      sql,
      given.map(({ licenseKey }) => licenseKey),
    );
    const beside = await listUnitsOfFirsts(
      sql,
      given.map(({ firstKey }) => firstKey),
    );
    const taken = new Set(beside.map(placeOf));
    return {
      present: new Map(known.map((unit) => [unit.licenseKey, unit])),
      refusal(unit) {
        if (!isThere(unit.licenseKey)) return NO_LICENSE;
        return taken.has(placeOf(unit)) ? TAKEN_UNIT : null;
      },
    };
  },
  claims: { keysOf: (unit) => [placeOf(unit)], taken: TAKEN_UNIT },
  async add(tx, units) {
    const licenses = await listWholeLicenses(
      tx,
      units.map(({ licenseKey }) => licenseKey),
    );
    const known = new Map(licenses.map((license) => [license.licenseKey, license]));
    await insertSoldUnits(
      tx,
      units.map((unit) => {
        const { productId, purchaseId } = known.get(unit.licenseKey)!;
        return { ...unit, productId, purchaseId };
      }),
    );
  },
};
