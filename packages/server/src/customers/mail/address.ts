/**
 * The rule for recipients: one e-mail goes to one mailbox, whatever stands in a stored address.
 *
 * A stored address is only known to have one @ and no blanks. Mail programs read more into it: for
 * `victim<attacker@evil.example>` they deliver to attacker@evil.example, and a comma makes two recipients.
 */
import { hash } from 'node:crypto';

/** RFC 5321 4.5.3.1: more octets than this do not fit into the command that names a recipient. */
const MAX_OCTETS = 254;

/** No character with a meaning in an address list (RFC 5322 3.2.3), no blank, nothing invisible. */
const LOCAL_PART = /^[^\s<>()[\],;:"\\@\p{C}\p{Z}]+$/u;
/** Letters, digits, and no other separators than dots and hyphens. */
const DOMAIN = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}.-]*$/u;
/** Belongs to nobody (RFC 2606); the addresses of forgotten customers end with it. */
const NOBODY = /(^|\.)invalid\.?$/i;

/** True if an e-mail to this address can reach one mailbox only. */
export function isMailable(address: string): boolean {
  const [local = '', domain = '', ...more] = address.split('@');
  return (
    more.length === 0 &&
    LOCAL_PART.test(local) &&
    DOMAIN.test(domain) &&
    !NOBODY.test(domain) &&
    Buffer.byteLength(address) <= MAX_OCTETS
  );
}

/** The name of an address in counters, which then hold no address. */
export function hashOfAddress(emailFolded: string): string {
  return hash('sha256', `latchkey-address:${emailFolded}`, 'base64url');
}
