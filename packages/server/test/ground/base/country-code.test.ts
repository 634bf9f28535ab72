import assert from 'node:assert/strict';
import { it } from 'node:test';
import { COUNTRY_CODES, isCountryCode } from '../../../src/ground/base/country-code.ts';

/** The code of Unicode for an unknown region. */
const UNKNOWN_REGION = 'ZZ';

it('the codes of countries are those that Unicode has a name for', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  const named = pairs.filter((code) => code !== UNKNOWN_REGION && names.of(code) !== undefined);
  assert.deepEqual(COUNTRY_CODES, named);
  assert.deepEqual(pairs.filter(isCountryCode), named);
  for (const code of ['de', 'DEU', ' DE', '', '276']) assert.equal(isCountryCode(code), false, code);
});
