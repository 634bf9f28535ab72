import Type from 'typebox';
import { toTimestamp } from '../../../ground/base/clock.ts';
import type { Scope } from '../../../platform/endpoint/caller.ts';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import {
  endTimestamp,
  flag,
  licenseKeyField,
  oneOf,
  productIdField,
  resource,
  success,
  timestamp,
  wholeNumber,
} from '../../../platform/endpoint/field-types.ts';
import {
  cursorOf,
  cutPage,
  DEFAULT_LIMIT,
  LEVEL_FORM,
  MOMENT_FORM,
  nextCursorReply,
  pageFields,
  readPosition,
  TEXT_FORM,
} from '../../../platform/endpoint/page.ts';
import { isRefusal, type Refusal } from '../../../platform/endpoint/refusals.ts';
import type { Sql } from '../../../storage/contract/storage.ts';
import { listMachines } from '../../machines/activation-store.ts';
import { reachableProducts } from '../../products/reachable-products.ts';
import { type MachineSeen, machinesNamedIn } from '../../violations/evidence.ts';
import { DETECTED_TYPES } from '../../violations/observation.ts';
import { GRAVEST_LEVEL, REPORTED_TYPES, type Violation } from '../../violations/violation.ts';
import {
  countBoardOfViolations,
  listBoardOfViolations,
  VIOLATION_ORDERS,
  type ViolationPosition,
} from '../../violations/violation-listing-store.ts';
import { exampleViolation } from '../examples.ts';
import { statusAt, storedLicenseKey } from '../license.ts';
import { listLicensesOf } from '../license-set-store.ts';
import { findLicense } from '../store.ts';
import { licenseStatusSchema, violationSchema, violationView } from '../views.ts';

export const listViolations = endpoint({
  path: '/listViolations',
  access: 'admin',
  needs: 'viewer',
  summary: 'List violations, most severe or oldest first',
  description:
    'Lists violations of all licenses by state, type, severity, time, product and license; all given filters must match. ' +
    'Within one severity, the most recently opened come first; `sort` `oldest` lists those opened first on top, of any ' +
    'severity. `nextCursor` is present when there are more; give it ' +
    'as `cursor` for the next page. An API key whose creator owns more than 30 products must name a product.',
  example: {
    after: ['/revokeLicense'],
    request: { open: true, productId: EXAMPLE.productId },
    reply: {
      success: true,
      violations: [
        {
          ...exampleViolation,
          licenseKey: MADE_BY_SERVICE.licenseKey,
          email: EXAMPLE.email,
          productId: EXAMPLE.productId,
          licenseStatus: 'revoked',
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    open: Type.Optional(flag('True lists open violations only, false resolved ones only.')),
    type: Type.Optional(oneOf('What happened.', [...DETECTED_TYPES, ...REPORTED_TYPES])),
    disputes: Type.Optional(
      flag(
        'True lists refunds and chargebacks only, which revoked their licenses when they were reported; false all ' +
          'other types, which somebody has to decide about.',
      ),
    ),
    withTotal: Type.Optional(flag('Adds `total` to the answer.')),
    minimumSeverity: Type.Optional(wholeNumber('The lowest severity that is listed.', 1, GRAVEST_LEVEL)),
    productId: Type.Optional(productIdField),
    licenseKey: Type.Optional(licenseKeyField),
    firstSeenFrom: Type.Optional(timestamp('First seen at this time or later.')),
    firstSeenTo: Type.Optional(endTimestamp('First seen at this time or earlier; a day includes all of its time.')),
    sort: Type.Optional(oneOf('The most severe (the default) or the oldest first.', VIOLATION_ORDERS)),
    ...pageFields('Violations'),
  }),
  reply: success({
    violations: Type.Array(
      resource('ViolationOfLicense', 'A violation, and the license that it is of.', {
        ...violationSchema.properties,
        licenseKey: Type.String({ description: 'License that it is of.' }),
        email: Type.String({ description: 'E-mail address of the customer.' }),
        productId: Type.String({ description: 'Product that the license is for.' }),
        licenseStatus: licenseStatusSchema,
      }),
    ),
    count: Type.Integer({ description: 'Violations in this answer.' }),
    total: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({ description: 'Violations that fit the filters, on all pages.' }),
          isAtLeast: Type.Boolean({ description: 'True when there are more: counting ends at 1000.' }),
        },
        { description: 'Present with `withTotal`.' },
      ),
    ),
    ...nextCursorReply,
  }),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, now }) => {
  const { open: isOpen, disputes: areDisputes, type, minimumSeverity = 1, limit = DEFAULT_LIMIT } = fields;
  const { firstSeenFrom, firstSeenTo, sort } = fields;
  const after = positionOf(fields.cursor);
  if (isRefusal(after)) return after;
  const reachable =
    fields.licenseKey === undefined
      ? await reachableProducts(sql, fields.productId, scope)
      : await reachableLicense(sql, fields.licenseKey, fields.productId, scope);
  if (isRefusal(reachable)) return reachable;
  const among = { type, areDisputes, isOpen, minimumSeverity, firstSeenFrom, firstSeenTo };
  const filter = { licenseKey: undefined, ...reachable, ...among };
  const found = await listBoardOfViolations(sql, filter, after.position, limit + 1, sort);
  const { entries, next } = cutPage(found, limit, ({ severity, firstSeen, licenseKey, violationId }) =>
    cursorOf([String(severity), firstSeen, licenseKey, violationId]),
  );
  const licenseKeys = [...new Set(entries.map(({ licenseKey }) => licenseKey))];
  const licenses = licenseKeys.length === 0 ? [] : await listLicensesOf(sql, licenseKeys, toTimestamp(now));
  const licenseOf = new Map(licenses.map((license) => [license.licenseKey, license]));
  const named = await namedEvidence(sql, entries);
  const violations = entries.flatMap((violation, index) => {
    const license = licenseOf.get(violation.licenseKey);
    if (license === undefined) return [];
    const { licenseKey, email, productId } = license;
    const view = { ...violationView(violation), evidence: named[index] ?? violation.evidence };
    return [{ ...view, licenseKey, email, productId, licenseStatus: statusAt(license, now) }];
  });
  const total = fields.withTotal === true ? { total: await countBoardOfViolations(sql, filter) } : {};
  return { success: true, violations, count: violations.length, ...total, ...next };
});

/**
 * The evidence of violations, in which bound machines have their names: an app that shows a token of another machine
 * sends none.
 */
async function namedEvidence(
  sql: Sql,
  violations: readonly Pick<Violation, 'licenseKey' | 'evidence'>[],
): Promise<readonly Violation['evidence'][]> {
  const nameless = violations.flatMap(({ licenseKey, evidence }) =>
    machinesNamedIn(evidence).flatMap(({ fingerprint, hash, hostname }) =>
      hash === undefined && hostname === undefined ? [{ licenseKey, fingerprint }] : [],
    ),
  );
  const bound = nameless.length === 0 ? [] : await listMachines(sql, nameless);
  const names = new Map(bound.map((each) => [`${each.licenseKey} ${each.fingerprint}`, each.hostname]));
  return violations.map(({ licenseKey, evidence }) => {
    const machines = machinesNamedIn(evidence);
    if (machines.length === 0) return evidence;
    const withName = (machine: MachineSeen): MachineSeen => {
      const hostname = machine.hostname ?? names.get(`${licenseKey} ${machine.fingerprint}`);
      return hostname === undefined ? machine : { ...machine, hostname };
    };
    return { ...evidence, machines: machines.map(withName) };
  });
}

/** The requested license; nothing when it is outside the caller's scope or of another product. */
async function reachableLicense(
  sql: Sql,
  licenseKey: string,
  productId: string | undefined,
  scope: Scope,
): Promise<{ readonly productIds: readonly string[] } | { readonly productIds: null; readonly licenseKey: string }> {
  const license = await findLicense(sql, storedLicenseKey(licenseKey), scope);
  const isMeant = license !== undefined && (productId === undefined || productId === license.productId);
  return isMeant ? { productIds: null, licenseKey: license.licenseKey } : { productIds: [] };
}

const POSITION = [LEVEL_FORM, MOMENT_FORM, TEXT_FORM, TEXT_FORM];

function positionOf(
  cursor: string | undefined,
): { readonly position: ViolationPosition | undefined } | Refusal<'invalid_field'> {
  if (cursor === undefined) return { position: undefined };
  const values = readPosition(cursor, POSITION);
  if (isRefusal(values)) return values;
  const [severity = '', firstSeen = '', licenseKey = '', violationId = ''] = values;
  return { position: { severity: Number(severity), firstSeen, licenseKey, violationId } };
}
