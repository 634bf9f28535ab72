/** Seats of users as lines. */
import Type from 'typebox';
import { importUsers } from '../../licensing/licenses/import.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { isPseudonym } from '../../licensing/licenses/pseudonym.ts';
import { foldUser, type LicenseUser, userField } from '../../licensing/machines/user.ts';
import { listUsersByName, userTable } from '../../licensing/machines/user-store.ts';
import { licenseKeyField, timestamp } from '../../platform/endpoint/field-types.ts';
import { licensesOf, licensesThere, NO_LICENSE } from './license-records.ts';
import { fromTable, type RecordKind } from './record.ts';

/** An older export must not bring names back. */
const FORGOTTEN = 'the customer of the license was forgotten, and its users with them';

const userKey = ({ licenseKey, userFolded }: LicenseUser) => JSON.stringify([licenseKey, userFolded]);

export const userRecords: RecordKind<LicenseUser> = {
  ...fromTable(
    userTable,
    Type.Object({
      licenseKey: licenseKeyField,
      user: userField('The user who holds the seat.'),
      since: Type.Optional(timestamp('When the user got it.')),
      lastSeen: Type.Optional(timestamp('Last sign of life of a machine that the user had before.')),
    }),
    { userFolded: 'made of user' },
  ),
  missing: 'lacks licenseKey or user',
  content(fields, now) {
    const given = fields as Pick<LicenseUser, 'licenseKey' | 'user'> & Partial<LicenseUser>;
    const since = given.since ?? now;
    const content = {
      ...given,
      licenseKey: storedLicenseKey(given.licenseKey),
      userFolded: foldUser(given.user),
      since,
      lastSeen: given.lastSeen ?? since,
    };
    return { id: userKey(content), content };
  },
  async loadExisting(sql, tx, given, planned) {
    const isThere = await licensesThere(sql, tx, given, planned);
    const licenses = await licensesOf(sql, tx, given);
    const forgotten = new Set(licenses.filter(({ email }) => isPseudonym(email)).map(({ licenseKey }) => licenseKey));
    const known = await listUsersByName(sql, given);
    return {
      present: new Map(known.map((user) => [userKey(user), user])),
      refusal({ licenseKey, user }) {
        if (!isThere(licenseKey)) return NO_LICENSE;
        return forgotten.has(licenseKey) && !isPseudonym(user) ? FORGOTTEN : null;
      },
    };
  },
  add: importUsers,
};
