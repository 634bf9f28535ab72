import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AddressPolicy,
  isAllowedAddress,
  PUBLIC_ADDRESSES,
  readDestinationUrl,
} from '../../../src/webhooks/destinations/address-policy.ts';

const INSIDE = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.1.2.3',
  '169.254.169.254',
  '168.63.129.16',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::127.0.0.1',
  '64:ff9b::a00:1',
  '64:ff9b:1::a00:1',
  '100::1',
  '100:0:0:1::1',
  '2001::1',
  '2001:db8::1',
  '2001:20::1',
  '2002:a00:1::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
];
const OUTSIDE = ['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '2a00:1450::1', '::ffff:1.1.1.1'];

describe('the addresses that are connected to', () => {
  it('are those of the internet alone', () => {
    assert.deepEqual(
      INSIDE.filter((address) => isAllowedAddress(PUBLIC_ADDRESSES, address, true)),
      [],
    );
    assert.deepEqual(
      OUTSIDE.filter((address) => !isAllowedAddress(PUBLIC_ADDRESSES, address, false)),
      [],
    );
    for (const text of ['', 'localhost', '1.1.1', 'x.1.1.1'])
      assert.equal(isAllowedAddress(PUBLIC_ADDRESSES, text, true), false);
  });

  it('include the private networks that are named, for the operator alone', () => {
    const policy: AddressPolicy = { ...PUBLIC_ADDRESSES, operatorNetworks: ['10.2.0.0/16', 'fd00::/8'] };
    for (const address of ['10.2.3.4', '::ffff:10.2.3.4', 'fd00::1']) {
      assert.equal(isAllowedAddress(policy, address, true), true);
      assert.equal(isAllowedAddress(policy, address, false), false);
    }
    assert.equal(isAllowedAddress(policy, '10.3.0.1', true), false);
  });

  it('never include a denied network', () => {
    const policy: AddressPolicy = {
      operatorNetworks: ['10.0.0.0/8'],
      deniedNetworks: ['93.184.216.0/24', '10.9.0.0/16', '2606:4700::/32'],
      testAddresses: [],
    };
    for (const address of ['93.184.216.34', '10.9.0.1', '2606:4700::1111', '::ffff:93.184.216.34'])
      assert.equal(isAllowedAddress(policy, address, true), false);
    assert.equal(isAllowedAddress(policy, '10.8.0.1', true), true);
  });
});

describe('the URL of a destination', () => {
  const reads = (text: string, policy = PUBLIC_ADDRESSES, isOperators = true) =>
    readDestinationUrl(policy, text, isOperators) !== null;

  it('is HTTPS with a name', () => {
    for (const url of [
      'https://example.com',
      'https://example.com/hook?token=x',
      'https://example.com:443/',
      'https://example.com:1024/hook',
      'https://bücher.example/',
    ])
      assert.equal(reads(url), true, url);
    for (const url of [
      '',
      'example.com',
      'http://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'https://user@example.com/',
      'https://:password@example.com/',
      'https://example.com/#part',
      'https://example.com/#',
      'https://example.com:80/',
      'https://example.com:25/',
      'https://example.com:1023/',
      `https://example.com/${'x'.repeat(2_048)}`,
    ])
      assert.equal(reads(url), false, url);
  });

  it('names no address, in no spelling', () => {
    for (const host of [
      '127.0.0.1',
      '127.0.0.1.',
      '127.1',
      '0x7f.1',
      '2130706433',
      '017700000001',
      '①②⑦.0.0.1',
      '1.1.1.1',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '[2606:4700::1111]',
    ])
      assert.equal(reads(`https://${host}/`), false, host);
  });

  it('may name an address of a private network of the operator, also without TLS', () => {
    const policy: AddressPolicy = { ...PUBLIC_ADDRESSES, operatorNetworks: ['10.2.0.0/16'] };
    for (const url of [
      'https://10.2.0.1/',
      'http://10.2.0.1/',
      'http://10.2.0.1:80/',
      'http://10.2.0.1:8080/',
      'http://crm.internal/',
    ]) {
      assert.equal(reads(url, policy), true, url);
      assert.equal(reads(url, policy, false), false, url);
    }
    for (const url of ['https://10.3.0.1/', 'http://1.1.1.1/', 'http://10.2.0.1:25/', 'http://10.2.0.1:443/'])
      assert.equal(reads(url, policy), false, url);
  });
});
