/** Forms of a search text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { mintApiKey } from '../../src/access/api-keys/api-key.ts';
import { mintSeatCode } from '../../src/commerce/studio-orders/studio-order.ts';
import { mintSecret } from '../../src/ground/base/random.ts';
import { MAX_NAMES, namesIn } from '../../src/insight/support/pasted-text.ts';
import { looksLikeSecret, lookUpsFor } from '../../src/insight/support/query-form.ts';
import { mintLicenseKey } from '../../src/licensing/licenses/license.ts';
import { afterBeginning, foldAscii } from '../../src/storage/contract/storage.ts';

const text = fc.string({ unit: 'binary', minLength: 1 }).filter((each) => each.isWellFormed() && !each.includes('\0'));
const sorted = (texts: readonly string[]) =>
  texts
    .map((each) => Buffer.from(each))
    .sort(Buffer.compare)
    .map(String);

describe('the form of a query', () => {
  it('selects at most fourteen look-ups for any text, and machines for the operator only', () => {
    const query = fc.oneof(text, fc.string(), fc.emailAddress(), fc.constantFrom(mintLicenseKey(), 'ada', '23456-7'));
    fc.assert(
      fc.property(query, fc.boolean(), (given, isOperator) => {
        const lookUps = lookUpsFor(given, isOperator);
        assert.ok(Object.keys(lookUps).length <= 14);
        if (!isOperator) assert.ok(!('hostname' in lookUps) && !('fingerprint' in lookUps));
      }),
    );
    assert.equal(Object.keys(lookUpsFor('ADAAA', true)).length, 14);
  });

  it('finds a typed key from five characters on, with any separators', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 25 }),
        fc.constantFrom('', '-', ' ', ' - '),
        fc.boolean(),
        (length, separator, isLower) => {
          const key = mintLicenseKey();
          const typed = key
            .replaceAll('-', '')
            .slice(0, length)
            .replace(/.{5}(?=.)/g, `$&${separator}`);
          const range = lookUpsFor(isLower ? typed.toLowerCase() : typed, false).key;
          assert.ok(range !== undefined && range.from <= key && key < range.to);
          assert.ok(key.startsWith(range.from));
        },
      ),
    );
    assert.equal(lookUpsFor('ABCD', true).key, undefined);
  });

  it('finds only a seat or an order, except for machines', () => {
    assert.deepEqual(Object.keys(lookUpsFor(mintSeatCode(), false)), ['seatCode']);
    assert.deepEqual(Object.keys(lookUpsFor('so_019ced3e-6a40-7000-8000-4b1d2c3e5f60', false)), ['studioOrderId']);
  });

  it('leads to the whole address for a creator, and to what begins like it for the operator', () => {
    assert.equal(lookUpsFor(' Ada@Example.com ', false).email?.whole, 'ada@example.com');
    assert.equal(lookUpsFor('ada', false).email, undefined);
    assert.equal(lookUpsFor('ada', true).email?.from, 'ada');
    assert.equal(lookUpsFor('ad', true).email, undefined);
  });
});

describe('the names in a pasted text', () => {
  const [key, seat] = [mintLicenseKey(), mintSeatCode()];
  const order = 'so_019ced3e-6a40-7000-8000-4b1d2c3e5f60';

  it('are its keys, addresses, orders, seats, and words that may name a purchase, a request or a machine', () => {
    const mail = `From: Ada Lovelace <ada@example.com>
      Hello, my key ${key.replaceAll('-', ' ')} does not work on DESKTOP-7F3K2L1 (order #A-1001).
      The app says: request 0MvGbn-Qx3k9Zt! My school bought ${order}, and I got ${seat}. Thanks`;
    assert.deepEqual(namesIn(mail), [
      key,
      ...['ada@example.com', order, seat],
      ...['DESKTOP-7F3K2L1', 'A-1001', '0MvGbn-Qx3k9Zt'],
    ]);
  });

  it('include a key as lists show it, and one among marks of direction', () => {
    const groups = key.split('-');
    const shown = `${groups[0]} … ${groups[4]}`;
    assert.deepEqual(namesIn(`It is ${shown}.`), [shown.replaceAll(' ', '')]);
    assert.equal(lookUpsFor(shown.replaceAll(' ', ''), false).keyEnd, groups[4]);
    assert.equal(lookUpsFor(`…${groups[4]?.toLowerCase()}`, false).keyEnd, groups[4]);
    const marked = [...`\u202E${key}\u202C`].join('\u200F');
    assert.deepEqual(namesIn(`المفتاح ${marked}`), [key]);
  });

  it('are at most twenty, each once, keys before words, of any text', () => {
    const keys = Array.from({ length: 500 }, mintLicenseKey);
    assert.deepEqual(namesIn(`word-1 ${[...keys, ...keys].join('\n')}`), keys.slice(0, MAX_NAMES));
    assert.deepEqual(namesIn(`${key} ${key}\r\n${key}`), [key]);
    const long = 65_536;
    for (const filler of ['.', '-', '@', 'a', '\u200F', '(', 'A-', 'a@', 'AB2CD-', '…', ' '])
      assert.ok(namesIn(`${filler.repeat(long / filler.length)} ${seat}`).includes(seat), filler);
    fc.assert(
      fc.property(fc.oneof(text, fc.lorem({ mode: 'sentences' })), (given) => {
        const names = namesIn(given);
        assert.ok(names.length <= MAX_NAMES && new Set(names).size === names.length);
        for (const name of names) assert.ok(name.length <= 320);
      }),
    );
  });
});

describe('a beginning', () => {
  it('is a range, in the order of bytes, of the texts that begin like it and of no others', () => {
    fc.assert(
      fc.property(text, text, (beginning, other) => {
        const isWithin = (each: string) => {
          const [first] = sorted([beginning, each]);
          const [, last] = sorted([each, afterBeginning(beginning)]);
          return first === beginning && last === afterBeginning(beginning) && each !== last;
        };
        fc.pre(!other.startsWith('\u{10FFFF}'));
        assert.ok(isWithin(beginning + other));
        assert.equal(isWithin(other), other.startsWith(beginning));
      }),
    );
  });

  it('is folded as databases fold text: A to Z alone', () => {
    assert.equal(foldAscii('ÄRGER in KÖLN'), 'Ärger in kÖln');
    fc.assert(fc.property(text, (given) => assert.equal(foldAscii(foldAscii(given)), foldAscii(given))));
  });
});

describe('a text that looks like a secret', () => {
  it('is every API key, generated secret and token, also amid other text', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', ' ', 'key: ', '"', 'see '),
        fc.constantFrom('', ' ', '"', '.'),
        (before, after) => {
          for (const secret of [mintApiKey(), `lka_${mintSecret(32)}`, `lkw_${mintSecret(32)}`])
            assert.ok(looksLikeSecret(before + secret + after), before + secret + after);
          const token = `eyJhbGciOiJIUzI1NiJ9.${mintSecret(40)}.${mintSecret(32)}`;
          assert.ok(looksLikeSecret(before + token + after));
        },
      ),
    );
    for (const named of ['adminSecret=abc', '"apiKey": "abc"', 'X-Api-Key: abc', 'Bearer abcdefghijklmnop'])
      assert.ok(looksLikeSecret(named), named);
  });

  it('is no key of a license, address, order, code, hostname, fingerprint or hash', () => {
    const harmless = [
      mintLicenseKey(),
      mintSeatCode(),
      'ada@example.com',
      'so_019ced3e-6a40-7000-8000-4b1d2c3e5f60',
      'cs_test_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4',
      "Ada's laptop",
      'DESKTOP-7F3K2Q1',
      '5f0c3b1e9a7d4826c1f3e5b7098d6a42b8e1c7f90d3a5b6472e8f1c09a4d7b36',
      'mask_1',
      'API key manager',
    ];
    for (const each of harmless) assert.equal(looksLikeSecret(each), false, each);
  });
});
