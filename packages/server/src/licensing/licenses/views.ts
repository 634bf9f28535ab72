/** Licenses, activations and violations as admin endpoints show them (rules 2.1, 2.2, 2.3). */
import Type from 'typebox';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { nullable, oneOf, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import type { Facts } from '../../platform/events/event.ts';
import { type Activation, isSessionLive } from '../machines/activation.ts';
import { LICENSE_TYPES } from '../products/license-type.ts';
import { setTerms } from '../products/terms.ts';
import { DETECTED_TYPES } from '../violations/observation.ts';
import { REPORTED_TYPES, type Violation } from '../violations/violation.ts';
import { LICENSE_STATUSES, type License, shownLicenseKey, statusAt } from './license.ts';
import { type Metadata, metadataField } from './metadata.ts';
import { factsOfTerms, shownTerms, termsView } from './terms.ts';

const optionalText = (description: string) => nullable(Type.String({ description }));

/** The type of a license as a reply field. */
export const licenseTypeSchema = oneOf('Type of the license.', LICENSE_TYPES, 'LicenseType');

/** The status of a license as a reply field. */
export const licenseStatusSchema = oneOf('Status at this moment.', LICENSE_STATUSES, 'LicenseStatus');

/** The metadata of a license as a reply field. */
const shownMetadata = {
  metadata: Type.Optional(metadataField("The vendor's own facts: texts by name; absent without any.")),
};

export const licenseSchema = resource('License', 'A license with all of its fields.', {
  key: Type.String({ description: 'License key; one from elsewhere in the form in which it was issued.' }),
  email: Type.String({ description: 'E-mail address of the customer.' }),
  productId: Type.String({ description: 'Product that it is for.' }),
  variant: Type.String({ description: 'Name of the variant.' }),
  licenseType: licenseTypeSchema,
  status: licenseStatusSchema,
  maxMachines: Type.Integer({ description: '-1 is unlimited.' }),
  maxConcurrent: nullable(Type.Integer({ description: 'Floating licenses only.' })),
  createdAt: timestamp('When the license was created.'),
  purchasedAt: timestamp('When it was bought; createdAt where nothing better is known.'),
  expiresAt: nullable(timestamp('Null is perpetual.')),
  discountCode: optionalText('Code applied at purchase.'),
  purchaseId: optionalText("The storefront's transaction."),
  bundleId: optionalText('Bundle it belongs to.'),
  unlockedProducts: Type.Array(Type.String(), { description: 'Further products that it opens.' }),
  threatLevel: Type.Integer({ description: '0 to 4: the highest severity among open violations.' }),
  disputeReason: nullable(oneOf('Set by a refund or chargeback.', ['refund', 'chargeback'], 'DisputeReason')),
  replaces: Type.Optional(Type.String({ description: 'Key whose place this one took; absent without one.' })),
  replacedBy: Type.Optional(Type.String({ description: 'Key that took the place of this one; absent without one.' })),
  ...shownTerms,
  ...shownMetadata,
});

/** Every field of a license and the terms that it has. */
export function licenseView(license: License, now: number): ReplyOf<typeof licenseSchema> {
  return { ...fieldsView(license, now), ...setTerms(termsView(license, now)), ...furtherView(license) };
}

/** Every field of a license, null for the terms that it does not have. */
export function wholeLicenseView(license: License, now: number): ReplyOf<typeof licenseSchema> {
  return { ...fieldsView(license, now), ...termsView(license, now), ...furtherView(license) };
}

/** The fields that few licenses have. */
function furtherView({ metadata, replaces, replacedBy }: Pick<License, 'metadata' | 'replaces' | 'replacedBy'>) {
  return {
    ...metadataView({ metadata }),
    ...(replaces === null ? {} : { replaces }),
    ...(replacedBy === null ? {} : { replacedBy }),
  };
}

function metadataView({ metadata }: Pick<License, 'metadata'>): { readonly metadata?: Metadata } {
  return metadata === null ? {} : { metadata };
}

function fieldsView(license: License, now: number) {
  return {
    key: shownLicenseKey(license),
    email: license.email,
    productId: license.productId,
    variant: license.variant,
    licenseType: license.licenseType,
    status: statusAt(license, now),
    maxMachines: license.maxMachines,
    maxConcurrent: license.maxConcurrent,
    createdAt: license.createdAt,
    purchasedAt: license.purchasedAt,
    expiresAt: license.expiresAt,
    discountCode: license.discountCode,
    purchaseId: license.purchaseId,
    bundleId: license.bundleId,
    unlockedProducts: license.unlockedProducts,
    threatLevel: license.threatLevel,
    disputeReason: license.disputeReason,
  };
}

/**
 * The facts of a license in events: its fields, its revocation reason (one revocation may replace another), its machine
 * count, and its recent attempts. Excludes the key, which is a credential, and the threat level, which the events of
 * violations show.
 */
export function licenseFacts(license: License, now: number): Facts {
  const { key: _key, threatLevel: _threatLevel, ...fields } = fieldsView(license, now);
  const { revocation, machinesUsed, attempts } = license;
  const counts = { revocation, machinesUsed, attempts: attempts.length };
  return { ...fields, ...counts, ...factsOfTerms(license), ...metadataView(license) };
}

/** The reply of endpoints that change a license: the license after the change. */
export const changedLicenseSchema = resource('ChangedLicense', 'The license after the change.', {
  success: Type.Literal(true),
  license: licenseSchema,
});

/** See {@link changedLicenseSchema}. */
export function changedLicenseReply(license: License, now: number): ReplyOf<typeof changedLicenseSchema> {
  return { success: true, license: licenseView(license, now) };
}

export const activationSchema = resource('Activation', 'A machine that a license is bound to.', {
  fingerprint: Type.String({ description: 'Identifier of the machine, made by the client.' }),
  hostname: Type.String({ description: 'Human-readable machine name.' }),
  firstSeen: timestamp('When the machine was bound.'),
  lastSeen: timestamp('Its last sign of life.'),
  tokenExpiry: timestamp('Expiry of its current session token.'),
  sessionStarted: nullable(timestamp('When the live floating session began.')),
  sessionActive: Type.Boolean({ description: 'Whether a floating session is live.' }),
  countries: Type.Array(Type.String(), { description: 'Country codes seen.' }),
  lastCountry: optionalText('Country code of the last sign of life, where known.'),
  user: Type.Optional(Type.String({ description: 'The user as the app named them first; absent without one.' })),
});

/** An activation; a lapsed session is shown as no session. */
export function activationView(activation: Activation, now: number): ReplyOf<typeof activationSchema> {
  const sessionActive = isSessionLive(activation, now);
  return {
    fingerprint: activation.fingerprint,
    hostname: activation.hostname,
    firstSeen: activation.firstSeen,
    lastSeen: activation.lastSeen,
    tokenExpiry: activation.tokenExpiry,
    sessionStarted: sessionActive ? activation.sessionStarted : null,
    sessionActive,
    countries: activation.countries,
    lastCountry: activation.lastCountry,
    ...(activation.user === null ? {} : { user: activation.user }),
  };
}

export const violationSchema = resource('Violation', 'Misuse of a license, found by the service or reported to it.', {
  id: Type.String({ description: 'For violationIds of /resolveLicense.' }),
  type: oneOf('What happened.', [...DETECTED_TYPES, ...REPORTED_TYPES], 'ViolationType'),
  severity: Type.Integer({ description: '4 is the most severe.', minimum: 1, maximum: 4 }),
  occurrences: Type.Integer({ description: 'How often it was seen while open.' }),
  firstSeen: timestamp('First occurrence.'),
  lastSeen: timestamp('Last occurrence.'),
  evidence: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What happened; its fields depend on the type.',
  }),
  resolvedAt: nullable(timestamp('Null while it is open.')),
});

/** A violation. */
export function violationView(violation: Violation): ReplyOf<typeof violationSchema> {
  const { violationId: id, type, severity, occurrences, firstSeen, lastSeen, evidence, resolvedAt } = violation;
  return { id, type, severity, occurrences, firstSeen, lastSeen, evidence, resolvedAt };
}
