import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import {
  endTimestamp,
  licenseKeyField,
  listOfText,
  machineLimit,
  nullable,
  oneOf,
  text,
  wholeNumber,
} from '../../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../../platform/endpoint/refusals.ts';
import { refusalOfShown } from '../../../platform/endpoint/shown-values.ts';
import { LICENSE_TYPES } from '../../products/license-type.ts';
import { findProduct } from '../../products/store.ts';
import { findVariant } from '../../products/variant-store.ts';
import { changeLicense } from '../change.ts';
import { exampleLicense } from '../examples.ts';
import { stricterRevocation } from '../license.ts';
import { metadataAfter, metadataChangeField } from '../metadata.ts';
import { refusalOfReplaced, successorFields } from '../replacement.ts';
import { changedLicenseTerms, ownTermsAfter } from '../terms.ts';
import { endsSessions, termsOfVariant } from '../variant-change.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';
import { endedAt } from '../waiting.ts';
import { seenLicense, shownFields, shownTermFields } from './shown-values.ts';
import { extensionsAfter, mayOnlyExtend, SUPPORT_LIMIT, type SupportExtensions } from './support-extension.ts';
import { findExtensions, saveExtensions } from './support-extension-store.ts';

export const updateLicense = endpoint({
  path: '/updateLicense',
  access: 'admin',
  needs: 'support',
  limits: { support: SUPPORT_LIMIT },
  summary: 'Change a license',
  description:
    'Changes the given fields and leaves the others. `status` overrides directly: `active` lifts any revocation ' +
    "except a chargeback's, `revoked` is a revocation without a reason. Bound machines keep working when a limit is " +
    'lowered; no further one fits until enough are gone. In the console, the role support may only move `expiresAt`: ' +
    'by at most 30 days, counted from the end that the license had before its first extension by support within 30 ' +
    'days. `wasExpiresAt` and the like are values that the caller saw: if the license has another value by then, ' +
    'nothing is changed, and the answer is 409 with the author of that change.',
  example: {
    after: ['/createLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, maxMachines: 5 },
    reply: { success: true, license: { ...exampleLicense, maxMachines: 5 } },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    variant: Type.Optional(text('Variant name.')),
    terms: Type.Optional(
      oneOf(
        '`variant`: type, limits, grace, updates and unlocked products of the variant anew, as a new license would get ' +
          'them, but for those that the request names. Its expiry and its own features stay.',
        ['variant'],
      ),
    ),
    licenseType: Type.Optional(oneOf('Type of the license.', LICENSE_TYPES)),
    maxMachines: Type.Optional(machineLimit('Maximum number of machines; -1 is unlimited.')),
    maxConcurrent: Type.Optional(wholeNumber('Floating sessions at once.', 1)),
    expiresAt: Type.Optional(
      nullable(endTimestamp('Null makes it perpetual. Wins over a time that waits for the first activation.')),
    ),
    status: Type.Optional(oneOf('Direct override.', ['active', 'revoked'])),
    unlockedProducts: Type.Optional(listOfText('Further products that it opens.')),
    ...changedLicenseTerms,
    metadata: Type.Optional(
      metadataChangeField('Merged into the metadata of the license; null takes a name away. At most 50 names.'),
    ),
    wasVariant: Type.Optional(shownFields.wasVariant),
    wasLicenseType: Type.Optional(shownFields.wasLicenseType),
    wasMaxMachines: Type.Optional(shownFields.wasMaxMachines),
    wasMaxConcurrent: Type.Optional(shownFields.wasMaxConcurrent),
    wasExpiresAt: Type.Optional(shownFields.wasExpiresAt),
    ...shownTermFields,
    undoes: Type.Optional(shownFields.undoes),
  }),
  reply: changedLicenseSchema,
  refusals: [
    'license_not_found',
    'role_not_allowed',
    'changed_meanwhile',
    'license_already_replaced',
    'product_archived',
    'chargeback_revocation',
    'variant_not_found',
  ],
  refusalFields: { license_already_replaced: successorFields },
}).write(async (tx, { fields, caller, scope, origin }) => {
  let extensions = null as SupportExtensions | null;
  const changed = await changeLicense(
    tx,
    origin,
    {
      licenseKey: fields.licenseKey,
      scope,
      load: async (license) => ({
        variant: fields.terms && (await findVariant(tx, license.productId, fields.variant ?? license.variant)),
        product: await findProduct(tx, license.productId, scope),
        extended: mayOnlyExtend(caller) ? await findExtensions(tx, license.licenseKey) : undefined,
        changed: await refusalOfShown(tx, seenLicense(license), fields, scope),
      }),
    },
    (license, { variant, product, extended, changed }) => {
      const refusal = changed ?? refusalOfReplaced(license);
      if (refusal !== null) return refusal;
      if (mayOnlyExtend(caller)) {
        extensions = extensionsAfter(fields, license, extended, origin.now);
        if (extensions === null) return refuse('role_not_allowed');
      }
      if (product?.status === 'archived') return refuse('product_archived');
      if (fields.status === 'active' && license.revocation === 'chargeback') return refuse('chargeback_revocation');
      if (fields.terms !== undefined && variant === undefined) return refuse('variant_not_found');
      const renewed = variant === undefined ? license : { ...license, ...termsOfVariant(license, variant, origin.now) };
      const described = metadataAfter(license.metadata, fields.metadata);
      if (isRefusal(described)) return described;
      const { licenseType = renewed.licenseType } = fields;
      const own = ownTermsAfter(renewed, fields);
      const isEnded = endsSessions(license, { licenseType });
      const revocation = { active: null, revoked: stricterRevocation(license.revocation, 'plain') } as const;
      return {
        type: 'license.updated',
        update: {
          licenseType,
          variant: fields.variant ?? license.variant,
          maxMachines: fields.maxMachines ?? renewed.maxMachines,
          maxConcurrent: fields.maxConcurrent ?? renewed.maxConcurrent,
          revocation: fields.status === undefined ? license.revocation : revocation[fields.status],
          sessionsHeld: isEnded ? 0 : license.sessionsHeld,
          unlockedProducts: fields.unlockedProducts ?? renewed.unlockedProducts,
          metadata: described.metadata,
          ...own,
          ...(fields.expiresAt === undefined ? {} : endedAt(own, fields.expiresAt, origin.now)),
        },
        ...(isEnded ? { machines: 'end all sessions' as const } : {}),
      };
    },
  );
  if (!isRefusal(changed) && extensions !== null) await saveExtensions(tx, extensions);
  return isRefusal(changed) ? changed : changedLicenseReply(changed, origin.now);
});
