/** The pure rules of the screens of the brand and of e-mails. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Brand, Mail } from '../../src/api/contract.ts';
import {
  base64Of,
  bytesOf,
  EMPTY_LINKS,
  faultOf,
  fileFault,
  formOf,
  textOn,
  updateRequest,
} from '../../src/brand/brand-form.ts';
import { stateIn, stateOf } from '../../src/mails/words.ts';
import { kindText } from '../../src/sentences/mail-names.ts';

const BRAND: Brand = {
  creatorId: null,
  name: 'Tapehead Audio',
  supportAddress: 'help@example.com',
  supportUrl: null,
  accent: '#1a5fb4',
  logo: { type: 'image/png', data: 'iVBORw==' },
  productLinks: [{ productId: 'delay', download: 'https://example.com/get', renew: null, receipt: null }],
  allowsNewKeys: false,
  updatedAt: '2027-03-04T12:00:00.000Z',
};

describe('the form of a brand', () => {
  it('sends the name, what differs, and null for emptied fields', () => {
    const form = formOf(BRAND);
    assert.deepEqual(updateRequest(BRAND, form, ''), { name: 'Tapehead Audio', wasUpdatedAt: BRAND.updatedAt });
    const changed = { ...form, supportAddress: ' ', supportUrl: ' https://example.com/help ', logo: '' };
    assert.deepEqual(updateRequest(BRAND, changed, 'ada'), {
      creatorId: 'ada',
      name: 'Tapehead Audio',
      supportAddress: null,
      supportUrl: 'https://example.com/help',
      logo: null,
      wasUpdatedAt: BRAND.updatedAt,
    });
    assert.deepEqual(updateRequest(null, { ...formOf(null), name: 'Loom' }, ''), { name: 'Loom', wasUpdatedAt: null });
    assert.equal(updateRequest(BRAND, { ...form, name: ' ' }, ''), null);
  });

  it('sends the links of products as a whole, where one differs, without lines that name no product', () => {
    const form = formOf(BRAND);
    const [delay] = form.productLinks;
    const productLinks = [{ ...delay!, receipt: ' https://example.com/orders ' }, EMPTY_LINKS];
    assert.deepEqual(updateRequest(BRAND, { ...form, productLinks }, '')?.productLinks, [
      { productId: 'delay', download: 'https://example.com/get', renew: null, receipt: 'https://example.com/orders' },
    ]);
    assert.equal(
      updateRequest(BRAND, { ...form, productLinks: [...form.productLinks, EMPTY_LINKS] }, '')?.productLinks,
      undefined,
    );
    assert.deepEqual(updateRequest(BRAND, { ...form, productLinks: [] }, '')?.productLinks, []);
    const message = 'productLinks[0].renew must be an https address';
    assert.equal(
      faultOf({ code: 'invalid_field', message })?.why,
      'Links of products, number 1: renew must be an https address.',
    );
  });

  it('shows a refusal at its field, by the label of the field', () => {
    const message = 'accent must have a contrast of at least 3 with white; it has 1.07';
    assert.deepEqual(faultOf({ code: 'invalid_field', message }), {
      field: 'accent',
      why: 'Colour must have a contrast of at least 3 with white; it has 1.07.',
    });
    const address = { code: 'invalid_field', message: 'supportUrl must be an https address' } as const;
    assert.equal(faultOf(address)?.field, 'supportUrl');
    assert.equal(faultOf({ code: 'invalid_field', message: 'creatorId must not be blank' }), null);
    assert.equal(faultOf({ code: 'overloaded', message }), null);
  });

  it('takes a picture of 32 KiB, and none that is larger', () => {
    assert.equal(fileFault(32 * 1024), null);
    assert.equal(fileFault(32 * 1024 + 1), 'The picture has 33 KiB. At most 32 KiB are possible.');
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    assert.equal(base64Of(bytes), Buffer.from(bytes).toString('base64'));
    assert.deepEqual(bytesOf(base64Of(bytes)), bytes);
  });

  it('previews buttons with the text colour that the pages take', () => {
    for (const [accent, text] of [
      ['#1a5fb4', 'white'],
      ['#e8b45c', 'black'],
      ['#757575', 'white'],
      ['#767676', 'black'],
    ] as const)
      assert.equal(textOn(accent), text, accent);
  });
});

describe('a mail', () => {
  const now = Date.parse('2027-03-04T12:00:00.000Z');
  const WAITING: Pick<Mail, 'state' | 'attempts' | 'dueAt' | 'lastError'> = {
    state: 'waiting',
    attempts: 0,
    dueAt: '2027-03-04T12:30:00.000Z',
    lastError: null,
  };
  const said = (changes: Partial<typeof WAITING>) => stateOf({ ...WAITING, ...changes }, now).sentence;

  it('says why it failed, and what follows while it waits', () => {
    assert.equal(said({}), 'Not tried yet.');
    assert.equal(said({ attempts: 1 }), 'The first attempt is in progress.');
    assert.equal(
      said({ attempts: 2, lastError: 'login refused' }),
      'The mail server refused the login. Next attempt in 30 minutes.',
    );
    const failed = { state: 'failed', dueAt: null } as const;
    assert.equal(
      said({ ...failed, lastError: '550 5.1.1 No such user' }),
      'The mail server answered: 550 5.1.1 No such user.',
    );
    assert.equal(said({ ...failed, lastError: 'waited too long' }), 'It waited for more than two days.');
    assert.equal(said({ ...failed, lastError: null }), 'The reason is not known.');
    assert.equal(said({ state: 'sent' }), '');
  });

  it('is shown by its kind, and chosen by its state', () => {
    assert.deepEqual(['keys', 'code', 'newer'].map(kindText), ['License keys', 'Sign-in code', 'newer']);
    assert.deepEqual(['failed', '', 'lost'].map(stateIn), ['failed', undefined, undefined]);
  });
});
