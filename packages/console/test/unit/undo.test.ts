/** Undoing: the request that puts a changed thing back, by the thing or by the event of the change. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mayUndo, undoOfUpdate } from '../../src/actions/undo.ts';
import { undoOfBrand, undoOfCode, undoOfDeletion, undoOfVariant } from '../../src/actions/undo-catalogue.ts';
import { undoOfDestination, undoOfResumption } from '../../src/actions/undo-destination.ts';
import { type UndoableEvent, undoOfEvent } from '../../src/actions/undo-event.ts';
import type { Brand, Destination, DiscountCode, License, Variant } from '../../src/api/contract.ts';

const KEY = 'GX2UF-JZVXX-7B8MJ-TA48W-5PWPX';
const AT = '2027-03-04T12:00:00.000Z';

const CODE: DiscountCode = {
  ...{ code: 'Fair', productId: null, creatorId: null, trialDays: 14, maxUses: 5, usedCount: 0 },
  ...{ active: true, createdAt: AT, expiresAt: null },
};

const BRAND: Brand = {
  ...{
    creatorId: null,
    name: 'Tapehead',
    supportAddress: null,
    supportUrl: null,
    accent: '#1a5fb4',
    allowsNewKeys: false,
  },
  ...{ logo: { type: 'image/png', data: 'iVBORw==' }, updatedAt: AT },
  productLinks: [],
};

/** The undoing of an event of a license, or of another thing by `more`. */
function undoOf(type: string, before: object | null, after: object | null, more: Partial<UndoableEvent> = {}) {
  const event = { type, at: AT, licenseKey: KEY, productId: null, creatorId: null, subject: null, before, after };
  return undoOfEvent({ ...event, ...more } as UndoableEvent);
}

describe('undoing a change of a license', () => {
  it('puts the former values back in place of the new ones', () => {
    const before = { maxMachines: 4, status: 'expired', expiresAt: null };
    const undoing = undoOf('license.updated', before, { maxMachines: 7, status: 'active', expiresAt: 'x' });
    const request = { licenseKey: KEY, maxMachines: 4, wasMaxMachines: 7, expiresAt: null, wasExpiresAt: 'x' };
    assert.deepEqual([undoing?.path, undoing?.request], ['/updateLicense', request]);
    assert.equal(undoing?.done, 'The change to the license GX2UF … 5PWPX was undone.');
    const license = { key: KEY, email: 'ada@example.com', variant: 'indie', maxMachines: 2 } as License;
    const updated = undoOfUpdate(license, { ...license, maxMachines: 3 }, { licenseKey: KEY, maxMachines: 3 });
    assert.deepEqual(updated?.request, { licenseKey: KEY, maxMachines: 2, wasMaxMachines: 3 });
    assert.equal(updated?.done, 'The change to the license of ada@example.com was undone.');
  });

  it('leaves what others changed beside it, which the reply holds, too', () => {
    const [first, later] = ['2031-01-31T12:00:00.000Z', '2031-02-28T12:00:00.000Z'];
    const license = { key: KEY, email: 'ada@example.com', maxMachines: 4, expiresAt: first } as License;
    const sent = { licenseKey: KEY, expiresAt: later, wasExpiresAt: first };
    const undoing = undoOfUpdate(license, { ...license, expiresAt: later, maxMachines: 7 }, sent);
    assert.deepEqual(undoing?.request, { licenseKey: KEY, expiresAt: first, wasExpiresAt: later });
    assert.equal(undoOfUpdate(license, { ...license, maxMachines: 7 }, sent), null);
  });

  it('names its event where the service takes it, because later decisions may have come to the same value', () => {
    const more = { id: 'evt_1' };
    const undoing = undoOf('license.updated', { maxMachines: 4 }, { maxMachines: 7 }, more);
    assert.deepEqual(undoing?.request, { licenseKey: KEY, maxMachines: 4, wasMaxMachines: 7, undoes: 'evt_1' });
    const revoked = { status: 'revoked', revocation: 'plain' };
    const valid = { status: 'active', revocation: null };
    const ofThing = { ...more, licenseKey: null, productId: 'tape', subject: 'tape-indie' };
    for (const [type, before, after, of] of [
      ['license.email_changed', { email: 'was@example.com' }, { email: 'is@example.com' }, more],
      ['license.revoked', valid, revoked, more],
      ['license.reinstated', revoked, valid, more],
      ['product.updated', { status: 'live' }, { status: 'archived' }, ofThing],
      ['variant.updated', { active: true }, { active: false }, ofThing],
      ['discount_code.updated', { active: true }, { active: false }, ofThing],
    ] as const)
      assert.equal(Object(undoOf(type, before, after, of)?.request).undoes, 'evt_1', type);
    const ofBrand = { ...more, licenseKey: null, subject: 'ada', creatorId: 'ada' };
    const brand = undoOf('brand.updated', { accent: null }, { accent: '#1a5fb4' }, ofBrand);
    assert.ok(brand !== null && !('undoes' in brand.request), 'a brand has a time of its last change');
  });

  it('puts terms and metadata back, of the metadata the names that differ', () => {
    const before = {
      graceDays: null,
      features: { layers: 1 },
      metadata: { order: 'A', ['__proto__']: 'B', same: 'C' },
    };
    const after = { graceDays: 7, features: null, metadata: { same: 'C', more: 'D' } };
    assert.deepEqual(undoOf('license.updated', before, after)?.request, {
      ...{ licenseKey: KEY, graceDays: null, wasGraceDays: 7, features: { layers: 1 }, wasFeatures: null },
      metadata: { order: 'A', ['__proto__']: 'B', more: null },
      wasMetadata: { order: null, ['__proto__']: null, more: 'D' },
    });
    assert.equal(undoOf('license.updated', { waiting: { days: 30 } }, { waiting: null }), null);
  });

  it('is not offered where no request restores the former state', () => {
    assert.equal(undoOf('license.updated', { maxConcurrent: null }, { maxConcurrent: 3 }), null);
    const revoked = { revocation: 'plain', status: 'revoked' };
    assert.equal(undoOf('license.updated', { revocation: null, status: 'active' }, revoked), null);
    assert.equal(undoOf('license.updated', {}, {}), null);
    for (const type of ['activation.deleted', 'activations.reset', 'session.ended', 'violation.resolved'])
      assert.equal(undoOf(type, { hostname: 'desk' }, {}), null, type);
  });

  it('makes a license that became floating one of machines again, and leaves its seats noted', () => {
    const before = { licenseType: 'per-machine', maxConcurrent: null };
    const undoing = undoOf('license.updated', before, { licenseType: 'floating', maxConcurrent: 3 });
    assert.deepEqual(undoing?.request, {
      ...{ licenseKey: KEY, licenseType: 'per-machine', wasLicenseType: 'floating' },
    });
    assert.match(undoing?.stays ?? '', /number of seats stays noted/);
    const reseated = undoOf(
      'license.updated',
      { ...before, maxConcurrent: 5 },
      { licenseType: 'floating', maxConcurrent: 3 },
    );
    assert.deepEqual(
      [reseated?.request, reseated?.stays],
      [
        {
          ...{ licenseKey: KEY, licenseType: 'per-machine', wasLicenseType: 'floating' },
          ...{ maxConcurrent: 5, wasMaxConcurrent: 3 },
        },
        undefined,
      ],
    );
  });

  it('names the address to replace, and leaves out one that was forgotten', () => {
    const [was, is] = [{ email: 'was@example.com' }, { email: 'is@example.com' }];
    const undoing = undoOf('license.email_changed', was, is);
    assert.deepEqual(undoing?.request, { licenseKey: KEY, newEmail: was.email, wasEmail: is.email });
    assert.equal(undoOf('license.email_changed', { email: 'forgotten-x@invalid' }, is), null);
  });

  it('lifts a revocation of a license that was not revoked before', () => {
    const revoked = { status: 'revoked', revocation: 'fraud', reason: 'fraud' };
    const undoing = undoOf('license.revoked', { status: 'active', revocation: null }, revoked);
    assert.deepEqual(undoing?.request, { licenseKey: KEY, wasRevocation: 'fraud' });
    assert.equal(undoOf('license.revoked', { revocation: 'plain' }, { revocation: 'fraud' }), null);
  });

  it('revokes again what was reinstated, with the reason that it had, unless another dispute was recorded', () => {
    const valid = { status: 'active', revocation: null };
    const request = (before: object) => undoOf('license.reinstated', before, valid)?.request;
    assert.deepEqual(request({ status: 'revoked', revocation: 'plain' }), { licenseKey: KEY, wasRevocation: null });
    assert.deepEqual(request({ revocation: 'chargeback', disputeReason: 'chargeback' }), {
      ...{ licenseKey: KEY, reason: 'chargeback', wasRevocation: null },
    });
    assert.equal(request({ revocation: 'fraud', disputeReason: 'refund' }), undefined);
    assert.equal(undoOf('license.reinstated', {}, {}), null);
  });
});

describe('undoing a change of the catalogue', () => {
  const ofThing = { licenseKey: null, productId: 'tape', subject: 'tape-indie' };

  it('puts values of products, variants and codes back in place of the new ones', () => {
    const product = undoOf(
      'product.updated',
      { name: 'Old', status: 'live' },
      { name: 'New', status: 'archived' },
      ofThing,
    );
    const names = { name: 'Old', wasName: 'New', status: 'live', wasStatus: 'archived' };
    assert.deepEqual(product?.request, { productId: 'tape', ...names });
    const variant = undoOf('variant.updated', { price: null }, { price: 4900 }, ofThing);
    assert.deepEqual(variant?.request, { variantId: 'tape-indie', productId: 'tape', price: null, wasPrice: 4900 });
    const terms = undoOf(
      'variant.updated',
      { features: null, durationDays: 30 },
      { features: { a: 1 }, durationDays: null },
      ofThing,
    );
    assert.deepEqual(terms?.request, {
      ...{ variantId: 'tape-indie', productId: 'tape', features: null, wasFeatures: { a: 1 } },
      ...{ durationDays: 30, wasDurationDays: null },
    });
    assert.equal(undoOf('variant.updated', { licenseType: 'site' }, { licenseType: 'floating' }, ofThing), null);
    const code = undoOf('discount_code.updated', { maxUses: 5 }, { maxUses: null }, { ...ofThing, subject: 'fair' });
    assert.deepEqual(code?.request, { code: 'fair', maxUses: 5, wasMaxUses: null });
    assert.equal(undoOf('discount_code.redeemed', { usedCount: 1 }, { usedCount: 2 }, ofThing), null);
  });

  it('takes the values that differ', () => {
    const before = { variantId: 'tape-indie', productId: 'tape', name: 'indie', price: 1, active: true } as Variant;
    const sent = { variantId: 'tape-indie', price: 2, wasPrice: 1 };
    const undoing = undoOfVariant(before, { ...before, price: 2, active: false }, sent);
    assert.deepEqual(undoing?.request, { variantId: 'tape-indie', productId: 'tape', price: 1, wasPrice: 2 });
    assert.equal(undoing?.done, 'The change to the variant indie was undone.');
    assert.equal(undoOfVariant(before, before, sent), null);
    assert.deepEqual(undoOfCode(CODE, { active: false })?.request, { code: 'Fair', active: true, wasActive: false });
  });

  it('creates a deleted code again that nobody had redeemed', () => {
    const request = { code: 'Fair', trialDays: 14, maxUses: 5 };
    assert.deepEqual(undoOfDeletion(CODE)?.request, request);
    assert.deepEqual(undoOfDeletion({ ...CODE, creatorId: 'ada' })?.request, { ...request, creatorId: 'ada' });
    const ofProduct = { ...CODE, productId: 'tape', creatorId: 'ada' };
    assert.deepEqual(undoOfDeletion(ofProduct)?.request, { ...request, productId: 'tape' });
    assert.equal(undoOfDeletion({ ...CODE, usedCount: 1 }), null);
    assert.equal(undoOfDeletion({ ...CODE, active: false }), null);
    const { productId: _, creatorId: __, createdAt: ___, ...facts } = CODE;
    const deleted = undoOf('discount_code.deleted', facts, null, { licenseKey: null, creatorId: 'ada' });
    assert.deepEqual(deleted?.request, { ...request, creatorId: 'ada' });
  });

  it('puts a brand back, with its logo in the message, without it in Activity', () => {
    const later = '2027-03-04T12:00:05.000Z';
    const kept = {
      ...{ name: 'Tapehead', supportAddress: null, supportUrl: null, accent: '#1a5fb4' },
      ...{ allowsNewKeys: false, wasUpdatedAt: later },
    };
    assert.deepEqual(undoOfBrand(BRAND, { ...BRAND, name: 'Loom', updatedAt: later })?.request, kept);
    const other = { ...BRAND, logo: null, updatedAt: later };
    assert.deepEqual(undoOfBrand(BRAND, other)?.request, { ...kept, logo: 'iVBORw==' });
    const productLinks = [{ productId: 'delay', download: null, renew: null, receipt: 'https://example.com' }];
    assert.deepEqual(undoOfBrand(BRAND, { ...BRAND, productLinks, updatedAt: later })?.request, {
      ...kept,
      productLinks: [],
    });
    assert.equal(undoOfBrand(null, BRAND), null);
    const ofAda = { licenseKey: null, subject: 'ada', creatorId: 'ada' };
    assert.deepEqual(undoOf('brand.updated', { accent: null }, { accent: '#1a5fb4' }, ofAda)?.request, {
      ...{ creatorId: 'ada', accent: null, wasUpdatedAt: AT },
    });
    assert.equal(undoOf('brand.updated', { logoSha256: 'a' }, { logoSha256: 'b' }, ofAda), null);
    assert.equal(undoOf('brand.updated', { linkedProducts: 1 }, { linkedProducts: 2 }, ofAda), null);
    assert.equal(undoOf('brand.updated', null, { name: 'Loom' }, ofAda), null);
  });
});

describe('undoing a change of a destination', () => {
  const before = {
    ...{ destinationId: 'dst_1', url: 'https://a.example/x', types: ['*'], description: 'Shop', productIds: null },
    ...{ includeLicenseKeys: false, includePersonalData: false, requestsPerSecond: 50 },
    ...{ state: 'paused', stateReason: 'by_person', updatedAt: AT },
  } as unknown as Destination;
  const later = '2027-03-04T12:00:05.000Z';
  const ofIt = { licenseKey: null, subject: 'dst_1' };

  it('puts back what differs, the address in the message only', () => {
    const after = { ...before, url: 'https://a.example/y', types: ['license.*'], updatedAt: later };
    const undoing = undoOfDestination(before, after, 'Shop');
    assert.deepEqual(undoing?.request, {
      ...{ destinationId: 'dst_1', url: before.url, types: ['*'], wasUpdatedAt: later },
    });
    assert.equal(undoing?.done, 'The change to Shop was undone.');
    assert.equal(undoOfDestination(before, { ...before, types: ['*'], updatedAt: later }, 'Shop'), null);
    const recorded = undoOf('destination.updated', { types: ['*'] }, { types: ['license.*'] }, ofIt);
    assert.deepEqual(recorded?.request, { destinationId: 'dst_1', types: ['*'], wasUpdatedAt: AT });
    assert.deepEqual([recorded?.effect, recorded?.stays], [null, 'The address stays as it is.']);
    const moved = [
      { origin: 'https://a.example', types: ['*'] },
      { origin: 'https://b.example', types: [] },
    ] as const;
    assert.equal(undoOf('destination.updated', ...moved, ofIt), null);
    assert.equal(undoOf('destination.updated', {}, {}, ofIt), null, 'another path of the address');
  });

  it('resumes one that was paused, and pauses one that was resumed where a person had stopped it', () => {
    const paused = { state: 'paused', reason: 'by_person' };
    const request = { destinationId: 'dst_1', wasUpdatedAt: AT };
    const undoing = undoOf('destination.paused', { state: 'active', reason: null }, paused, ofIt);
    assert.deepEqual([undoing?.path, undoing?.request], ['/resumeDestination', request]);
    assert.equal(undoOf('destination.paused', { state: 'disabled', reason: 'gone' }, paused, ofIt), null);
    const after = { ...before, state: 'active', stateReason: null } as Destination;
    assert.deepEqual(undoOfResumption(before, after, 'stopped', 'Shop')?.request, request);
    assert.equal(undoOfResumption(before, after, 'now', 'Shop'), null);
    assert.equal(undoOfResumption({ ...before, stateReason: 'copied' }, after, 'stopped', 'Shop'), null);
    assert.equal(undoOf('destination.resumed', paused, { state: 'active', reason: null }, ofIt), null);
    assert.equal(undoOf('destination.secret_rotated', {}, { previousEndsAt: AT }, ofIt), null);
  });
});

describe('undoing a change of a reply template', () => {
  const content = { name: 'Paid back', verdict: null, text: 'Hello' };
  const ofIt = { licenseKey: null, subject: 'rt_1', creatorId: 'ada' };

  it('puts the whole former template back', () => {
    const undoing = undoOf('reply_template.saved', content, { ...content, text: 'Bye' }, ofIt);
    assert.deepEqual(undoing?.request, { templateId: 'rt_1', creatorId: 'ada', ...content, wasUpdatedAt: AT });
    assert.equal(undoOf('reply_template.saved', null, content, ofIt), null, 'a new one');
  });

  it('makes a deleted one again under its id, for its owner', () => {
    const request = { templateId: 'rt_1', ...content, wasUpdatedAt: null };
    assert.deepEqual(undoOf('reply_template.deleted', content, null, ofIt)?.request, { ...request, creatorId: 'ada' });
    assert.deepEqual(undoOf('reply_template.deleted', content, null, { ...ofIt, creatorId: null })?.request, request);
  });
});

describe('a person', () => {
  it('undoes what the role may send without a limit', () => {
    const limits = [{ endpoint: '/updateLicense', fields: ['expiresAt'], maxDays: 30, withinDays: 30 }];
    const session = { can: ['/updateLicense', '/reinstateLicense'], limits } as unknown as Parameters<
      typeof mayUndo
    >[0];
    assert.equal(mayUndo(session, { path: '/reinstateLicense' }), true);
    assert.equal(mayUndo(session, { path: '/updateLicense' }), false);
    assert.equal(mayUndo(session, { path: '/updateBrand' }), false);
  });
});
