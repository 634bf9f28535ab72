/** Amounts of money in words for people. */

/**
 * An amount with its currency in the form of the console: `€49.00` for 4900 and `eur`.
 *
 * @param amount in the smallest unit of the currency. One with decimals is in no such unit, so it stays as it was sent
 * @param currency three letters, in any case; as shops send it, so it may be none
 */
export function moneyText(amount: number, currency: string): string {
  const asSent = `${amount} ${currency}`.trimEnd();
  if (!Number.isSafeInteger(amount)) return asSent;
  try {
    const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
    return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
  } catch {
    // It is no code of a currency.
    return asSent;
  }
}
