/** The canonical form of each address, and the networks that limits count. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalAddress, forwardedAddress, networkOf, networksOf } from '../../../src/ground/base/network-address.ts';

describe('the one spelling of an address', () => {
  for (const [text, address] of [
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
    ['0000:0000:0000:0000:0000:FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1%eth0', '192.0.2.1'],
    ['64:ff9b::192.0.2.1', '192.0.2.1'],
    ['64:ff9b::c000:201', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:0db8::0001', '2001:db8::1'],
    ['2001:db8::1%eth0', '2001:db8::1'],
    ['fe80::1%eth0.100', 'fe80::1'],
    [`::1%${'z'.repeat(96)}`, '::1'],
    ['::', '::'],
    ['::1', '::1'],
  ] as const)
    it(`of ${text.slice(0, 40)} is ${address}`, () => assert.equal(canonicalAddress(text), address));

  for (const text of [
    '',
    'unknown',
    '_hidden',
    '1',
    '1.2.3',
    '127.1',
    '0x7f.0.0.1',
    '010.1.2.3',
    '256.1.2.3',
    '1.2.3.4.5',
    '203.0.113.9:80',
    '203.0.113.0/24',
    '203.0.113.9%eth0',
    '::ffff:010.1.2.3',
    '::ffff:0x10.1.2.3',
    '::ffff:256.1.2.3',
    '[::1]',
    '::g',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '12345::',
    '2001:db8::1%',
    '2001:db8::1%eth0%eth1',
    '2001:db8::/32',
    ' 203.0.113.9',
    `::1%${'z'.repeat(97)}`,
    'a:'.repeat(8000),
  ])
    it(`does not exist for ${JSON.stringify(text.slice(0, 40))}`, () => assert.equal(canonicalAddress(text), null));

  it('is its own spelling, and the same for an IPv4 address however it is written into IPv6', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = canonicalAddress(text);
        assert.notEqual(address, null, text);
        assert.equal(canonicalAddress(address as string), address);
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
        const mapped = [a * 256 + b, c * 256 + d].map((part) => part.toString(16)).join(':');
        for (const written of [`::ffff:${text}`, `::ffff:${mapped}`, `0:0:0:0:0:FFFF:${mapped.toUpperCase()}`])
          assert.equal(canonicalAddress(written), text);
      }),
    );
  });
});

describe('the address in an entry of X-Forwarded-For', () => {
  for (const [entry, address] of [
    [' 203.0.113.9 ', '203.0.113.9'],
    ['203.0.113.9:5100', '203.0.113.9'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:203.0.113.9]:80', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['', null],
    ['unknown', null],
    ['203.0.113.9:', null],
    ['203.0.113.9:123456', null],
    ['203.0.113.9:http', null],
    ['[203.0.113.9]', null],
    ['[2001:db8::1', null],
    ['2001:db8::1]', null],
    ['[2001:db8::1]:443:80', null],
    ['[]', null],
    ['"203.0.113.9"', null],
  ] as const)
    it(`${JSON.stringify(entry)} is ${address ?? 'none'}`, () => assert.equal(forwardedAddress(entry), address));
});

describe('the network of an address', () => {
  for (const [address, network] of [
    ['203.0.113.1', '203.0.113.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::1:2:3:4', '2001:db8::/64'],
    ['2001:db8::', '2001:db8::/64'],
    ['::1', '::/64'],
  ] as const)
    it(`${address} is in ${network}`, () => assert.equal(networkOf(address), network));

  it('of IPv6 is counted within its /48, at sixteen times the limit', () => {
    assert.deepEqual(networksOf('2001:db8:1:2:3:4:5:6'), [
      { name: '2001:db8:1::/48', times: 16 },
      { name: '2001:db8:1:2::/64', times: 1 },
    ]);
    assert.deepEqual(networksOf('2001:db8::1'), [
      { name: '2001:db8::/48', times: 16 },
      { name: '2001:db8::/64', times: 1 },
    ]);
  });

  it('of IPv4 is the address alone', () => {
    assert.deepEqual(networksOf('203.0.113.1'), [{ name: '203.0.113.1', times: 1 }]);
  });
});
