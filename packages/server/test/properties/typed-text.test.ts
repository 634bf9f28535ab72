/** What people and their programs do to keys, codes and addresses makes no others of them (rules 1.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalSeatCode, mintSeatCode } from '../../src/commerce/studio-orders/studio-order.ts';
import { foldCode, foldEmail, foldKey, readAddress, repairedName } from '../../src/ground/base/typed-text.ts';
import { namesIn } from '../../src/insight/support/pasted-text.ts';
import { lookUpsFor } from '../../src/insight/support/query-form.ts';
import { mintLicenseKey, storedLicenseKey } from '../../src/licensing/licenses/license.ts';
import { damaged, invisible } from './damage.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });

describe('a typed key', () => {
  it('is found whatever happened to it on its way', () => {
    fc.assert(
      fc.property(
        fc
          .constant(null)
          .map(mintLicenseKey)
          .chain((key) => fc.tuple(fc.constant(key), damaged(key))),
        ([key, typed]) => assert.equal(storedLicenseKey(typed), key),
      ),
      { numRuns: 500 },
    );
  });

  it('is found in a search and in a pasted mail', () => {
    for (const dash of ['\u2010', '\u2011', '\u2012', '\u2013', '\u2212']) {
      const key = mintLicenseKey();
      const typed = key.replaceAll('-', dash);
      assert.equal(lookUpsFor(`\u201c${typed}\u201d`, false).key?.from, key);
      assert.deepEqual(namesIn(`Hello, my key is \u201e${typed}\u201c, thanks`), [key]);
    }
  });

  it('is another one with another letter', () => {
    const key = mintLicenseKey();
    const place = fc.nat({ max: key.length - 1 }).filter((at) => key[at] !== '-');
    fc.assert(
      fc.property(place, fc.constantFrom(...'ABCDEFGHJKMNPQRSTUVWXYZ23456789'), (at, letter) => {
        const other = key.slice(0, at) + letter + key.slice(at + 1);
        assert.equal(storedLicenseKey(other) === key, letter === key[at]);
      }),
    );
  });

  it('of another service is found broken into lines, and keeps its hyphens', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z\d]{2,6}(-[A-Z\d]{2,6}){1,5}$/), fc.nat({ max: 30 }), (key, at) => {
        assert.equal(storedLicenseKey(`${key.slice(0, at)}\r\n  ${key.slice(at)}`), storedLicenseKey(key));
      }),
    );
    for (const key of ['LEGACY-0001', '0OI1L-0OI1L-0OI1L-0OI1L-0OI1L', 'A'.repeat(24), 'X-Y'])
      assert.equal(storedLicenseKey(` ${key.toLowerCase()} `), key);
  });

  it('and a code are folded already when they are folded', () => {
    fc.assert(
      fc.property(anyText, (typed) => {
        assert.equal(foldKey(foldKey(typed)), foldKey(typed));
        assert.equal(storedLicenseKey(storedLicenseKey(typed)), storedLicenseKey(typed));
        assert.equal(foldCode(foldCode(typed)), foldCode(typed));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a typed code', () => {
  it('of a seat is found whatever happened to it', () => {
    fc.assert(
      fc.property(
        fc
          .constant(null)
          .map(mintSeatCode)
          .chain((code) => fc.tuple(fc.constant(code), damaged(code))),
        ([code, typed]) => assert.equal(canonicalSeatCode(typed), code),
      ),
      { numRuns: 500 },
    );
    assert.equal(canonicalSeatCode('studio ab2c def3'), 'STUDIO-AB2C-DEF3');
  });

  it('that somebody chose keeps the marks that belong to it', () => {
    assert.equal(foldCode(' \u201cSummer\u200b\u201350%\u201d, '), 'summer-50%');
    assert.notEqual(foldCode('50%'), foldCode('50'));
    for (const code of ['', ' ', '\u200b', '\u2013', '""']) assert.equal(foldCode(code), '');
  });
});

describe('an e-mail address', () => {
  it('is read without spaces and invisible characters, and is one in every form of its domain', () => {
    fc.assert(
      fc.property(
        fc.emailAddress(),
        fc.array(invisible),
        fc.constantFrom('', ' ', '\n', '\r\n', '\u00a0'),
        (email, marks, space) => {
          const typed = space + [...email].map((letter, at) => letter + (marks[at] ?? '')).join('') + space;
          assert.equal(readAddress(typed), email);
          assert.equal(foldEmail(typed), email.toLowerCase());
        },
      ),
    );
    for (const typed of [
      'kunde@ex\u00e4mple.com',
      'Kunde@EX\u00c4MPLE.com',
      'kunde@exa\u0308mple.com',
      'kunde@xn--exmple-cua.com',
    ])
      assert.equal(foldEmail(typed), 'kunde@ex\u00e4mple.com', typed);
    assert.equal(foldEmail('kunde@exa\u0308mple.com.'), 'kunde@ex\u00e4mple.com');
    assert.equal(foldEmail('ju\u0308rgen@example.com'), foldEmail('j\u00fcrgen@example.com'));
  });

  it('is the same when it is read or folded twice', () => {
    const nearly = fc.tuple(anyText, anyText).map(([local, domain]) => `${local}@${domain}`);
    fc.assert(
      fc.property(fc.oneof(anyText, nearly), (typed) => {
        assert.equal(foldEmail(foldEmail(typed)), foldEmail(typed));
        const read = readAddress(typed);
        if (read !== null) assert.deepEqual([readAddress(read), foldEmail(read)], [read, foldEmail(typed)]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused when DNS has its domain under another name', () => {
    for (const domain of [
      '\ufb01rm.example',
      '\uff45xample.com',
      'ex\u00e4mple\u3002com',
      '\u2460.example',
      'exam\u00b5ple.com',
    ])
      assert.equal(readAddress(`buyer@${domain}`), null, domain);
    for (const typed of [
      'buyer',
      'a@b@c',
      'two words@example.com',
      '@example.com',
      'buyer@',
      '',
      `${'a'.repeat(320)}@b`,
    ])
      assert.equal(readAddress(typed), null, typed);
  });
});

describe('the name of a machine', () => {
  it('can be stored, is not longer than it may be, and is itself when it can be', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 30 }),
        (name, most) => {
          const repaired = repairedName(name, most);
          assert.ok(repaired.isWellFormed() && !repaired.includes('\0') && [...repaired].length <= most);
          if (name.isWellFormed() && !name.includes('\0') && [...name].length <= most) assert.equal(repaired, name);
        },
      ),
    );
    assert.equal(repairedName('\ud83d laptop', 255), '\ufffd laptop');
    assert.equal(repairedName(`${'a'.repeat(255)}\u{1f600}`, 255), 'a'.repeat(255));
    assert.equal(repairedName('\u{1f600}'.repeat(256), 255), '\u{1f600}'.repeat(255));
  });
});
