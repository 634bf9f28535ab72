import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENDPOINTS } from '../src/endpoints.ts';
import { OptionsError, readOptions } from '../src/options.ts';

describe('the command line', () => {
  it('measures everything on SQLite over TLS when it says nothing', () => {
    const options = readOptions([]);
    assert.ok(options);
    assert.deepEqual(options.endpoints, ENDPOINTS);
    assert.equal(options.subject, 'latchkey');
    assert.equal(options.engine, 'sqlite');
    assert.equal(options.tls, true);
    assert.equal(options.licenses, 100_000);
    assert.equal(options.jsonFile, null);
  });

  it('takes thousands and millions of licenses', () => {
    assert.equal(readOptions(['--licenses', '10k'])?.licenses, 10_000);
    assert.equal(readOptions(['--licenses', '10M'])?.licenses, 10_000_000);
    assert.equal(readOptions(['--licenses=2500'])?.licenses, 2500);
  });

  it('brings the endpoints it names into the order of measuring', () => {
    assert.deepEqual(readOptions(['--endpoint', 'activate, verify'])?.endpoints, ['verify', 'activate']);
  });

  it('asks for help', () => assert.equal(readOptions(['--help']), null));

  for (const args of [
    ['--engine', 'oracle'],
    ['--endpoint', 'verify,deactivate'],
    ['--tls', 'yes'],
    ['--licenses', '11M'],
    ['--licenses', '1.5M'],
    ['--connections', '0'],
    ['--seconds', '0'],
    ['--seconds', 'ten'],
    ['--windows', '-1'],
    ['--speed', '11'],
    ['verify'],
  ]) {
    it(`refuses ${args.join(' ')}`, () => {
      assert.throws(() => readOptions(args), OptionsError);
    });
  }
});
