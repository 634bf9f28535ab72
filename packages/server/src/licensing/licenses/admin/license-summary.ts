/** Licenses as lists show them. */
import Type from 'typebox';
import type { ReplyOf } from '../../../platform/endpoint/endpoint.ts';
import { nullable, resource, timestamp } from '../../../platform/endpoint/field-types.ts';
import { parseStored } from '../../../storage/contract/stored-json.ts';
import { shownLicenseKey, statusAt } from '../license.ts';
import type { ListedLicense } from '../listing-store.ts';
import { licenseTermsFrom } from '../own-terms.ts';
import { licenseStatusSchema, licenseTypeSchema } from '../views.ts';

export const licenseSummarySchema = resource(
  'LicenseSummary',
  'A license as lists show it; /getLicense shows all fields.',
  {
    key: Type.String({ description: 'License key.' }),
    email: Type.String({ description: 'E-mail address of the customer.' }),
    productId: Type.String({ description: 'Product that it is for.' }),
    variant: Type.String({ description: 'Name of the variant.' }),
    status: licenseStatusSchema,
    maxMachines: Type.Integer({ description: '-1 is unlimited.' }),
    createdAt: timestamp('When the license was created.'),
    licenseType: Type.Optional(licenseTypeSchema),
    expiresAt: Type.Optional(nullable(timestamp('With `detail`. Null is perpetual.'))),
    waiting: Type.Optional(
      Type.Literal(true, { description: 'With `detail`: its length begins with the first activation.' }),
    ),
    machinesUsed: Type.Optional(Type.Integer({ description: 'With `detail`: machines that it is bound to.' })),
    maxConcurrent: Type.Optional(nullable(Type.Integer({ description: 'With `detail`. Floating licenses only.' }))),
    threatLevel: Type.Optional(Type.Integer({ description: 'With `detail`: 0 to 4.' })),
  },
);

/** A license of a list. @param detail whether to add the fields of `detail` */
export function licenseSummary(
  license: ListedLicense,
  detail: boolean,
  now: number,
): ReplyOf<typeof licenseSummarySchema> {
  return {
    key: shownLicenseKey(license),
    email: license.email,
    productId: license.productId,
    variant: license.variant,
    status: statusAt(license, now),
    maxMachines: license.maxMachines,
    createdAt: license.createdAt,
    ...(detail ? detailsOf(license) : {}),
  };
}

function detailsOf(license: ListedLicense) {
  const { licenseType, expiresAt, machinesUsed, maxConcurrent, threatLevel } = license;
  const details = { licenseType, expiresAt, machinesUsed, maxConcurrent, threatLevel };
  return hasWaitingLength(license) ? { ...details, waiting: true as const } : details;
}

/** Whether the length of a license begins with its first activation. A length of updates alone says nothing of it. */
function hasWaitingLength({ terms }: ListedLicense): boolean {
  if (terms === null) return false;
  const { waiting } = licenseTermsFrom(parseStored(terms));
  return waiting?.days !== undefined || waiting?.months !== undefined;
}
