/** The claims that a provider makes about a person, and what the service takes from them. */
import { hash } from 'node:crypto';
import { PROVIDER_SOURCE } from '../console/session.ts';

/** The claims of an ID token, completed by those of the UserInfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

/** Longest part of a name that is shown, in characters. */
const LONGEST_NAME = 60;
const LONGEST_EMAIL = 254;
/** Longest part of an account's id that is shown, in characters. */
const LONGEST_SUBJECT = 40;

/**
 * The claims about a person. Those of the ID token count first, but for an address that only the UserInfo endpoint
 * calls verified.
 */
export function joinedClaims(ofToken: Claims, ofUserInfo: Claims): Claims {
  const joined = { ...ofUserInfo, ...ofToken };
  if (verifiedEmailOf(ofToken) !== null || verifiedEmailOf(ofUserInfo) === null) return joined;
  const { email, email_verified } = ofUserInfo;
  return { ...joined, email, email_verified };
}

/** The address of a person if the provider verified it; null otherwise. Some providers write the flag as text. */
export function verifiedEmailOf({ email, email_verified: isVerified }: Claims): string | null {
  if (isVerified !== true && isVerified !== 'true') return null;
  return typeof email === 'string' && /^[^\s\p{C}()]+@[^\s\p{C}()]+$/u.test(email) && email.length <= LONGEST_EMAIL
    ? email
    : null;
}

/** Identifies a person's account for good: unlike names and addresses, a provider never gives it to somebody else. */
export function sourceOf(issuer: string, subject: string): string {
  return `${PROVIDER_SOURCE}${hash('sha256', JSON.stringify([issuer, subject]), 'hex')}`;
}

/**
 * The name of a person in events and lists: `Ada Lovelace (ada@example.com)`. The part in parentheses is unique at the
 * provider, the name before it may be chosen freely. Without a verified address it is the account.
 */
export function nameOfPerson(claims: Claims, subject: string): string {
  const shortened = subject.length > LONGEST_SUBJECT ? `${subject.slice(0, LONGEST_SUBJECT)}…` : subject;
  const unique = verifiedEmailOf(claims) ?? `account ${plain(shortened)}`;
  const chosen = typeof claims.name === 'string' ? plain(claims.name).slice(0, LONGEST_NAME).trim() : '';
  // Events call a person with the admin secret `admin (Ada)`.
  return chosen === '' || /^admin\b/i.test(chosen) ? unique : `${chosen} (${unique})`;
}

/** A text without the characters that could imitate the form of a name. */
function plain(text: string): string {
  return text
    .replace(/[\p{C}()<>@]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
