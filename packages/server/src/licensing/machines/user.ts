/** The user: a person who holds a seat of a license with named users (rules 14.9). */
import { foldEmail } from '../../ground/base/typed-text.ts';
import { text } from '../../platform/endpoint/field-types.ts';

/** The seat of a user. It stays without a machine, unless the seats of the license float. */
export interface LicenseUser {
  readonly licenseKey: string;
  /** The form for comparison; see {@link foldUser}. */
  readonly userFolded: string;
  /** As the app named the user first. */
  readonly user: string;
  /** Timestamp. */
  readonly since: string;
  /** The last sign of life of a machine that the user had and has no more; {@link since} before the first. */
  readonly lastSeen: string;
}

/** A user by license and name. */
export type UserOfLicense = Pick<LicenseUser, 'licenseKey' | 'userFolded'>;

/** Maximum length of the name of a user. */
export const LONGEST_USER = 255;

/** The name of a user: an e-mail address or any other name, kept as it is given. */
export function userField(description: string) {
  return {
    ...text(description, LONGEST_USER),
    pattern: '\\S',
    errorText: `must be a string of 1 to ${LONGEST_USER} characters, not all of them blank`,
  };
}

/** The form in which names of users are compared: that of e-mail addresses. */
export function foldUser(user: string): string {
  return foldEmail(user);
}

/** The fields of a machine that name its user. */
export function userOf(given: string | undefined): {
  readonly user: string | null;
  readonly userFolded: string | null;
} {
  return given === undefined ? { user: null, userFolded: null } : { user: given, userFolded: foldUser(given) };
}
