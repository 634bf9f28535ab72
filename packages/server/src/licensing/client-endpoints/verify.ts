import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { licenseKeyField, nullable, productIdField, timestamp } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { type AskedTerms, refusalForTerms } from '../licenses/asked-terms.ts';
import {
  type CheckedLicense,
  coversProduct,
  daysRemaining,
  refusalForStatus,
  slotLimit,
  slotsUsed,
} from '../licenses/license.ts';
import { askedFeatures, missingFields, termReplies, termsReply } from '../licenses/terms.ts';
import { buildFields, uncoveredFields } from '../licenses/updates.ts';
import { licenseStatusSchema, licenseTypeSchema } from '../licenses/views.ts';
import { decidedOnLicense } from './license-batch.ts';

const fields = Type.Object({
  licenseKey: licenseKeyField,
  productId: productIdField,
  ...buildFields,
  features: askedFeatures,
});

/** The facts of a call that decide on its refusal. */
interface Asked extends AskedTerms {
  readonly productId: string;
}

/** The refusal of /verify for a license and a call; null when it accepts them. */
export function refusalToVerify(license: CheckedLicense, asked: Asked, now: number) {
  if (!coversProduct(license, asked.productId)) return refuse('wrong_product');
  return refusalForStatus(license, now) ?? refusalForTerms(license, asked, now);
}

export const verify = endpoint({
  path: '/verify',
  access: 'client',
  flag: 'valid',
  summary: 'Check a license key against a product',
  description:
    'Checks a license key against a product without binding a machine; safe to call often and to repeat, it changes ' +
    'nothing. A bundle license answers for every product it unlocks, under the productId that was asked for.',
  example: {
    after: ['/activate'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, productId: EXAMPLE.productId },
    reply: {
      valid: true,
      email: EXAMPLE.email,
      productId: EXAMPLE.productId,
      variant: EXAMPLE.variant,
      licenseType: 'per-machine',
      status: 'active',
      machinesUsed: 1,
      maxMachines: 3,
      createdAt: EXAMPLE_NOW,
      purchasedAt: EXAMPLE_NOW,
      licenseExpiresAt: '2028-03-01T09:30:00.000Z',
      daysRemaining: 366,
    },
  },
  fields,
  reply: Type.Object({
    valid: Type.Literal(true),
    email: Type.String({ description: 'E-mail address of the customer.' }),
    productId: Type.String({ description: 'The productId of the request.' }),
    variant: Type.String({ description: 'Name of the variant.' }),
    licenseType: licenseTypeSchema,
    status: licenseStatusSchema,
    machinesUsed: Type.Integer({ description: 'Slots taken; live sessions for a floating license.' }),
    maxMachines: Type.Integer({ description: 'Number of slots; -1 is unlimited.' }),
    createdAt: timestamp('When the license was created.'),
    purchasedAt: timestamp('When it was bought.'),
    licenseExpiresAt: nullable(timestamp('When it expires; null for a perpetual one.')),
    daysRemaining: nullable(Type.Integer({ description: 'Days until then; null for a perpetual license.' })),
    ...termReplies,
  }),
  refusals: [
    'license_not_found',
    'wrong_product',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'update_not_covered',
    'feature_missing',
  ],
  refusalFields: { update_not_covered: uncoveredFields, feature_missing: missingFields },
}).batched(
  decidedOnLicense('/verify', (license, given, { now }) => {
    const refusal = refusalToVerify(license, given, now);
    if (refusal !== null) return refusal;
    return {
      valid: true,
      email: license.email,
      productId: given.productId,
      variant: license.variant,
      licenseType: license.licenseType,
      // Any other status has been refused above.
      status: 'active',
      machinesUsed: slotsUsed(license),
      maxMachines: slotLimit(license),
      createdAt: license.createdAt,
      purchasedAt: license.purchasedAt,
      licenseExpiresAt: license.expiresAt,
      daysRemaining: daysRemaining(license.expiresAt, now),
      ...termsReply(license, now),
    };
  }),
);
