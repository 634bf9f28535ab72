/** The secrets that sign what is sent to destinations. */
import { mintBytes } from '../../ground/base/random.ts';

const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** A new secret in the form of Standard Webhooks: `whsec_` and base64 of 32 random bytes. */
export function mintDestinationSecret(): string {
  return `${PREFIX}${mintBytes(SECRET_BYTES).toString('base64')}`;
}
