/** The rule for names in the head of mails: of brands, and of products (rules 13.1). */
import { holdsAddress, holdsHost } from '../../ground/base/link-like-name.ts';
import type { Scope } from './caller.ts';
import { type Refusal, refuse } from './refusals.ts';

/**
 * Refuses a name that readers of an e-mail would take for an address or a link: it would stand beside the address of
 * the operator. Some products are rightly named like a host, so the operator may set such a name and a creator may not.
 *
 * @param scope the caller's
 */
export function refuseName(name: string | undefined, { creatorId }: Scope): Refusal<'invalid_field'> | null {
  if (name === undefined) return null;
  const invalid = (message: string) => refuse('invalid_field', { details: { message: `name ${message}` } });
  if (holdsAddress(name)) return invalid('must not look like an e-mail address or a link');
  if (creatorId !== null && holdsHost(name))
    return invalid('must not contain a name of a host, such as example.com; the operator can set one');
  return null;
}
