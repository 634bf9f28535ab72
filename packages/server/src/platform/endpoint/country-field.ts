/** The request field `country`: the code of a country. */
import Type from 'typebox';
import { isCountryCode } from '../../ground/base/country-code.ts';
import { type Refusal, refuse } from './refusals.ts';

const ERROR_TEXT = 'must be the two-letter code of a country, for example DE';

/** The code of a country; {@link refusalForCountry} refuses two letters that are the code of no country. */
export function countryField(description: string) {
  return Type.String({
    description: `${description} Two letters, as in ISO 3166, in any case.`,
    pattern: '^[A-Za-z]{2}$',
    maxLength: 2,
    errorText: ERROR_TEXT,
  });
}

/** The refusal of a code of no country; null for a country, and without one. */
export function refusalForCountry(country: string | undefined): Refusal<'invalid_field'> | null {
  return country === undefined || isCountryCode(country.toUpperCase())
    ? null
    : refuse('invalid_field', { details: { message: `country ${ERROR_TEXT}` } });
}
