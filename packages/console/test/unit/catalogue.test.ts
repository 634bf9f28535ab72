/** The pure rules of the catalogue's screens: products, variants, codes, orders. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DiscountCode, Variant } from '../../src/api/contract.ts';
import {
  updateRequest as codeChange,
  formOf as codeForm,
  createRequest as codeRequest,
} from '../../src/codes/code-form.ts';
import { mintCodes } from '../../src/codes/mint.ts';
import { forText, stateOf, usesText } from '../../src/codes/words.ts';
import { groupsOf, seatsText } from '../../src/orders/words.ts';
import { identifierFault, identifierFor } from '../../src/products/identifier.ts';
import {
  createRequest,
  faultsOf,
  formOf,
  NEW_VARIANT,
  updateRequest,
  variantAfter,
} from '../../src/products/variant-form.ts';
import { differences, limitText } from '../../src/products/words.ts';

const VARIANT: Variant = {
  variantId: 'app-indie',
  productId: 'app',
  name: 'indie',
  licenseType: 'per-machine',
  maxMachines: 3,
  maxConcurrent: null,
  defaultTrialDays: 14,
  durationDays: 365,
  price: 2900,
  active: false,
};

const CODE: DiscountCode = {
  code: 'Spring',
  productId: null,
  creatorId: null,
  trialDays: 14,
  maxUses: 10,
  usedCount: 3,
  active: true,
  createdAt: '2026-05-01T00:00:00.000Z',
  expiresAt: '2026-06-01T00:00:00.000Z',
};

describe('the identifier of a product', () => {
  it('is suggested by its name', () => {
    for (const [name, identifier] of [
      ['Tape Head 2', 'tape-head-2'],
      ['  Café — Øl! ', 'cafe-l'],
      ['!!!', ''],
    ] as const)
      assert.equal(identifierFor(name), identifier);
  });

  it('is refused where the service would refuse it', () => {
    for (const good of ['a', 'App_1.2~x-y', '2026']) assert.equal(identifierFault(good), null, good);
    for (const bad of ['-app', 'two words', 'ä', 'a/b', 'a'.repeat(256)])
      assert.notEqual(identifierFault(bad), null, bad);
  });
});

describe('the form of a variant', () => {
  it('sends the input, and leaves the rest to the service', () => {
    assert.deepEqual(createRequest('app', { ...NEW_VARIANT, name: ' indie ' }), {
      productId: 'app',
      name: 'indie',
      licenseType: 'per-machine',
      maxMachines: 2,
    });
  });

  it('sends places of floating licenses only', () => {
    const form = { ...NEW_VARIANT, name: 'team', sessions: '5' };
    assert.equal(createRequest('app', form)?.maxConcurrent, undefined);
    assert.equal(createRequest('app', { ...form, licenseType: 'floating' })?.maxConcurrent, 5);
  });

  it('sends -1 for any number of machines', () => {
    assert.equal(createRequest('app', { ...NEW_VARIANT, name: 'all', isUnlimited: true })?.maxMachines, -1);
  });

  it('waits while a number is none, or a limit is missing', () => {
    for (const change of [
      { durationDays: '1.5' },
      { price: '-1' },
      { trialDays: '0' },
      { machines: '' },
      { name: ' ' },
    ]) {
      const form = { ...NEW_VARIANT, name: 'indie', ...change };
      assert.ok(faultsOf(form).size > 0, JSON.stringify(change));
      assert.equal(createRequest('app', form), null);
    }
  });

  it('of an existing variant sends unchanged fields back, and null for emptied ones', () => {
    const form = formOf(VARIANT);
    const same = {
      variantId: 'app-indie',
      productId: 'app',
      maxMachines: 3,
      durationDays: 365,
      defaultTrialDays: 14,
      price: 2900,
      ...{ wasMaxMachines: 3, wasDurationDays: 365, wasDefaultTrialDays: 14, wasPrice: 2900 },
    };
    assert.deepEqual(updateRequest(VARIANT, form), same);
    assert.deepEqual(updateRequest(VARIANT, { ...form, durationDays: '' }), { ...same, durationDays: null });
  });

  it('names the loss when a name is reused', () => {
    const request = createRequest('app', { ...NEW_VARIANT, name: 'indie', price: '2900' });
    assert.ok(request !== null);
    assert.deepEqual(differences(VARIANT, variantAfter(request)), [
      { what: 'Limit', before: '3 machines', after: '2 machines' },
      { what: 'Lasts', before: '365 days', after: 'For ever' },
      { what: 'Trial', before: '14 days', after: 'None' },
      { what: 'Offered', before: 'No', after: 'Yes' },
    ]);
  });

  it('counts floating licenses by those that run at the same time', () => {
    assert.equal(limitText({ licenseType: 'floating', maxMachines: 2, maxConcurrent: 5 }), '5 at the same time');
    assert.equal(limitText({ licenseType: 'floating', maxMachines: 2, maxConcurrent: null }), '2 at the same time');
    assert.equal(limitText({ licenseType: 'site', maxMachines: -1, maxConcurrent: null }), 'No limit');
    assert.equal(limitText({ licenseType: 'per-machine', maxMachines: 1, maxConcurrent: null }), '1 machine');
  });
});

describe('a code', () => {
  const before = Date.parse('2026-05-20T00:00:00.000Z');

  it('says why it does not work, as the service would', () => {
    assert.equal(stateOf(CODE, before).title, 'Works');
    assert.equal(stateOf({ ...CODE, usedCount: 10 }, before).title, 'Used up');
    assert.equal(stateOf({ ...CODE, usedCount: 10 }, Date.parse(CODE.expiresAt ?? '')).title, 'Expired');
    assert.equal(stateOf({ ...CODE, active: false, usedCount: 10 }, before).title, 'Switched off');
  });

  it('shows its product and its number of uses', () => {
    assert.equal(forText(CODE), 'Every product');
    assert.equal(forText({ productId: null, creatorId: 'ada' }), 'All products of ada');
    assert.equal(forText({ productId: 'app', creatorId: 'ada' }), 'app');
    assert.equal(usesText(CODE), '3 of 10 uses');
    assert.equal(usesText({ usedCount: 1, maxUses: null }), '1 use, no limit');
  });

  it('is sent with the input', () => {
    const form = { product: 'app', creator: '', days: '30', uses: '', until: '' };
    assert.deepEqual(codeRequest(' FAIR ', form), { code: 'FAIR', trialDays: 30, productId: 'app' });
    assert.equal(codeRequest('FAIR', { ...form, days: '' }), null);
    assert.equal(codeRequest('FAIR', { ...form, uses: '0' }), null);
    assert.equal(codeRequest(' ', form), null);
  });

  it('names its creator where it is for no product: one for a product belongs to the owner of that', () => {
    const form = { product: '', creator: ' ada ', days: '30', uses: '', until: '' };
    assert.deepEqual(codeRequest('FAIR', form), { code: 'FAIR', trialDays: 30, creatorId: 'ada' });
    assert.deepEqual(codeRequest('FAIR', { ...form, product: 'app' }), {
      code: 'FAIR',
      trialDays: 30,
      productId: 'app',
    });
    assert.deepEqual(codeRequest('FAIR', { ...form, creator: ' ' }), { code: 'FAIR', trialDays: 30 });
  });

  it('works until the end of its last day', () => {
    const request = codeRequest('FAIR', { product: '', creator: '', days: '30', uses: '', until: '2027-01-31' });
    assert.equal(new Date(request?.expiresAt ?? '').getTime(), new Date('2027-01-31T23:59:59.999').getTime());
  });

  it('is changed only where something changes', () => {
    const form = codeForm(CODE);
    assert.equal(codeChange(CODE, form), null);
    assert.deepEqual(codeChange(CODE, { ...form, uses: '' }), {
      ...{ code: 'Spring', maxUses: null, wasMaxUses: 10 },
    });
    assert.deepEqual(codeChange(CODE, { ...form, until: '' }), {
      ...{ code: 'Spring', expiresAt: null, wasExpiresAt: CODE.expiresAt },
    });
  });
});

describe('many codes', () => {
  it('are all different, with the prefix and without ambiguous characters', () => {
    const codes = mintCodes(500, ' SPRING- ');
    assert.equal(new Set(codes).size, 500);
    for (const code of codes) assert.match(code, /^SPRING(?:-[2-9A-HJ-NP-Z]{5}){2}$/);
    for (const code of mintCodes(3, '')) assert.match(code, /^[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}$/);
  });

  it('use no byte that would make a character likelier than others', () => {
    let next = 0;
    const fill = (bytes: Uint8Array<ArrayBuffer>) => bytes.map(() => [255, 240, 0][next++ % 3] ?? 0);
    assert.deepEqual(mintCodes(1, '', fill), ['22222-22222']);
  });
});

describe('an order', () => {
  it('says how many seats are redeemed', () => {
    assert.equal(seatsText({ redeemedCount: 0, seatCount: 12 }), 'None of 12 seats is redeemed yet.');
    assert.equal(seatsText({ redeemedCount: 1, seatCount: 12 }), '1 of 12 seats is redeemed.');
    assert.equal(seatsText({ redeemedCount: 12, seatCount: 12 }), 'All 12 seats are redeemed.');
  });

  it('is printed eight cards to a page', () => {
    const pages = groupsOf(
      Array.from({ length: 19 }, (_, at) => at),
      8,
    );
    assert.deepEqual(
      pages.map(({ length }) => length),
      [8, 8, 3],
    );
    assert.equal(pages[2]?.[2], 18);
    assert.deepEqual(groupsOf([], 8), []);
  });
});
