import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { LICENSED_PRODUCTS } from '../src/catalogue.ts';
import { productsOf } from '../src/destinations.ts';
import { ENDPOINTS } from '../src/endpoints.ts';
import { OptionsError } from '../src/option-values.ts';
import { readOptions } from '../src/options.ts';
import { readScaleOptions } from '../src/scale-options.ts';
import { readSoakOptions } from '../src/soak-options.ts';

function checksCommandLine(read: (args: readonly string[]) => object | null, refused: readonly string[][]): void {
  it('asks for help', () => assert.equal(read(['--help']), null));
  for (const args of refused)
    it(`refuses ${args.join(' ')}`, () => {
      assert.throws(() => read(args), OptionsError);
    });
}

describe('the command line of the benchmark', () => {
  it('measures everything on SQLite over TLS when it says nothing', () => {
    const options = readOptions([]);
    assert.ok(options);
    assert.deepEqual(options.endpoints, ENDPOINTS);
    assert.equal(options.subject, 'latchkey');
    assert.equal(options.engine, 'sqlite');
    assert.equal(options.tls, true);
    assert.equal(options.licenses, 100_000);
    assert.equal(options.jsonFile, null);
    assert.equal(options.nodes, 1);
    assert.equal(options.filled, 20_000);
  });

  it('takes thousands and millions of licenses', () => {
    assert.equal(readOptions(['--licenses', '10k'])?.licenses, 10_000);
    assert.equal(readOptions(['--licenses', '10M'])?.licenses, 10_000_000);
    assert.equal(readOptions(['--licenses=2500'])?.licenses, 2500);
  });

  it('brings the endpoints it names into the order of measuring', () => {
    assert.deepEqual(readOptions(['--endpoint', 'activate, verify'])?.endpoints, ['verify', 'activate']);
  });

  it('takes several nodes on PostgreSQL', () => {
    assert.equal(readOptions(['--nodes', '4', '--engine', 'postgres'])?.nodes, 4);
  });

  it('finds paths from the directory in which npm was called, which starts programs in the folder of their package', (test) => {
    const { INIT_CWD } = process.env;
    test.after(() => {
      if (INIT_CWD === undefined) delete process.env.INIT_CWD;
      else process.env.INIT_CWD = INIT_CWD;
    });
    process.env.INIT_CWD = join('/srv', 'latchkey');
    const given = ['--beside', '../other', '--json', 'figures.json'];
    const { beside, jsonFile } = readOptions(given)!;
    assert.deepEqual([beside, jsonFile], [resolve('/srv/other'), resolve('/srv/latchkey/figures.json')]);
    assert.equal(readScaleOptions(['--json', 'figures.json'])?.jsonFile, resolve('/srv/latchkey/figures.json'));
    delete process.env.INIT_CWD;
    assert.equal(readOptions(given)?.beside, resolve('../other'));
  });

  it('compares another checkout with no control', () => {
    assert.equal(readOptions([])?.beside, null);
    assert.throws(() => readOptions(['--beside', '../other', '--subject', 'control']), OptionsError);
  });

  it('measures twice unless it says how often servers start anew', () => {
    assert.equal(readOptions([])?.starts, 2);
    assert.equal(readOptions(['--starts', '5'])?.starts, 5);
    assert.throws(() => readOptions(['--starts', '0']), OptionsError);
  });

  it('binds known machines, too, unless it says how many new ones each license gets', () => {
    assert.equal(readOptions([])?.machinesPerLicense, null);
    assert.equal(readOptions(['--machines-per-license', '14'])?.machinesPerLicense, 14);
  });

  it('creates destinations on Latchkey alone', () => {
    assert.equal(readOptions([])?.destinations, null);
    assert.deepEqual(readOptions(['--destinations', '100'])?.destinations, { count: 100, matching: 'none' });
    const shared = readOptions(['--destinations', '3', '--matching', 'share'])?.destinations;
    assert.deepEqual(shared, { count: 3, matching: 'share' });
    assert.throws(() => readOptions(['--matching', 'share']), OptionsError);
    assert.throws(() => readOptions(['--destinations', '1', '--subject', 'control']), OptionsError);
  });

  it('has customers at the pages of Latchkey alone', () => {
    assert.equal(readOptions([])?.customers, null);
    assert.equal(readOptions(['--customers', '50'])?.customers, 50);
    assert.equal(readOptions(['--customers', '5', '--licenses', '100'])?.customers, 5);
    assert.throws(() => readOptions(['--customers', '6', '--licenses', '100']), /20 licenses for each/);
    assert.throws(() => readOptions(['--customers', '1', '--subject', 'control']), OptionsError);
  });

  it('has tabs of the console of Latchkey alone, on HTTPS', () => {
    assert.equal(readOptions([])?.tabs, null);
    assert.equal(readOptions(['--tabs', '3'])?.tabs, 3);
    assert.throws(() => readOptions(['--tabs', '3', '--tls', 'off']), /HTTPS/);
    assert.throws(() => readOptions(['--tabs', '1', '--subject', 'control']), OptionsError);
  });

  it('sends each event to one destination, or to none', () => {
    for (const count of [1, 3, 50, 100]) {
      const numbers = Array.from({ length: count }, (_, number) => number);
      const shared = numbers.flatMap((number) => productsOf(number, count, 'share'));
      for (let product = 0; product < LICENSED_PRODUCTS; product += 1)
        assert.equal(shared.filter((each) => each === `product-${product}`).length, 1);
      const none = numbers.flatMap((number) => productsOf(number, count, 'none'));
      assert.ok(!none.some((each) => each.startsWith('product-')));
    }
  });

  checksCommandLine(readOptions, [
    ['--engine', 'oracle'],
    ['--endpoint', 'verify,deactivate'],
    ['--tls', 'yes'],
    ['--licenses', '11M'],
    ['--licenses', '1.5M'],
    ['--machines-per-license', '0'],
    ['--machines-per-license', '15'],
    ['--destinations', '0'],
    ['--destinations', '101'],
    ['--destinations', '1', '--matching', 'all'],
    ['--customers', '0'],
    ['--customers', '1001'],
    ['--tabs', '0'],
    ['--tabs', '101'],
    ['--connections', '0'],
    ['--seconds', '0'],
    ['--seconds', 'ten'],
    ['--windows', '-1'],
    ['--nodes', '2'],
    ['--nodes', '17', '--engine', 'postgres'],
    ['--nodes', '2', '--engine', 'postgres', '--subject', 'control'],
    ['--speed', '11'],
    ['verify'],
  ]);
});

describe('the command line of the scale measurement', () => {
  it('compares a million licenses with ten thousand when it says nothing', () => {
    assert.deepEqual(readScaleOptions([])?.sizes, { small: 10_000, large: 1_000_000 });
  });

  it('measures all endpoints unless some are named', () => {
    assert.deepEqual(readScaleOptions([])?.endpoints, ['verify', 'validate', 'heartbeat', 'activate']);
    assert.deepEqual(readScaleOptions(['--endpoint', 'activate,verify'])?.endpoints, ['verify', 'activate']);
  });

  it('brings the parts it names into the order of measuring', () => {
    const given = ['--part', 'specials,reads,endpoints'];
    assert.deepEqual(readScaleOptions(given)?.parts, ['endpoints', 'reads', 'specials']);
  });

  it('measures all parts unless some are named', () => {
    assert.deepEqual(readScaleOptions([])?.parts, ['endpoints', 'reads', 'support', 'screens', 'specials']);
    assert.ok(!readScaleOptions(['--tls', 'off'])?.parts.includes('screens'), 'browsers keep sessions to HTTPS');
  });

  checksCommandLine(readScaleOptions, [
    ['--small', '9999'],
    ['--small', '2M'],
    ['--part', 'writes'],
    ['--part', 'screens', '--tls', 'off'],
    ['--nodes', '2'],
  ]);
});

describe('the command line of the soak test', () => {
  it('runs for ten minutes when it says nothing', () => {
    assert.equal(readSoakOptions([])?.minutes, 10);
  });

  it('takes parts of a minute', () => assert.equal(readSoakOptions(['--minutes', '0.5'])?.minutes, 0.5));

  checksCommandLine(readSoakOptions, [
    ['--minutes', '0'],
    ['--connections', '501'],
    ['--licenses', '999'],
  ]);
});
