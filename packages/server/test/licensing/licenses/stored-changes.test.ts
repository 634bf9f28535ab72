/** An acknowledged change is stored: a field that a write leaves out keeps its value, or the write fails. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DiscountCode } from '../../../src/commerce/discount-codes/discount-code.ts';
import { insertDiscountCode, updateDiscountCode } from '../../../src/commerce/discount-codes/store.ts';
import { toTimestamp } from '../../../src/ground/base/clock.ts';
import { changeLicense } from '../../../src/licensing/licenses/change.ts';
import { issueLicense } from '../../../src/licensing/licenses/issue.ts';
import { type License, USED_FIELDS } from '../../../src/licensing/licenses/license.ts';
import type { LicenseSave } from '../../../src/licensing/licenses/license-save.ts';
import {
  BEGUN_FIELDS,
  CHANGEABLE_FIELDS,
  EMAIL_FIELDS,
  LICENSE_FIELDS,
  type LicenseUpdate,
  type UpdateField,
  USE_FIELDS,
} from '../../../src/licensing/licenses/license-table.ts';
import { NO_TERMS } from '../../../src/licensing/licenses/own-terms.ts';
import { saveLicenses } from '../../../src/licensing/licenses/save.ts';
import { findLicense } from '../../../src/licensing/licenses/store.ts';
import type { Product } from '../../../src/licensing/products/product.ts';
import { insertProduct, updateProduct } from '../../../src/licensing/products/store.ts';
import { engines } from '../../support/databases.ts';
import { originAt } from '../../support/origin.ts';
import { startedStorage } from '../../support/storages.ts';
import { unrecorded } from '../../support/unrecorded.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const LATER = toTimestamp(NOW + 1000);
const ORIGIN = originAt(NOW);
const EVERYBODY = { creatorId: null };

/** Another value for each field that a change may write. The compiler asks for each new field. */
const UPDATE: Required<Pick<LicenseUpdate, UpdateField>> = {
  variant: 'studio',
  licenseType: 'floating',
  revocation: 'fraud',
  maxMachines: 7,
  maxConcurrent: 3,
  expiresAt: LATER,
  graceDays: 3,
  updatesUntil: LATER,
  terms: { ...NO_TERMS, maxVersion: '2', features: { export: true } },
  metadata: { crm: 'A-1' },
  unlockedProducts: ['brush'],
  threatLevel: 4,
  disputeReason: 'refund',
  replacedBy: 'OTHER-LICENSE',
  machinesUsed: 1,
  sessionsHeld: 1,
  attempts: [NOW],
  countriesSeen: { DE: LATER },
};

/** The kinds of write of a license's row, with the fields that each of them knows and writes. */
const WRITES = {
  changed: { known: LICENSE_FIELDS, written: CHANGEABLE_FIELDS },
  used: { known: USED_FIELDS, written: USE_FIELDS },
  begun: { known: USED_FIELDS, written: BEGUN_FIELDS },
  readdressed: { known: LICENSE_FIELDS, written: EMAIL_FIELDS },
} as const;

for (const engine of engines)
  describe(`a change on ${engine}`, () => {
    const storage = startedStorage(engine);

    const issued = (): Promise<License> =>
      storage.transaction((tx) =>
        issueLicense(tx, { email: 'ada@example.com', productId: 'app', expiresAt: null }, ORIGIN),
      );
    const stored = ({ licenseKey }: License) => storage.read((sql) => findLicense(sql, licenseKey, EVERYBODY));

    it('of a license stores each field that it may change', async () => {
      const license = await issued();
      const changed = await storage.transaction((tx) =>
        changeLicense(tx, ORIGIN, { licenseKey: license.licenseKey, scope: EVERYBODY }, () => ({
          type: 'license.updated',
          update: UPDATE,
        })),
      );
      const { eventCount: _, lastEventId: __, ...fields } = (await stored(license)) as License;
      assert.deepEqual(
        { ...fields, eventCount: 0, lastEventId: null },
        { ...changed, eventCount: 0, lastEventId: null },
      );
      for (const [field, value] of Object.entries(UPDATE)) assert.deepEqual(fields[field as never], value, field);
    });

    it('of a license fails if it would lose the new value of a field, and changes nothing', async () => {
      const license = await issued();
      const present = await stored(license);
      for (const [kind, { known, written }] of Object.entries(WRITES)) {
        const lost = (known as readonly string[]).filter(
          (field) => field !== 'variantTerms' && !(written as readonly string[]).includes(field),
        );
        assert.ok(lost.length > 0, kind);
        for (const field of lost) {
          const save = { kind, before: present, license: { ...present, [field]: 'another' }, entries: [] };
          await assert.rejects(
            storage.transaction((tx) => saveLicenses(tx, [save as unknown as LicenseSave], NOW)),
            { message: `a change of license would lose its new ${field}` },
          );
        }
      }
      await assert.rejects(
        storage.transaction((tx) =>
          changeLicense(tx, ORIGIN, { licenseKey: license.licenseKey, scope: EVERYBODY }, () => ({
            type: 'license.updated',
            update: { maxMachines: 9, purchaseId: 'another' } as unknown as LicenseUpdate,
          })),
        ),
        { message: 'a change of license would lose its new purchaseId' },
      );
      assert.deepEqual(await stored(license), present);
    });

    it('of a product or a discount code fails if it would lose the new value of a field', async () => {
      const at = toTimestamp(NOW);
      const product: Product = {
        productId: 'app',
        name: 'App',
        creatorId: 'ada',
        status: 'live',
        createdAt: at,
        updatedAt: at,
      };
      const code: DiscountCode = {
        code: 'SPRING',
        productId: null,
        creatorId: 'ada',
        trialDays: 14,
        maxUses: null,
        usedCount: 0,
        active: true,
        createdAt: at,
        expiresAt: null,
      };
      await storage.transaction((tx) => insertProduct(unrecorded(tx), product));
      await storage.transaction((tx) => insertDiscountCode(unrecorded(tx), code));
      await assert.rejects(
        storage.transaction((tx) => updateProduct(unrecorded(tx), product, { ...product, createdAt: LATER })),
        { message: 'a change of product would lose its new createdAt' },
      );
      await assert.rejects(
        storage.transaction((tx) => updateDiscountCode(unrecorded(tx), code, { ...code, trialDays: 30 })),
        { message: 'a change of discount code would lose its new trialDays' },
      );
    });
  });
