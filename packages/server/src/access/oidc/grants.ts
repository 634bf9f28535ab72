/** Grants: which claim of a person's account gives which rights in the console (rules 5.7). */
import { foldEmail } from '../../ground/base/typed-text.ts';
import type { Role } from '../../platform/endpoint/role.ts';
import { type Claims, verifiedEmailOf } from './claims.ts';

/** A role of the operator's people, or the rights of a creator. */
export type Rights =
  | { readonly kind: 'operator'; readonly role: Role }
  | { readonly kind: 'creator'; readonly creatorId: string };

/** The rights of each person whose claim has the value, or a list with it. */
export interface Grant {
  readonly claim: string;
  readonly value: string;
  readonly rights: Rights;
}

/** Why a person has no rights. */
export const NO_RIGHTS = ['not_mapped', 'email_not_verified'] as const;
export type NoRights = (typeof NO_RIGHTS)[number];

/**
 * The rights of a person: those of the first grant that fits.
 *
 * @returns the reason for a person without rights: `email_not_verified` if a verified address would have given some
 */
export function rightsOf(grants: readonly Grant[], claims: Claims): Rights | NoRights {
  const email = verifiedEmailOf(claims);
  const given = grants.find((grant) => fits(grant, claims, email));
  if (given !== undefined) return given.rights;
  const unverified = claims.email;
  const isNearly =
    email === null && typeof unverified === 'string' && grants.some((grant) => fits(grant, claims, unverified));
  return isNearly ? 'email_not_verified' : 'not_mapped';
}

function fits({ claim, value }: Grant, claims: Claims, email: string | null): boolean {
  // An address that is not verified may be anybody's.
  if (claim === 'email') return email !== null && foldEmail(email) === foldEmail(value);
  const shown = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const values = Array.isArray(shown) ? shown : [shown];
  return values.some((each) => each === value);
}
