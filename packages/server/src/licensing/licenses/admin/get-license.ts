import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { flag, licenseKeyField, success, text, wholeNumber } from '../../../platform/endpoint/field-types.ts';
import { cutPageOfNames, DEFAULT_LIMIT, MAX_LIMIT } from '../../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../../platform/endpoint/refusals.ts';
import { listActivations } from '../../machines/activation-store.ts';
import { listMeterUsesOf } from '../../meters/store.ts';
import { listViolations } from '../../violations/violation-store.ts';
import { exampleActivation, exampleRevokedLicense, exampleUnsetTerms, exampleViolation } from '../examples.ts';
import { historyEntrySchema, listHistory, readHistoryCursor } from '../history.ts';
import { storedLicenseKey } from '../license.ts';
import { countriesOf, licenseCountrySchema, MAX_COUNTED_MACHINES } from '../license-countries.ts';
import { usageOf, usageSchema } from '../meters.ts';
import { findLicense } from '../store.ts';
import {
  activationSchema,
  activationView,
  licenseSchema,
  violationSchema,
  violationView,
  wholeLicenseView,
} from '../views.ts';

/** Activations per page; a site license may have a million. */
const PAGE_ACTIVATIONS = 1000;

export const getLicense = endpoint({
  path: '/getLicense',
  access: 'admin',
  needs: 'viewer',
  summary: 'Read a license with its machines and violations',
  description:
    'Answers every field of a license, its activations and its violations. Activations come by fingerprint, at most ' +
    '1000 unless `activationLimit` sets another number; `nextActivationCursor` is present when there are more. ' +
    '`history` adds the history of the license, newest first: changes and their authors, notes, refusals of calls, ' +
    'violations. Refusals appear within a second. `countries` adds the countries that the license was used from, with ' +
    `numbers of its machines; at most ${MAX_COUNTED_MACHINES} machines are counted.`,
  example: {
    after: ['/activate', '/revokeLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: {
      success: true,
      license: { ...exampleRevokedLicense, ...exampleUnsetTerms },
      activations: [exampleActivation],
      activationCount: 1,
      violations: [exampleViolation],
    },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    activationLimit: Type.Optional(wholeNumber('Activations per answer.', 1, PAGE_ACTIVATIONS)),
    activationCursor: Type.Optional(text('The nextActivationCursor of the answer before.', 1024)),
    countries: Type.Optional(flag('Whether to include the countries of the license.')),
    history: Type.Optional(flag('Whether to include the history of the license.')),
    historyLimit: Type.Optional(wholeNumber(`Entries of the history; ${DEFAULT_LIMIT} by default.`, 1, MAX_LIMIT)),
    historyCursor: Type.Optional(text('The nextHistoryCursor of the answer before.', 1024)),
  }),
  reply: success({
    license: licenseSchema,
    activations: Type.Array(activationSchema),
    activationCount: Type.Integer({ description: 'Number of activations.' }),
    violations: Type.Array(violationSchema),
    usage: Type.Optional(Type.Array(usageSchema, { description: 'Present where the variant has meters.' })),
    nextActivationCursor: Type.Optional(
      Type.String({ description: 'Present when there are more: the activationCursor of the next page.' }),
    ),
    countries: Type.Optional(
      Type.Array(licenseCountrySchema, {
        description:
          'Present where it was asked for: the one with most machines first. New ones appear within a minute.',
      }),
    ),
    history: Type.Optional(Type.Array(historyEntrySchema, { description: 'Present where it was asked for.' })),
    nextHistoryCursor: Type.Optional(
      Type.String({ description: 'Present when there are more: the historyCursor of the next page.' }),
    ),
  }),
  refusals: ['license_not_found'],
}).read(async (sql, { fields, scope, now }) => {
  const historyCursor = readHistoryCursor(fields.historyCursor);
  if (isRefusal(historyCursor)) return historyCursor;
  const license = await findLicense(sql, storedLicenseKey(fields.licenseKey), scope);
  if (license === undefined) return refuse('license_not_found');
  const limit = fields.activationLimit ?? PAGE_ACTIVATIONS;
  const found = await listActivations(sql, license.licenseKey, fields.activationCursor ?? '', limit + 1);
  const { entries: activations, next } = cutPageOfNames(found, limit, ({ fingerprint }) => fingerprint);
  const violations = await listViolations(sql, license.licenseKey);
  const history = fields.history
    ? await listHistory(sql, license.licenseKey, violations, scope, historyCursor, fields.historyLimit ?? DEFAULT_LIMIT)
    : null;
  return {
    success: true,
    license: wholeLicenseView(license, now),
    activations: activations.map((each) => activationView(each, now)),
    activationCount: license.machinesUsed,
    violations: violations.map(violationView),
    ...(license.variantTerms.meters === null
      ? {}
      : { usage: usageOf(license, await listMeterUsesOf(sql, license.licenseKey), now) }),
    ...(next.nextCursor === undefined ? {} : { nextActivationCursor: next.nextCursor }),
    ...(fields.countries ? { countries: await countriesOf(sql, license) } : {}),
    ...(history === null ? {} : { history: history.entries }),
    ...(history?.next ? { nextHistoryCursor: history.next } : {}),
  };
});
