import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ConfigError } from '../../../src/runtime/config/config.ts';
import { openCountries } from '../../../src/runtime/http/countries.ts';
import { writeMmdb } from '../../support/mmdb-writer.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const directory = temporaryFolder();

function keep(name: string, contents: Buffer | string): string {
  const file = join(directory, name);
  writeFileSync(file, contents);
  return file;
}

const bothFamilies = keep(
  'both.mmdb',
  writeMmdb(6, {
    '192.0.2.0/24': { country: { iso_code: 'DE', geoname_id: { bits: 32, number: 2_921_044 } } },
    '198.51.100.128/25': { city: { names: { en: 'Wellington' } }, country: { iso_code: 'NZ' } },
    '203.0.113.7/32': { continent: { code: 'EU' } },
    '203.0.113.8/32': { country: 'DE' },
    '2001:db8::/32': { country: { iso_code: 'BR' } },
  }),
);
const version4Only = keep('version4.mmdb', writeMmdb(4, { '32.1.0.0/16': { country: { iso_code: 'US' } } }));

describe('with a database of both families', () => {
  const expected: Record<string, string | null> = {
    '192.0.2.1': 'DE',
    '192.0.3.1': null,
    '198.51.100.127': null,
    '198.51.100.128': 'NZ',
    '203.0.113.7': null,
    '203.0.113.8': null,
    '2001:db8:1::5': 'BR',
    '2001:DB8::': 'BR',
    '2001:db9::': null,
    '::ffff:192.0.2.1': 'DE',
    '::FFFF:c000:0201': 'DE',
    '0:0:0:0:0:ffff:c633:64ff': 'NZ',
    '2001:db8::1%eth0': 'BR',
    'not an address': null,
    '': null,
  };
  for (const [address, country] of Object.entries(expected)) {
    test(`"${address}" is in ${country ?? 'no known country'}`, async () => {
      const { countryOf } = await openCountries({ countryHeader: null, geoipFile: bothFamilies });
      assert.equal(countryOf(address, {}), country);
    });
  }
});

test('with a database of IPv4 alone, IPv6 addresses are in no known country', async () => {
  const { countryOf } = await openCountries({ countryHeader: null, geoipFile: version4Only });
  assert.equal(countryOf('32.1.13.184', {}), 'US');
  assert.equal(countryOf('::ffff:32.1.13.184', {}), 'US');
  // Its first 32 bits are those of 32.1.13.184.
  assert.equal(countryOf('2001:db8::1', {}), null);
});

describe('with a country header', () => {
  const expected: [string | string[] | undefined, string | null][] = [
    ['FR', 'FR'],
    ['fr', 'FR'],
    ['XX', null],
    ['zz', null],
    ['T1', null],
    ['FRA', null],
    ['FR, NZ', null],
    [['FR', 'NZ'], null],
    [undefined, 'DE'],
    ['', 'DE'],
  ];
  for (const [header, country] of expected) {
    test(`${JSON.stringify(header) ?? 'none'} from an address in DE gives ${country}`, async () => {
      const { countryOf } = await openCountries({ countryHeader: 'cf-ipcountry', geoipFile: bothFamilies });
      assert.equal(countryOf('192.0.2.1', { 'cf-ipcountry': header }), country);
    });
  }

  test('one that is not configured is ignored', async () => {
    const { countryOf } = await openCountries({ countryHeader: null, geoipFile: null });
    assert.equal(countryOf('192.0.2.1', { 'cf-ipcountry': 'FR' }), null);
  });
});

for (const [kind, contents] of Object.entries({
  'something else': 'not a database',
  'an empty file': '',
  'half a database': writeMmdb(4, { '10.0.0.0/8': { country: { iso_code: 'US' } } }).subarray(0, 60),
})) {
  test(`${kind} instead of a database is an error that names the variable and the file`, async () => {
    const geoipFile = keep('broken.mmdb', contents);
    await assert.rejects(openCountries({ countryHeader: null, geoipFile }), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.equal(error.message, `LATCHKEY_GEOIP_FILE names ${geoipFile}, which is not a MaxMind DB (.mmdb) file`);
      return true;
    });
  });
}

/** A copy of a sound database, with these bytes in place of the country DE. */
function damaged(sound: Buffer, bytes: readonly number[]): string {
  const contents = Buffer.from(sound);
  // The byte before the text states its type and length.
  Buffer.from(bytes).copy(contents, contents.indexOf('DE') - 1);
  return keep('damaged.mmdb', contents);
}
const UNKNOWN_TYPE = [0x00, 0x7f, 0x7f];

describe('with a damaged record', () => {
  for (const [kind, bytes] of Object.entries({
    'of an unknown type': UNKNOWN_TYPE,
    // A pointer to the beginning of the record.
    'that contains itself': [0x20, 0x00, 0x00],
  }))
    test(`${kind}, the addresses that lead there are in no known country, and only the first is reported`, async () => {
      const faults: unknown[] = [];
      const geoipFile = damaged(readFileSync(bothFamilies), bytes);
      const { countryOf } = await openCountries({ countryHeader: null, geoipFile }, (fault) => faults.push(fault));
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) assert.equal(countryOf(address, {}), null);
      assert.equal(countryOf('198.51.100.128', {}), 'NZ');
      assert.equal(faults.length, 1);
    });

  test('the service answers the calls of such addresses, and the log says so once', async (test) => {
    const loopback = writeMmdb(4, { '127.0.0.0/8': { country: { iso_code: 'DE' } } });
    const geoipFile = damaged(loopback, UNKNOWN_TYPE);
    const service = await startServerProcess({ engine: 'sqlite', file: '' }, { LATCHKEY_GEOIP_FILE: geoipFile });
    test.after(() => service.kill());
    for (let count = 0; count < 3; count += 1)
      assert.equal((await service.send('/verify', { licenseKey: 'none', productId: 'app' })).status, 404);
    assert.equal(await service.stop(), 0);
    const [line, ...more] = service.log.filter(({ event }) => event === 'countries.damaged');
    assert.match(String(line?.failure), /type/);
    assert.deepEqual(more, []);
  });
});
