/** The pure rules of the forms for terms: features as lines, and the requests made from the forms. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { undoOfUpdate } from '../../src/actions/undo.ts';
import type { License, Variant } from '../../src/api/contract.ts';
import { featuresOf, licenseTermsFormOf, licenseTermsRequest } from '../../src/licenses/license-terms.ts';
import { endText } from '../../src/licenses/words.ts';
import { NO_TERMS, termFaultsOf, termsFormOf, termsRequest, termTexts } from '../../src/products/variant-terms.ts';
import { featuresIn, linesOf, ownFeaturesIn } from '../../src/sentences/features.ts';
import { valueText } from '../../src/sentences/fields.ts';
import { waitingUpdates } from '../../src/sentences/waiting.ts';

const VARIANT: Variant = {
  variantId: 'app-pro',
  productId: 'app',
  name: 'pro',
  licenseType: 'per-machine',
  maxMachines: 3,
  maxConcurrent: null,
  defaultTrialDays: null,
  durationDays: 365,
  price: null,
  active: true,
  features: { export: true, layers: 10, tier: 'pro' },
  graceDays: 7,
};

const LICENSE = {
  key: 'AAAAA',
  email: 'ada@example.com',
  variant: 'pro',
  unlockedProducts: [],
  expiresAt: '2027-01-01T00:00:00.000Z',
  graceDays: 7,
  updatesUntil: '2027-05-31T23:59:59.999Z',
  features: { export: true, layers: 20, batch: true, tier: 'pro' },
  ownFeatures: { layers: 20, print: null, batch: { value: true, until: '2027-02-01T00:00:00.000Z' }, tier: 'pro' },
} as unknown as License;

describe('features as lines', () => {
  it('come back as they were, whatever their values', () => {
    for (const features of [
      { export: true, print: false, layers: -10, 'a.b_c-d': 'pro' },
      { tier: '10', other: 'yes', third: 'none', fourth: 'now until 2027' },
    ]) {
      assert.deepEqual(featuresIn(linesOf(features)), features);
      assert.deepEqual(ownFeaturesIn(linesOf(features)), features);
    }
    const own = { layers: { value: 20, until: '2027-01-31T23:59:59.999Z' }, print: null, tier: 'x' };
    assert.deepEqual(ownFeaturesIn(linesOf(own)), own);
    assert.equal(linesOf(null), '');
  });

  it('may have spaces and empty lines, and are none without a line', () => {
    assert.deepEqual(featuresIn('\n  export=yes \n\n layers  =  10\n'), { export: true, layers: 10 });
    for (const text of ['', '  \n ']) assert.equal(featuresIn(text), null);
  });

  it('are not understood without a value, with another name, or with a name twice', () => {
    for (const text of ['export', 'export =', 'Export = yes', '= yes', 'a = 1\na = 2', '__proto__ = 1'])
      assert.equal(featuresIn(text), undefined, text);
  });
});

describe('the terms of a variant', () => {
  it('change alone, and a duration in months takes the place of days', () => {
    const form = termsFormOf(VARIANT);
    assert.equal(termsRequest(VARIANT, form), null);
    assert.deepEqual(termsRequest(VARIANT, { ...form, durationMonths: '12', graceDays: '' }), {
      variantId: 'app-pro',
      productId: 'app',
      ...{ durationMonths: 12, wasDurationMonths: null, durationDays: null, wasDurationDays: 365 },
      ...{ graceDays: null, wasGraceDays: 7 },
    });
    assert.deepEqual(termsRequest(VARIANT, { ...form, unlockedProducts: 'one, two  three', features: '' }), {
      variantId: 'app-pro',
      productId: 'app',
      ...{ unlockedProducts: ['one', 'two', 'three'], wasUnlockedProducts: null },
      ...{ features: null, wasFeatures: VARIANT.features },
    });
  });

  it('say whether the time of a license begins with its first activation', () => {
    const form = { ...termsFormOf(VARIANT), durationStarts: 'activation' } as const;
    const changed = { variantId: 'app-pro', productId: 'app', durationStarts: 'activation' } as const;
    assert.deepEqual(termsRequest(VARIANT, form), { ...changed, wasDurationStarts: null });
    const later = { ...VARIANT, durationStarts: 'activation' } as const;
    assert.deepEqual(termsFormOf(later), form);
    const back = { ...changed, durationStarts: null, wasDurationStarts: 'activation' };
    assert.deepEqual(termsRequest(later, termsFormOf(VARIANT)), back);
    assert.deepEqual(termTexts(later)[0], ['Time begins', 'With the first activation']);
  });

  it('name their faults', () => {
    assert.deepEqual([...termFaultsOf({ ...NO_TERMS, graceDays: '0', features: 'x' })], ['graceDays', 'features']);
    assert.equal(termsRequest(VARIANT, { ...termsFormOf(VARIANT), updatesDays: '1.5' }), null);
  });
});

describe('the terms of a license', () => {
  it('say how long it lasts from its first activation on', () => {
    const now = Date.parse('2027-01-01T00:00:00.000Z');
    const waiting = { months: 12, days: 30, updatesDays: 365 };
    const words = 'lasts 12 months and 30 days from the first activation on';
    assert.equal(endText({ expiresAt: null, waiting }, now), words);
    assert.equal(endText({ expiresAt: null, waiting: { updatesDays: 365 } }, now), 'never expires');
    assert.equal(endText({ expiresAt: null }, now), 'never expires');
    assert.equal(waitingUpdates({ waiting }), '365 days');
    assert.equal(valueText('waiting', waiting), '12 months and 30 days, updates for 365 days');
    assert.equal(valueText('waiting', null), 'none');
  });

  it('offer no way back from an end that took the place of a time that waited', () => {
    const after = { ...LICENSE, expiresAt: '2027-01-31T23:59:59.999Z' };
    const sent = { licenseKey: 'AAAAA', expiresAt: after.expiresAt };
    const before = { ...LICENSE, expiresAt: null };
    assert.notEqual(undoOfUpdate(before, after, sent), null);
    assert.equal(undoOfUpdate({ ...before, waiting: { days: 30 } }, after, sent), null);
    const updates = { licenseKey: 'AAAAA', updatesUntil: after.updatesUntil ?? null };
    const waited = { ...before, updatesUntil: null, waiting: { days: 30, updatesDays: 365 } };
    assert.equal(undoOfUpdate(waited, { ...after, waiting: { days: 30 } }, updates), null);
    const limits = { licenseKey: 'AAAAA', maxVersion: '2' };
    assert.notEqual(undoOfUpdate(waited, { ...waited, maxVersion: '2' }, limits), null, 'the time still waits');
  });

  it('are put back with the features of the license itself, and null for those that were not set', () => {
    const { graceDays: _, ...cleared } = LICENSE;
    const after = { ...cleared, features: { layers: 5 }, ownFeatures: { layers: 5 } } as License;
    const sent = { licenseKey: 'AAAAA', graceDays: null, maxVersion: '2', features: { layers: 5 } };
    assert.deepEqual(undoOfUpdate(LICENSE, { ...after, maxVersion: '2' }, sent)?.request, {
      ...{ licenseKey: 'AAAAA', graceDays: 7, wasGraceDays: null, maxVersion: null, wasMaxVersion: '2' },
      ...{ features: LICENSE.ownFeatures, wasFeatures: { layers: 5 } },
    });
  });

  it('say that seats stay free which were lost with the named users', () => {
    const users = { ...LICENSE, maxUsers: 5 };
    const undoing = undoOfUpdate(users, LICENSE, { licenseKey: 'AAAAA', maxUsers: null });
    assert.deepEqual(undoing?.request, { licenseKey: 'AAAAA', maxUsers: 5, wasMaxUsers: null });
    assert.equal(undoing?.stays, 'Seats of users without a machine stay free.');
    const fewer = undoOfUpdate(users, { ...users, maxUsers: 3 }, { licenseKey: 'AAAAA', maxUsers: 3 });
    assert.equal(fewer?.stays, undefined);
  });

  it('say of each feature whether it comes from the license or from its variant', () => {
    assert.deepEqual(
      featuresOf(LICENSE).map(({ name, value, origin }) => [name, value, origin]),
      [
        ['batch', 'Yes until 1 Feb 2027', 'license'],
        ['export', 'Yes', 'variant'],
        ['layers', '20', 'license'],
        ['print', 'Taken away', 'license'],
        ['tier', 'pro', 'license'],
      ],
    );
  });

  it('change alone; an end of updates is the end of its day', () => {
    const form = licenseTermsFormOf(LICENSE);
    assert.equal(licenseTermsRequest(LICENSE, form), null);
    assert.deepEqual(
      licenseTermsRequest(LICENSE, { ...form, updatesUntil: '2027-06-30', graceDays: '', features: 'layers = 5' }),
      {
        ...{ licenseKey: 'AAAAA', updatesUntil: '2027-06-30T23:59:59.999Z', wasUpdatesUntil: LICENSE.updatesUntil },
        ...{ graceDays: null, wasGraceDays: 7, features: { layers: 5 }, wasFeatures: LICENSE.ownFeatures },
      },
    );
  });

  it('for named users change with the others, and a seat is kept unless it floats', () => {
    const form = licenseTermsFormOf({ ...LICENSE, maxUsers: 5, usersFloat: true });
    assert.deepEqual([form.maxUsers, form.maxMachinesPerUser, form.usersFloat], ['5', '', 'float']);
    const license = { ...LICENSE, maxUsers: 5, usersFloat: true };
    assert.deepEqual(licenseTermsRequest(license, { ...form, maxUsers: '', maxMachinesPerUser: '2', usersFloat: '' }), {
      ...{ licenseKey: 'AAAAA', maxUsers: null, wasMaxUsers: 5, maxMachinesPerUser: 2, wasMaxMachinesPerUser: null },
      ...{ usersFloat: null, wasUsersFloat: true },
    });
    assert.equal(licenseTermsRequest(license, { ...form, maxUsers: '0' }), null);
    assert.deepEqual(termsRequest(VARIANT, { ...termsFormOf(VARIANT), maxUsers: '3', usersFloat: 'float' }), {
      ...{ variantId: 'app-pro', productId: 'app', maxUsers: 3, wasMaxUsers: null },
      ...{ usersFloat: true, wasUsersFloat: null },
    });
  });
});
