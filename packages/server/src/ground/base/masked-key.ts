/** License keys as the log shows them. */

/**
 * Masks a license key: enough remains to identify it with a customer on the phone, too little to use it. A value of any
 * other form is hidden completely, because it may be a misplaced secret.
 */
export function maskLicenseKey(licenseKey: unknown): string | undefined {
  if (typeof licenseKey !== 'string') return undefined;
  const key = licenseKey.trim().toUpperCase();
  return /^\w{5}(-\w{5}){4}$/.test(key) ? `${key.slice(0, 5)}…${key.slice(-5)}` : '…';
}
