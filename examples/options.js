/** Constants in an app of your own. Here they are options, so that the examples run against any service. */
import { existsSync, readFileSync } from 'node:fs';

const certificate = process.env.LATCHKEY_CA ?? 'data/tls-cert.pem';

export const options = {
  server: process.env.LATCHKEY_SERVER ?? 'https://localhost:8443',
  productId: 'app',
  // Only for a service whose certificate no known authority has signed.
  ...(existsSync(certificate) ? { ca: readFileSync(certificate, 'utf8') } : {}),
  // Where the state is kept; without it a folder of the user's.
  ...(process.env.LATCHKEY_STATE === undefined ? {} : { directory: process.env.LATCHKEY_STATE }),
  // { issuer, publicKeys }, as `npm run latchkey -- list-signing-keys --for-app` prints them.
  ...JSON.parse(process.env.LATCHKEY_KEYS ?? '{}'),
};
