/** Amounts with decimals as whole numbers of the smallest unit of their currency. */
import { UnknownShape } from './fields.ts';

/** Currencies of ISO 4217 whose smallest unit is not a hundredth, by the decimals that they have. */
const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
};
const USUAL_DECIMALS = 2;

/**
 * A decimal number such as `49.9` of a currency in its smallest unit: 4990 cents. Digits beyond that unit are rounded,
 * because sellers compute taxes with more of them.
 *
 * @throws {UnknownShape} for an amount beyond exact whole numbers
 */
export function minorUnitsOf(decimal: string, currency: string): number {
  const decimals = DECIMALS[currency] ?? USUAL_DECIMALS;
  const isNegative = decimal.startsWith('-');
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.');
  const digits = fraction.padEnd(decimals + 1, '0');
  const roundsUp = Number(digits[decimals]) >= 5;
  const units = Number(whole + digits.slice(0, decimals)) + (roundsUp ? 1 : 0);
  if (!Number.isSafeInteger(units)) throw new UnknownShape('amount');
  return isNegative && units !== 0 ? -units : units;
}
