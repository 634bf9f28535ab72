import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { isLimitOfUser } from '../../licensing/client-endpoints/named-users.ts';
import {
  type ExplainedCall,
  hasSlotAt,
  idleMachineAt,
  type LicenseSnapshot,
  predictRefusal,
} from '../../licensing/client-endpoints/predicted-refusal.ts';
import { findLicenseSnapshot } from '../../licensing/client-endpoints/snapshot-store.ts';
import { listHeldOfflineFiles } from '../../licensing/license-files/store.ts';
import { countActiveLicenses, findActiveKey } from '../../licensing/licenses/email-store.ts';
import { type License, shownLicenseKey, statusAt, storedLicenseKey } from '../../licensing/licenses/license.ts';
import { usageOf } from '../../licensing/licenses/meters.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import { buildFields, namedBuild, namesBuild } from '../../licensing/licenses/updates.ts';
import { licenseSchema, licenseView } from '../../licensing/licenses/views.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import { listActivations, listLiveSessions, listMachinesOfUser } from '../../licensing/machines/activation-store.ts';
import { foldUser, userField } from '../../licensing/machines/user.ts';
import { countUsers, listUsersOf } from '../../licensing/machines/user-store.ts';
import { findRefusedName, listRefusals } from '../../licensing/observed-calls/store.ts';
import { refusalSchema, refusalView } from '../../licensing/observed-calls/view.ts';
import { countsSessions } from '../../licensing/products/license-type.ts';
import { MAXIMUM_UNITS } from '../../licensing/products/meters.ts';
import { findProduct } from '../../licensing/products/store.ts';
import type { Violation } from '../../licensing/violations/violation.ts';
import { listOpenViolations } from '../../licensing/violations/violation-store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import {
  licenseKeyField,
  nullable,
  productIdField,
  success,
  text,
  wholeNumber,
} from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { KnownFacts } from './case-facts.ts';
import { checksOf } from './explanation.ts';
import { exampleExplanation } from './explanation-example.ts';
import { type CHOSEN, checkSchema, explainedMachineSchema } from './explanation-views.ts';
import { detectedViolationsOf, machineRefusedLast, type NamedMachine, termsRefusedLast } from './refusals-so-far.ts';
import type { Known } from './remedies.ts';
import { verdictOn } from './verdict.ts';
import { machineInTheWay } from './verdict-rules.ts';
import { verdictSchema } from './verdict-views.ts';

/**
 * Maximum number of machines and users read to find those seen last or idle longest; a site license may have a million.
 */
const MACHINES_LOOKED_AT = 200;
/** Maximum length of a hostname at /activate. */
const LONGEST_HOSTNAME = 255;
/** Maximum number of slot holders that are looked up among the license files: the longest idle, and namesakes. */
const FILES_LOOKED_UP = 20;
/** Maximum number of the customer's other licenses that are counted. */
const LICENSES_COUNTED = 20;
/** Maximum number of refusals in an explanation; the history of the license has the others. */
const REFUSALS_SHOWN = 10;

export const explainLicense = endpoint({
  path: '/explainLicense',
  access: 'admin',
  needs: 'viewer',
  summary: 'Explain why an app is refused, and what would help',
  description:
    'Answers for each client endpoint the reply that a machine would get now: ok, or the refusal with the text that ' +
    'the app gets, the facts behind it, and calls that would change it, ready to send. The endpoints decide by the ' +
    'same rules, and asking changes nothing. `verdict` says what the case looks like and what to do first; it is for ' +
    "support, not for customers. Calls with a session token are assumed to show the machine's latest one. Without " +
    '`machineFingerprint` the machine that was refused last is explained. Without `buildDate` and `version` the build and ' +
    'the features of the newest kept refusal are taken. Without `meter` the use of that refusal is taken, else one unit of ' +
    'the meter that would refuse it.',
  example: {
    after: ['/activate', '/revokeLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: exampleExplanation,
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    productId: Type.Optional({
      ...productIdField,
      description: 'The product that the app names; by default that of the license.',
    }),
    machineFingerprint: Type.Optional(text('The machine; else the one that was refused last.', 512)),
    user: Type.Optional(userField('The user whose call is explained; by default that of the machine.')),
    ...buildFields,
    meter: Type.Optional(text('The meter that the app uses.', 40)),
    units: Type.Optional(wholeNumber('The units that it uses; 1 by default.', 1, MAXIMUM_UNITS)),
  }),
  reply: success({
    license: licenseSchema,
    productId: Type.String({ description: 'The product that the app is taken to ask for.' }),
    machine: explainedMachineSchema,
    verdict: verdictSchema,
    checks: Type.Array(checkSchema, {
      description:
        'One for each client endpoint, in the order in which an app calls them, and one for /consume if the license has meters.',
    }),
    lastRefusals: Type.Array(refusalSchema, { description: 'The last ten refusals of the license, the newest first.' }),
    otherKey: nullable(
      Type.String({
        description:
          'Of a license that does not work: the key of the newest active license of the customer for the product.',
      }),
    ),
  }),
  refusals: ['license_not_found'],
}).read(async (sql, { fields, scope, now, ruleContext }) => {
  const licenseKey = storedLicenseKey(fields.licenseKey);
  const { machineFingerprint } = fields;
  const choice: Choice | undefined =
    machineFingerprint === undefined
      ? await chooseMachine(sql, licenseKey, scope)
      : { chosen: 'given', named: { fingerprint: machineFingerprint, hostname: null } };
  const fingerprint = choice?.named?.fingerprint ?? '';
  const snapshot = choice && (await findLicenseSnapshot(sql, licenseKey, scope, fingerprint, now, fields.user));
  if (choice === undefined || snapshot === undefined) return refuse('license_not_found');
  const { license, machine } = snapshot;
  const hostname = machine?.hostname ?? choice.named?.hostname ?? (await findRefusedName(sql, licenseKey, fingerprint));
  const productId = fields.productId ?? license.productId;
  const product = await findProduct(sql, license.productId, scope);
  const detected = choice.detected ?? (await detectedViolationsOf(sql, licenseKey));
  const slotHolders =
    hasSlotAt(snapshot, fingerprint) || idleMachineAt(snapshot) !== undefined
      ? []
      : await listSlotHolders(sql, snapshot);
  const open = license.revocation === null ? [] : await listOpenViolations(sql, licenseKey);
  const lastRefusals = await listRefusals(sql, licenseKey, null, REFUSALS_SHOWN);
  const facts: KnownFacts = {
    now,
    license,
    machine,
    asked: { fingerprint, hostname, productId },
    slotHolders,
    offline: await holdersOfFiles(sql, snapshot, slotHolders, hostname),
    detected,
    reported: open,
    lastRefusals,
    otherLicenses:
      statusAt(license, now) === 'expired' && license.email !== ''
        ? await countActiveLicenses(sql, license, toTimestamp(now), LICENSES_COUNTED)
        : 0,
  };
  const { meter, units, ...build } = termsRefusedLast(lastRefusals);
  const given = {
    machineFingerprint: fingerprint,
    hostname: hostname ?? fingerprint.slice(0, LONGEST_HOSTNAME).toWellFormed(),
    productId,
    ...(fields.user === undefined ? {} : { user: fields.user }),
    ...(namesBuild(fields) ? namedBuild(fields) : build),
    ...explainedUse(snapshot, fields, { meter, units }),
  };
  const checks = checksOf(snapshot, {
    given,
    slotHolders,
    ...(await usersInTheWay(sql, snapshot, given)),
    inTheWay: machineInTheWay(facts),
    open,
    isArchived: product?.status === 'archived',
    settings: ruleContext.settings,
  });
  return {
    success: true,
    license: licenseView(license, now),
    productId,
    machine: {
      bound: machine !== undefined,
      lastSeen: machine?.lastSeen ?? null,
      tokenExpiry: machine?.tokenExpiry ?? null,
      sessionExpiresAt: machine?.sessionDeadline ?? null,
      fingerprint: choice.named?.fingerprint ?? null,
      hostname,
      chosen: choice.chosen,
    },
    verdict: verdictOn({ ...facts, checks }),
    checks,
    lastRefusals: facts.lastRefusals.map(refusalView),
    otherKey: await findOtherKey(sql, license, scope, now),
  };
});

/** The key of the license that works in place of one that does not; null without one. */
async function findOtherKey(sql: Sql, license: License, scope: Scope, now: number): Promise<string | null> {
  if (license.email === '' || statusAt(license, now) === 'active') return null;
  const licenseKey = await findActiveKey(sql, license, toTimestamp(now));
  const other = licenseKey === undefined ? undefined : await findLicense(sql, licenseKey, scope);
  return other === undefined ? null : shownLicenseKey(other);
}

/** The use that is explained: the given one, else the last refused one, else that of a meter that would refuse it. */
function explainedUse(
  { license, uses, now }: LicenseSnapshot,
  given: { readonly meter?: string; readonly units?: number },
  refused: { readonly meter?: string | undefined; readonly units?: number | undefined },
): { readonly meter?: string; readonly units?: number } {
  const units = given.units ?? 1;
  if (given.meter !== undefined) return { meter: given.meter, units };
  if (refused.meter !== undefined) return { meter: refused.meter, units: given.units ?? refused.units ?? 1 };
  const [fullest] = usageOf(license, uses, now).sort(
    (one, other) => (one.remaining ?? Infinity) - (other.remaining ?? Infinity),
  );
  return fullest === undefined ? {} : { meter: fullest.meter, units };
}

/** A machine, and the reason for choosing it; `named` is null if no machine is known. */
interface Choice {
  /** The violations of {@link detectedViolationsOf} if the choice needed them. */
  readonly detected?: readonly Violation[];
  readonly chosen: (typeof CHOSEN)[number];
  readonly named: NamedMachine | null;
}

/** Chooses the machine to explain if the request names none; undefined if the license does not exist in scope. */
async function chooseMachine(sql: Sql, licenseKey: string, scope: Scope): Promise<Choice | undefined> {
  const license = await findLicense(sql, licenseKey, scope);
  if (license === undefined) return undefined;
  const detected = await detectedViolationsOf(sql, licenseKey);
  const refused = await machineRefusedLast(sql, licenseKey, detected);
  if (refused !== null) return { chosen: 'refused_last', named: refused, detected };
  const machines = await listActivations(sql, licenseKey, '', MACHINES_LOOKED_AT);
  const named = machines.sort(longestIdleFirst).at(-1);
  return named === undefined
    ? { chosen: 'none_known', named: null, detected }
    : { chosen: 'seen_last', named, detected };
}

/** The machines that take slots of a license, longest idle first. */
async function listSlotHolders(sql: Sql, { license, now }: LicenseSnapshot): Promise<readonly Activation[]> {
  const { licenseKey, licenseType } = license;
  const holders = countsSessions(licenseType)
    ? await listLiveSessions(sql, licenseKey, toTimestamp(now), MACHINES_LOOKED_AT)
    : await listActivations(sql, licenseKey, '', MACHINES_LOOKED_AT);
  return holders.sort(longestIdleFirst);
}

/** The users and machines that keep a user from a seat or from another machine, the longest unseen first. */
async function usersInTheWay(
  sql: Sql,
  snapshot: LicenseSnapshot,
  given: ExplainedCall,
): Promise<Pick<Known, 'seatHolders' | 'seats' | 'machinesOfUser'>> {
  const refusal = snapshot.license.terms.maxUsers === null ? null : predictRefusal('/activate', snapshot, given);
  const { licenseKey } = snapshot.license;
  const user = given.user === undefined ? (snapshot.machine?.userFolded ?? null) : foldUser(given.user);
  const isFull = refusal?.refused === 'user_limit';
  const seatHolders = isFull ? [...(await listUsersOf(sql, licenseKey, '', MACHINES_LOOKED_AT))] : [];
  const machinesOfUser =
    refusal !== null && isLimitOfUser(refusal) && user !== null
      ? await listMachinesOfUser(sql, { licenseKey, userFolded: user })
      : [];
  return {
    seats: isFull ? ((await countUsers(sql, [licenseKey])).get(licenseKey) ?? 0) : 0,
    seatHolders: seatHolders.sort((one, other) => (one.lastSeen < other.lastSeen ? -1 : 1)),
    machinesOfUser: machinesOfUser.sort(longestIdleFirst),
  };
}

/** Slot holders with an offline file, by fingerprint, of those that were idle longest or are named like the machine. */
async function holdersOfFiles(
  sql: Sql,
  { license, now }: LicenseSnapshot,
  slotHolders: readonly Activation[],
  hostname: string | null,
): Promise<readonly string[]> {
  if (countsSessions(license.licenseType)) return [];
  const namesakes = slotHolders.filter((holder) => holder.hostname === hostname);
  const looked = new Set([...namesakes, ...slotHolders].slice(0, FILES_LOOKED_UP));
  return (await listHeldOfflineFiles(sql, [...looked], toTimestamp(now))).map(({ fingerprint }) => fingerprint);
}

function longestIdleFirst(one: Activation, other: Activation): number {
  if (one.lastSeen !== other.lastSeen) return one.lastSeen < other.lastSeen ? -1 : 1;
  return one.fingerprint < other.fingerprint ? -1 : 1;
}
