/** The pure rules by which an address is found and replaced. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { factsWithout, textWithout } from '../../../src/customers/records/address.ts';
import { foldEmail } from '../../../src/ground/base/typed-text.ts';
import { mintPseudonym } from '../../../src/licensing/licenses/pseudonym.ts';

const REPLACEMENT = { address: 'ada@example.com', pseudonym: 'p@invalid', replacesHostnames: true };

describe('an address that is forgotten', () => {
  for (const [text, kept] of [
    ['ada@example.com', 'p@invalid'],
    ['ADA@Example.COM', 'p@invalid'],
    ['From <ada@example.com>, "Ada@example.com"; ada@example.com.', 'From <p@invalid>, "p@invalid"; p@invalid.'],
    ['mailto:ada@example.com?subject=x', 'mailto:p@invalid?subject=x'],
    ['nada@example.com', 'nada@example.com'],
    ['x.ada@example.com ada+1@example.com', 'x.ada@example.com ada+1@example.com'],
    ['ada@example.com.au ada@example.community ada@example.com-x.org', null],
  ] as const)
    it(`is replaced in "${text}" as a whole word`, () => {
      assert.equal(textWithout(text, REPLACEMENT), kept ?? text);
    });

  it('is replaced in texts at any depth, and names of machines with it on request', () => {
    const facts = {
      machines: [{ hostname: "Ada's", fingerprint: 'f', note: 'ada@example.com' }],
      hostname: null,
      n: 1,
    };
    const machines = [{ hostname: 'forgotten', fingerprint: 'f', note: 'p@invalid' }];
    assert.deepEqual(factsWithout(facts, REPLACEMENT), { machines, hostname: null, n: 1 });
    const kept = [{ hostname: "Ada's", fingerprint: 'f', note: 'p@invalid' }];
    assert.deepEqual(factsWithout(facts, { ...REPLACEMENT, replacesHostnames: false }), { ...facts, machines: kept });
  });

  it('is found exactly, with any characters, and occurs nowhere afterwards', () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((each) => !/[\s@]/.test(each));
    fc.assert(
      fc.property(part, part, (name, domain) => {
        const email = `${name}@${domain}`;
        const replacement = { ...REPLACEMENT, address: foldEmail(email) };
        assert.equal(textWithout(email, replacement), 'p@invalid');
        assert.equal(textWithout(foldEmail(email), replacement), 'p@invalid');
      }),
    );
  });

  it('gets a pseudonym that is an address of nobody, another one each time', () => {
    const made = Array.from({ length: 100 }, mintPseudonym);
    assert.equal(new Set(made).size, 100);
    for (const pseudonym of made) assert.match(pseudonym, /^forgotten-[a-z2-9]{16}@invalid$/);
  });
});
