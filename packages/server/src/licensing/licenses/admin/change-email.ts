import Type from 'typebox';
import { foldEmail } from '../../../ground/base/typed-text.ts';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../../platform/endpoint/example-values.ts';
import { email, licenseKeyField, success } from '../../../platform/endpoint/field-types.ts';
import { refuse } from '../../../platform/endpoint/refusals.ts';
import { refusalOfShown } from '../../../platform/endpoint/shown-values.ts';
import { changeEmailsOf, emailChangeOf, LICENSES_AT_ONCE } from '../email-change.ts';
import { storedLicenseKey } from '../license.ts';
import { lockPredecessors } from '../replacement.ts';
import { saveLicenses } from '../save.ts';
import { lockLicense } from '../store.ts';
import { seenLicense, shownFields } from './shown-values.ts';

const MISSING = 'Missing newEmail, and licenseKey or email';

export const changeEmail = endpoint({
  path: '/changeEmail',
  access: 'superAdmin',
  summary: 'Give a license, or all licenses of an address, another e-mail address',
  description:
    'Takes `newEmail` and exactly one of `licenseKey` and `email`. With `email`, all licenses of that address are changed, ' +
    `${LICENSES_AT_ONCE} in one call: repeat the call until \`remaining\` is false. Who redeemed which trial code stays as ` +
    'it is: a new address neither gives nor takes a trial. Studio orders keep the address that they were bought with. ' +
    'A storefront that sends events without a purchaseId must name the new address from then on. With `licenseKey`, ' +
    '`wasEmail` is the address that the caller saw: if the license has another one by then, nothing is changed, and the ' +
    'answer is 409 with the author of that change.',
  example: {
    after: ['/createLicense'],
    request: { newEmail: 'ada@example.org', email: EXAMPLE.email },
    reply: { success: true, changed: 1, remaining: false },
  },
  fields: Type.Object({
    newEmail: email('The address from now on.'),
    licenseKey: Type.Optional(licenseKeyField),
    wasEmail: Type.Optional(shownFields.wasEmail),
    undoes: Type.Optional(shownFields.undoes),
    email: Type.Optional(email('Changes all licenses of this address; compared without case.')),
  }),
  missing: MISSING,
  reply: success({
    changed: Type.Integer({
      description: 'How many licenses got the address, replaced keys included; 0 where all had it already.',
    }),
    remaining: Type.Boolean({ description: 'Whether the former address has further licenses: repeat the call.' }),
  }),
  refusals: ['license_not_found', 'changed_meanwhile'],
}).write(async (tx, { fields: { newEmail, licenseKey, email: former, wasEmail, undoes }, scope, origin }) => {
  if (licenseKey !== undefined && former !== undefined)
    return refuse('invalid_field', { details: { message: 'Provide licenseKey or email, not both' } });
  if (former !== undefined && wasEmail !== undefined)
    return refuse('invalid_field', {
      details: { message: 'wasEmail belongs to licenseKey; email names the former address' },
    });
  if (former !== undefined && undoes !== undefined)
    return refuse('invalid_field', { details: { message: 'undoes belongs to licenseKey' } });
  if (former !== undefined) {
    if (foldEmail(former) === foldEmail(newEmail))
      return refuse('invalid_field', { details: { message: 'newEmail is the address that the licenses have' } });
    const { changed, isMore } = await changeEmailsOf(tx, origin, { email: former, newEmail });
    return { success: true, changed: changed.length, remaining: isMore };
  }
  if (licenseKey === undefined) return refuse('missing_fields', { details: { message: MISSING } });
  const license = await lockLicense(tx, storedLicenseKey(licenseKey), scope);
  if (license === undefined) return refuse('license_not_found');
  const changed = await refusalOfShown(tx, seenLicense(license), { wasEmail, undoes }, scope);
  if (changed !== null) return changed;
  // The rows of its former keys go along, or forgetting the new address would leave the former one on them.
  const line = [license, ...(await lockPredecessors(tx, license))];
  const saves = line.flatMap((each) => emailChangeOf(each, newEmail, origin) ?? []);
  await saveLicenses(tx, saves, origin.now);
  return { success: true, changed: saves.length, remaining: false };
});
