/** Licenses, their machines and their violations as lines. */
import Type from 'typebox';
import { mintId } from '../../ground/base/random.ts';
import { importLicenses, importMachines, importViolations } from '../../licensing/licenses/import.ts';
import { DEFAULT_VARIANT } from '../../licensing/licenses/issue.ts';
import {
  isGeneratedKey,
  type License,
  type LicenseContent,
  REVOCATIONS,
  shownLicenseKey,
  storedLicenseKey,
  UNREADABLE_PRODUCTS,
  UNSET,
  type UsedLicense,
} from '../../licensing/licenses/license.ts';
import { lockLicenses } from '../../licensing/licenses/license-set-store.ts';
import { licenseTable } from '../../licensing/licenses/license-table.ts';
import { metadataField } from '../../licensing/licenses/metadata.ts';
import type { LicenseTerms } from '../../licensing/licenses/own-terms.ts';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import { changedLicenseTerms, type GivenTerms, ownTermsAfter } from '../../licensing/licenses/terms.ts';
import { waitingField } from '../../licensing/licenses/waiting.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import { activationTable, listMachines } from '../../licensing/machines/activation-store.ts';
import { userField, userOf } from '../../licensing/machines/user.ts';
import { DEFAULT_LICENSE_TYPE, DEFAULT_MAX_MACHINES, LICENSE_TYPES } from '../../licensing/products/license-type.ts';
import { setTerms } from '../../licensing/products/terms.ts';
import { evidenceFault, soundEvidence } from '../../licensing/violations/evidence.ts';
import { DETECTED_TYPES } from '../../licensing/violations/observation.ts';
import { REPORTED_TYPES, type Violation } from '../../licensing/violations/violation.ts';
import {
  listGatheringViolations,
  listViolationsByIds,
  violationTable,
} from '../../licensing/violations/violation-store.ts';
import {
  email,
  endTimestamp,
  LONGEST_LICENSE_KEY,
  licenseKeyField,
  listOfText,
  machineLimit,
  machineName,
  nullable,
  oneOf,
  text,
  timestamp,
  wholeNumber,
} from '../../platform/endpoint/field-types.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { fromTable, type PlannedRecords, type RecordKind } from './record.ts';

/** Minimum length of a key from elsewhere. */
const SHORTEST_LICENSE_KEY = 8;

/** A key from this service or elsewhere: only characters of every keyboard, so that their upper case is unambiguous. */
const existingKeyField = Type.String({
  minLength: SHORTEST_LICENSE_KEY,
  maxLength: LONGEST_LICENSE_KEY,
  pattern: '^[\\x20-\\x7e]*$',
  errorText: `must have ${SHORTEST_LICENSE_KEY} to ${LONGEST_LICENSE_KEY} printable ASCII characters`,
});

/** Reasons to leave fields out of lines. */
const DERIVED = 'made of other fields, machines or violations';
const AGAIN = 'the app activates again, because tokens and sessions belong to this service';

/** @throws when the list cannot be read, because a line without it would take products away from the customer */
function readableProductsOf({ licenseKey, unlockedProducts }: License): readonly string[] {
  if (unlockedProducts !== UNREADABLE_PRODUCTS) return unlockedProducts;
  throw new Error(
    `The unlocked products of the license ${licenseKey.slice(0, 5)}…${licenseKey.slice(-5)} cannot be read, so nothing is exported. Repair ` +
      "the column unlocked_products of its row: it holds a JSON list of productIds, such as '[]'.",
  );
}

/** A license as its line states it: each term is a field of its own. */
type LicenseLine = LicenseContent & LicenseTerms;

/** The fields of a line. */
type GivenLine = Pick<License, 'licenseKey' | 'email' | 'productId'> &
  Partial<Omit<License, 'graceDays' | 'updatesUntil'>> &
  GivenTerms;

export const licenseRecords: RecordKind<LicenseLine> = {
  ...fromTable(
    licenseTable,
    Type.Object({
      licenseKey: existingKeyField,
      email: nullable(email('The customer; null for a trial without an address.')),
      productId: text('Product that it is for.'),
      variant: Type.Optional(text('`indie` unless given.')),
      licenseType: Type.Optional(oneOf('`per-machine` unless given.', LICENSE_TYPES)),
      revocation: Type.Optional(nullable(oneOf('Why it is revoked.', REVOCATIONS))),
      disputeReason: Type.Optional(nullable(oneOf('Set by a dispute.', ['refund', 'chargeback']))),
      replaces: Type.Optional(nullable(licenseKeyField)),
      replacedBy: Type.Optional(nullable(licenseKeyField)),
      maxMachines: Type.Optional(machineLimit('2 unless given.')),
      maxConcurrent: Type.Optional(nullable(wholeNumber('Floating sessions at once.', 1))),
      createdAt: Type.Optional(timestamp('When it was made.')),
      purchasedAt: Type.Optional(timestamp('When it was bought.')),
      expiresAt: Type.Optional(nullable(endTimestamp('Perpetual unless given.'))),
      discountCode: Type.Optional(nullable(text('Code applied at purchase.'))),
      purchaseId: Type.Optional(nullable(text('External transaction.'))),
      bundleId: Type.Optional(nullable(text('Bundle it belongs to.'))),
      unlockedProducts: Type.Optional(listOfText('Further products that it opens.')),
      ...changedLicenseTerms,
      waiting: Type.Optional(nullable(waitingField)),
      metadata: Type.Optional(nullable(metadataField("The vendor's own facts: texts by name."))),
    }),
    {
      emailFolded: DERIVED,
      statusMark: DERIVED,
      issuedKey: 'is the licenseKey of the line',
      threatLevel: DERIVED,
      machinesUsed: DERIVED,
      sessionsHeld: DERIVED,
      attempts: 'serve limits of this service',
      countriesSeen: 'serve limits of this service',
      eventCount: 'an import records new events',
      lastEventId: 'an import records new events',
      endsAt: DERIVED,
      terms: 'each term is a field of its own',
      variantTerms: 'on the line of the variant',
    },
    (license) => ({
      licenseKey: license.issuedKey ?? license.licenseKey,
      email: license.email === '' ? null : license.email,
      unlockedProducts: readableProductsOf(license),
      graceDays: license.graceDays === 0 ? undefined : license.graceDays,
      updatesUntil: license.updatesUntil ?? undefined,
      ...setTerms(license.terms),
      metadata: license.metadata ?? undefined,
      replaces: license.replaces ?? undefined,
      replacedBy: license.replacedBy ?? undefined,
    }),
  ),
  missing: 'lacks licenseKey, email or productId',
  content(fields, now) {
    const given = { ...fields, email: fields.email ?? '' } as unknown as GivenLine;
    const own = ownTermsAfter(UNSET, given);
    const issued = given.licenseKey.trim();
    if (issued.length < SHORTEST_LICENSE_KEY)
      return { fault: `licenseKey must have ${SHORTEST_LICENSE_KEY} characters or more, blanks around it not counted` };
    const licenseKey = storedLicenseKey(issued);
    if (licenseKey === '') return { fault: 'licenseKey must have letters or digits' };
    const { replaces = null, replacedBy = null } = given;
    if ((given.revocation === 'replaced') !== (replacedBy !== null))
      return { fault: 'revocation replaced and replacedBy must be given together' };
    const createdAt = given.createdAt ?? given.purchasedAt ?? now;
    return {
      id: licenseKey,
      content: {
        ...UNSET,
        variant: DEFAULT_VARIANT,
        licenseType: DEFAULT_LICENSE_TYPE,
        maxMachines: DEFAULT_MAX_MACHINES,
        expiresAt: null,
        ...given,
        licenseKey,
        issuedKey: issued === licenseKey ? null : issued,
        replaces: replaces === null ? null : storedLicenseKey(replaces),
        replacedBy: replacedBy === null ? null : storedLicenseKey(replacedBy),
        createdAt,
        purchasedAt: given.purchasedAt ?? createdAt,
        ...own,
        ...own.terms,
      },
    };
  },
  async loadExisting(sql, _tx, given) {
    const known = await listWholeLicenses(
      sql,
      given.map(({ licenseKey }) => licenseKey),
    );
    return {
      present: new Map(known.map((license) => [license.licenseKey, { ...license, ...license.terms }])),
      refusal: () => null,
    };
  },
  confused: (given, known) => (isSameKey(shownLicenseKey(given), shownLicenseKey(known)) ? null : ALIKE_WHEN_TYPED),
  add: importLicenses,
};

const ALIKE_WHEN_TYPED =
  'its licenseKey differs from an existing one only by spaces, dashes or marks around it, which do not count when a key is typed';

/** Whether two keys with one stored form are one. Systems write a key in either case, and ours with any separators. */
function isSameKey(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase() || isGeneratedKey(storedLicenseKey(one));
}

/** The content of a machine line. Sessions, tokens and files are not transferred: the app activates again. */
export type MachineContent = Omit<
  Activation,
  'activationId' | 'tokenExpiry' | 'sessionStarted' | 'sessionDeadline' | 'sessionDue' | 'fileUntil'
>;

const machineKey = ({ licenseKey, fingerprint }: MachineContent) => JSON.stringify([licenseKey, fingerprint]);

export const machineRecords: RecordKind<MachineContent> = {
  ...fromTable(
    activationTable,
    Type.Object({
      licenseKey: licenseKeyField,
      fingerprint: text('Identifier of the machine.', 512),
      hostname: Type.Optional(machineName('Name of the machine.')),
      firstSeen: Type.Optional(timestamp('When it was bound.')),
      lastSeen: Type.Optional(timestamp('Its last sign of life.')),
      countries: Type.Optional(listOfText('Country codes seen.', 1_000)),
      lastCountry: Type.Optional(nullable(text('Country code of the last sign of life.'))),
      user: Type.Optional(nullable(userField('The user of the machine.'))),
    }),
    {
      activationId: AGAIN,
      tokenExpiry: AGAIN,
      sessionStarted: AGAIN,
      sessionDeadline: AGAIN,
      sessionDue: AGAIN,
      fileUntil: AGAIN,
      userFolded: 'made of user',
    },
  ),
  missing: 'lacks licenseKey or fingerprint',
  content(fields, now) {
    const given = fields as Pick<MachineContent, 'licenseKey' | 'fingerprint'> & Partial<MachineContent>;
    const firstSeen = given.firstSeen ?? now;
    const content = {
      hostname: '',
      countries: [],
      lastCountry: null,
      ...given,
      licenseKey: storedLicenseKey(given.licenseKey),
      firstSeen,
      lastSeen: given.lastSeen ?? firstSeen,
      ...userOf(given.user ?? undefined),
    };
    return { id: machineKey(content), content };
  },
  async loadExisting(sql, tx, given, planned) {
    const isThere = await licensesThere(sql, tx, given, planned);
    const machines = await listMachines(sql, given);
    return {
      present: new Map(machines.map((machine) => [machineKey(machine), machine])),
      refusal: ({ licenseKey }) => (isThere(licenseKey) ? null : NO_LICENSE),
    };
  },
  add: (tx, machines, origin) =>
    importMachines(
      tx,
      machines.map((machine) => ({
        ...machine,
        activationId: mintId(),
        // Its tokens were signed by another service.
        tokenExpiry: machine.lastSeen,
        sessionStarted: null,
        sessionDeadline: null,
        sessionDue: null,
        // Its files were signed by another service.
        fileUntil: null,
      })),
      origin,
    ),
};

const violationKey = ({ licenseKey, violationId }: Violation) => JSON.stringify([licenseKey, violationId]);

/** The key under which at most one violation that gathers observations may be open. */
const gatheringKey = ({ licenseKey, type }: Pick<Violation, 'licenseKey' | 'type'>) =>
  JSON.stringify([licenseKey, type]);

const SECOND_OPEN_VIOLATION = 'the license has an open violation of this type, and cannot have two';

const isGathering = ({ type, resolvedAt }: Violation) =>
  resolvedAt === null && (DETECTED_TYPES as readonly string[]).includes(type);

export const violationRecords: RecordKind<Violation> = {
  ...fromTable(
    violationTable,
    Type.Object({
      licenseKey: licenseKeyField,
      violationId: text('Identifier of the violation.'),
      type: oneOf('What happened.', [...DETECTED_TYPES, ...REPORTED_TYPES]),
      severity: wholeNumber('4 is the most severe.', 1, 4),
      occurrences: Type.Optional(wholeNumber('How often it was seen.', 1)),
      firstSeen: timestamp('First occurrence.'),
      lastSeen: Type.Optional(timestamp('Last occurrence.')),
      evidence: Type.Optional(Type.Unknown()),
      resolvedAt: Type.Optional(nullable(timestamp('Open unless given.'))),
    }),
    {},
    ({ evidence }) => ({ evidence: soundEvidence(evidence) }),
  ),
  missing: 'lacks licenseKey, violationId, type, severity or firstSeen',
  content(fields) {
    const fault = fields.evidence === undefined ? null : evidenceFault(fields.evidence);
    if (fault !== null) return { fault };
    const given = fields as Pick<Violation, 'licenseKey' | 'violationId' | 'type' | 'severity' | 'firstSeen'> &
      Partial<Violation>;
    const content: Violation = {
      occurrences: 1,
      evidence: {},
      resolvedAt: null,
      ...given,
      licenseKey: storedLicenseKey(given.licenseKey),
      lastSeen: given.lastSeen ?? given.firstSeen,
    };
    return { id: violationKey(content), content };
  },
  async loadExisting(sql, tx, given, planned) {
    const isThere = await licensesThere(sql, tx, given, planned);
    const known = await listViolationsByIds(sql, given);
    const keys = [...new Set(given.map(({ licenseKey }) => licenseKey))];
    const gathering = new Set((await listGatheringViolations(sql, keys)).map(gatheringKey));
    return {
      present: new Map(known.map((violation) => [violationKey(violation), violation])),
      refusal(violation) {
        if (!isThere(violation.licenseKey)) return NO_LICENSE;
        return isGathering(violation) && gathering.has(gatheringKey(violation)) ? SECOND_OPEN_VIOLATION : null;
      },
    };
  },
  claims: {
    keysOf: (violation) => (isGathering(violation) ? [gatheringKey(violation)] : []),
    taken: SECOND_OPEN_VIOLATION,
  },
  add: importViolations,
};

/** The refusal of a line whose license does not exist. */
export const NO_LICENSE = 'there is no license of this licenseKey';

/**
 * The existing licenses of some lines, including those that earlier lines would add; locked in a writing transaction.
 */
export async function licensesThere(
  sql: Sql,
  tx: Tx | null,
  given: readonly { readonly licenseKey: string }[],
  planned: PlannedRecords,
): Promise<(licenseKey: string) => boolean> {
  const known = new Set((await licensesOf(sql, tx, given)).map(({ licenseKey }) => licenseKey));
  return (licenseKey) => known.has(licenseKey) || planned.has('license', licenseKey);
}

/** The licenses of some lines that are in the database; locked in a writing transaction. */
export async function licensesOf(
  sql: Sql,
  tx: Tx | null,
  given: readonly { readonly licenseKey: string }[],
): Promise<readonly UsedLicense[]> {
  const keys = [...new Set(given.map(({ licenseKey }) => licenseKey))];
  return tx === null ? listWholeLicenses(sql, keys) : lockLicenses(tx, keys);
}
