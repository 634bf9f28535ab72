/** Requests of apps without a connection, for tests. */

/** The request that an app without a connection writes. */
export function requestOf(fields: Readonly<Record<string, unknown>>): string {
  const whole = { v: 1, productId: 'app', fingerprint: 'far', hostname: 'Far away', client: 'test', ...fields };
  const body = Buffer.from(JSON.stringify(whole)).toString('base64url');
  return `-----BEGIN LATCHKEY REQUEST-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END LATCHKEY REQUEST-----\n`;
}
