/**
 * The service as docs/contributors/rules.md describes it, in memory. It was written independently of the service: it
 * searches sets where the service stores counts, and releases nothing.
 */

import type { License, LicenseType, Machine, Reason, Violation } from './license.ts';
import { type AskedTerms, countUse, endOf, type OwnTerms, refusalForTerms, termsReply, type Use } from './terms.ts';
import {
  assignUser,
  countAttempt,
  forgetUser,
  freeSeats,
  listedUsers,
  nobody,
  noteUser,
  refusalForUser,
  releaseUser,
  seatUsersOfMachines,
} from './users.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TOKEN_LIFETIME_MS = 30 * DAY_MS;
const REFRESH_WINDOW_MS = 7 * DAY_MS;
const SESSION_TIMEOUT_MS = 15 * MINUTE_MS;

interface Token {
  licenseKey: string;
  machine: string;
  activation: string;
  expiresAt: number;
}

/** The whole world as plain data, so that it can be cloned. */
export interface World {
  now: number;
  licenses: Record<string, License>;
  /** By their text. */
  tokens: Record<string, Token>;
}

/**
 * The expected reply: the status, the code of a refusal, and these fields of the body. `newToken` and `sessionToken`
 * are true where one should be present.
 */
export interface Expected {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request that the model knows, with all fields given. */
export type Call =
  | {
      readonly path: '/activate';
      readonly key: string;
      readonly machine: string;
      readonly hostname: string;
      readonly productId: string;
      readonly user: string | undefined;
      readonly asked: Pick<AskedTerms, 'builtAt'>;
    }
  | ({
      readonly path: '/consume';
      readonly key: string;
      readonly machine: string;
      readonly token: string;
    } & Use)
  | {
      readonly path: '/validate' | '/heartbeat' | '/deactivate';
      readonly key: string;
      readonly machine: string;
      readonly token: string;
      readonly asked: AskedTerms;
      /** Only of /validate. */
      readonly acceptsReplacement: boolean;
    }
  | { readonly path: '/verify'; readonly key: string; readonly productId: string; readonly asked: AskedTerms }
  | { readonly path: '/updateLicense'; readonly key: string; readonly changes: Changes }
  | { readonly path: '/revokeLicense'; readonly key: string; readonly reason: Reason | undefined }
  | { readonly path: '/resolveLicense'; readonly key: string; readonly types: readonly string[] }
  | { readonly path: '/releaseUser'; readonly key: string; readonly user: string }
  | { readonly path: '/forgetCustomer'; readonly email: string }
  | { readonly path: '/reinstateLicense' | '/resetActivations' | '/replaceLicense'; readonly key: string };

/** Fields of /updateLicense; times in milliseconds. */
export interface Changes {
  readonly licenseType?: LicenseType;
  readonly maxMachines?: number;
  readonly maxConcurrent?: number;
  readonly expiresAt?: number | null;
  readonly terms?: Partial<OwnTerms>;
  readonly status?: 'active' | 'revoked';
}

const ok = (body: Expected['body']): Expected => ({ status: 200, code: undefined, body });
const no = (status: number, code: string, error: string): Expected => ({ status, code, body: { error } });
const WRONG_PRODUCT = no(403, 'wrong_product', 'License is for a different product');
const machineLimit = (limit: number) =>
  no(403, 'machine_limit', `Machine limit reached (${limit}). Deactivate another machine first.`);
const iso = (at: number) => new Date(at).toISOString();

/**
 * Applies a call to the world, and returns the expected reply.
 *
 * @param issued the text of the token, key or pseudonym that the reply issued
 */
export function perform(world: World, call: Call, issued: string): Expected {
  if (call.path === '/forgetCustomer') return forget(world, call.email, issued);
  const license = world.licenses[call.key];
  if (license === undefined) return no(404, 'license_not_found', 'License not found');
  const expected = performOn(world, license, call, issued);
  freeSeats(license);
  return expected;
}

type LicenseCall = Exclude<Call, { readonly path: '/forgetCustomer' }>;

function performOn(world: World, license: License, call: LicenseCall, issued: string): Expected {
  const isChange = ['/updateLicense', '/revokeLicense', '/reinstateLicense', '/replaceLicense'].includes(call.path);
  if (isChange && license.replacedBy !== null) {
    const { replacedBy } = license;
    const error = 'License was replaced by another key already';
    return { status: 409, code: 'license_already_replaced', body: { error, replacedBy } };
  }
  switch (call.path) {
    case '/activate':
      return activate(world, license, call, issued);
    case '/validate':
    case '/heartbeat':
    case '/deactivate':
      return useSession(world, license, call, issued);
    case '/consume':
      return consume(world, license, call);
    case '/verify':
      return verify(world, license, call);
    case '/updateLicense':
      return update(world, license, call.changes);
    case '/revokeLicense':
      license.revocations.push(call.reason ?? 'plain');
      if (call.reason !== undefined) license.violations.push(violationOf(call.reason, 4));
      if (call.reason === 'chargeback' || (call.reason === 'refund' && license.disputeReason !== 'chargeback'))
        license.disputeReason = call.reason;
      return ok(shown(world, license));
    case '/reinstateLicense':
      for (const each of license.violations) if (each.severity === 4) each.isOpen = false;
      lift(license);
      return ok(shown(world, license));
    case '/resolveLicense': {
      const named = license.violations.filter(({ type }) => call.types.includes(type));
      if (named.length === 0) return no(404, 'violation_not_found', 'Violation not found');
      for (const each of named) each.isOpen = false;
      const isGrave = threatLevel(license) === 4;
      if (
        !isGrave &&
        license.revocations.every((each) => each === 'refund' || each === 'fraud') &&
        license.revocations.length > 0
      )
        lift(license);
      return ok(shown(world, license));
    }
    case '/resetActivations':
      license.machines = {};
      license.attempts = [];
      Object.assign(license.users, { attempts: {}, commonAttempts: [] });
      return ok(shown(world, license));
    case '/releaseUser': {
      const machinesReleased = releaseUser(license, call.user);
      return machinesReleased === null
        ? no(404, 'user_not_found', 'User not found')
        : ok({ success: true, machinesReleased });
    }
    case '/replaceLicense':
      return replace(world, license, call.key, issued);
  }
}

/** Another key takes the place of this one, with everything that the license has but its history of abuse. */
function replace(world: World, license: License, key: string, newKey: string): Expected {
  if (license.revocations.length > 0)
    return no(409, 'revoked_not_replaceable', 'License is revoked, so its key cannot be replaced');
  const unused = { violations: [], waits: {}, attempts: [] };
  const { seats } = license.users;
  world.licenses[newKey] = structuredClone({ ...license, ...unused, users: { ...nobody(), seats } });
  Object.assign(license, { machines: {}, users: nobody(), replacedBy: newKey });
  return ok({ success: true, licenseKey: newKey, replacedKey: key });
}

/** The key in whose name the license works now. */
function keyInForce(world: World, key: string): string {
  const { replacedBy } = world.licenses[key]!;
  return replacedBy === null ? key : keyInForce(world, replacedBy);
}

function forget(world: World, email: string, pseudonym: string): Expected {
  const found = Object.values(world.licenses).filter((license) => forgetUser(license, email, pseudonym));
  // Events may hold the address of a user who left.
  return ok({ success: true, complete: true, ...(found.length === 0 ? {} : { pseudonym }) });
}

function activate(world: World, license: License, call: Call & { path: '/activate' }, token: string): Expected {
  const { now } = world;
  if (!countAttempt(license, call.machine, call.user, now)) {
    observe(license, 'activation_rate', 2);
    return no(429, 'activation_rate', 'Too many activation attempts. Try again later.');
  }
  if (call.productId !== 'app') return WRONG_PRODUCT;
  const refused =
    refusalForStatus(world, license) ?? refusalFor(world, license, call.asked) ?? unseated(world, license, call);
  if (refused) return refused;
  if (!hasSlot(world, license, call.machine) && !makeRoom(world, license)) {
    if (license.machines[call.machine] === undefined) refuseNewMachine(license, call.machine, now);
    return machineLimit(limitOf(license));
  }
  const bound = license.machines[call.machine];
  const expiresAt = Math.floor(now / 1000) * 1000 + TOKEN_LIFETIME_MS;
  const machine = bound ?? {
    activation: token,
    hostname: '',
    user: null,
    firstSeen: now,
    lastSeen: now,
    tokenExpiry: 0,
    session: null,
  };
  const updated = { ...machine, hostname: call.hostname, tokenExpiry: expiresAt };
  license.machines[call.machine] = updated;
  assignUser(license, updated, call.user, now);
  showLife(world, license, call.machine);
  const { activation } = machine;
  world.tokens[token] = { licenseKey: call.key, machine: call.machine, activation, expiresAt };
  return ok({
    success: true,
    expiresAt: iso(expiresAt),
    machinesUsed: used(world, license),
    maxMachines: limitOf(license),
    status: 'active',
    licenseExpiresAt: license.expiresAt === null ? null : iso(license.expiresAt),
    ...termsOf(world, license),
  });
}

/** The refusal of a call whose user gets no seat, or has too many machines. */
function unseated({ now }: World, license: License, call: Call & { path: '/activate' }): Expected | null {
  const refused = refusalForUser(license, call.machine, call.user);
  switch (refused?.code) {
    case undefined:
      return null;
    case 'user_required':
      return no(400, refused.code, 'User required');
    case 'user_limit':
      return no(403, refused.code, `User limit reached (${refused.limit})`);
    case 'machine_limit':
      if (license.machines[call.machine] === undefined) refuseNewMachine(license, call.machine, now);
      return machineLimit(refused.limit);
  }
}

/** The machine seen the longest ago gives up its slot, if it is idle and that makes a slot free. */
function makeRoom(world: World, license: License): boolean {
  const { releaseIdleDays } = license.terms;
  if (releaseIdleDays === null || license.type === 'floating') return false;
  if (used(world, license) - 1 >= limitOf(license)) return false;
  const [idle] = Object.entries(license.machines)
    .filter(([, { lastSeen }]) => lastSeen < world.now - releaseIdleDays * DAY_MS)
    .sort(([one, { lastSeen }], [other, { lastSeen: otherSeen }]) => lastSeen - otherSeen || (one < other ? -1 : 1));
  if (idle === undefined) return false;
  delete license.machines[idle[0]];
  return true;
}

function termsOf({ now }: World, { terms, expiresAt }: License) {
  return termsReply(terms, expiresAt, now);
}

function refusalFor({ now }: World, { terms }: License, asked: AskedTerms): Expected | null {
  const body = refusalForTerms(terms, asked, now);
  const code = body !== null && 'missing' in body ? 'feature_missing' : 'update_not_covered';
  return body === null ? null : { status: 403, code, body };
}

function refuseNewMachine(license: License, machine: string, now: number): void {
  const isOpen = license.violations.some((each) => each.isOpen && each.type === 'machine_limit');
  if (license.type === 'floating' && !isOpen) {
    const others = Object.entries(license.waits).filter(([, at]) => at > now - DAY_MS);
    const waits = { ...Object.fromEntries(others), [machine]: now };
    const isAbuse = Object.keys(waits).length >= 5;
    license.waits = isAbuse ? {} : waits;
    if (isAbuse) Object.assign(observe(license, 'machine_limit', 2).machines, waits);
    return;
  }
  const violation = observe(license, 'machine_limit', 1);
  violation.machines[machine] = now;
  const today = Object.values(violation.machines).filter((at) => at > now - DAY_MS);
  if (today.length >= 5) violation.severity = 2;
}

type SessionCall = Call & { path: '/validate' | '/heartbeat' | '/deactivate' | '/consume' };

/** The license, the machine and the token of a call, or the refusal of its session. */
function sessionOf(
  world: World,
  license: License,
  call: SessionCall,
): { readonly license: License; readonly machine: Machine; readonly token: Token } | Expected {
  const { now } = world;
  const isHeartbeat = call.path === '/heartbeat';
  const badToken = no(401, 'invalid_token', isHeartbeat ? 'Invalid token' : 'Invalid or expired token');
  const notActivated = noMachine(call.path);
  const token = world.tokens[call.token];
  if (token === undefined || token.expiresAt <= now) return badToken;
  if (token.licenseKey !== call.key || token.machine !== call.machine) {
    observe(license, 'token_replay', 3);
    return isHeartbeat ? badToken : no(401, 'token_mismatch', 'Token mismatch');
  }
  const followed = isFollowing(license, call) ? world.licenses[keyInForce(world, call.key)]! : license;
  const refused = refusalForStatus(world, followed);
  if (refused) return refused;
  const machine = followed.machines[call.machine];
  if (machine === undefined) return notActivated;
  if (machine.activation !== token.activation) return badToken;
  return { license: followed, machine, token };
}

/** Whether the call may learn the key that took the place of its own. */
function isFollowing({ replacedBy }: License, call: SessionCall): boolean {
  return call.path === '/validate' && call.acceptsReplacement && replacedBy !== null;
}

function noMachine(path: string): Expected {
  const status = path === '/validate' || path === '/consume' ? 403 : 404;
  return no(status, 'machine_not_activated', 'Machine not activated');
}

function useSession(
  world: World,
  called: License,
  call: Call & { path: '/validate' | '/heartbeat' | '/deactivate' },
  newToken: string,
): Expected {
  const { now } = world;
  const isHeartbeat = call.path === '/heartbeat';
  const session = sessionOf(world, called, call);
  if ('status' in session) return session;
  const { license, machine, token } = session;
  if (call.path === '/deactivate') {
    delete license.machines[call.machine];
    return ok({ success: true, machinesUsed: used(world, license), maxMachines: limitOf(license) });
  }
  if (isHeartbeat && license.type !== 'floating')
    return ok({ success: true, expiresAt: iso(token.expiresAt), ...termsOf(world, license) });
  if (!hasSlot(world, license, call.machine)) return noMachine(call.path);
  const refused = isHeartbeat ? null : refusalFor(world, license, call.asked);
  if (refused) return refused;
  showLife(world, license, call.machine);
  if (isHeartbeat)
    return ok({
      success: true,
      expiresAt: iso(token.expiresAt),
      sessionExpiresAt: iso(now + SESSION_TIMEOUT_MS),
      heartbeatAfterSeconds: SESSION_TIMEOUT_MS / 3000,
      ...termsOf(world, license),
    });

  const isMoved = license !== called;
  const isNew = isMoved || token.expiresAt - now <= REFRESH_WINDOW_MS;
  const expiresAt = isNew ? Math.floor(now / 1000) * 1000 + TOKEN_LIFETIME_MS : token.expiresAt;
  if (isNew) machine.tokenExpiry = expiresAt;
  const licenseKey = keyInForce(world, call.key);
  if (isNew) world.tokens[newToken] = { ...token, licenseKey, expiresAt };
  return ok({
    valid: true,
    newToken: isNew && !isMoved,
    sessionToken: isMoved,
    licenseKey: isMoved ? licenseKey : undefined,
    expiresAt: iso(expiresAt),
    status: 'active',
    productId: 'app',
    licenseExpiresAt: license.expiresAt === null ? null : iso(license.expiresAt),
    daysRemaining: daysRemaining(world, license),
    ...termsOf(world, license),
  });
}

function consume(world: World, license: License, call: Call & { path: '/consume' }): Expected {
  const session = sessionOf(world, license, call);
  if ('status' in session) return session;
  if (!hasSlot(world, license, call.machine)) return noMachine(call.path);
  const answer = countUse(license.terms, call, license.expiresAt, world.now);
  if (answer.status === 200) showLife(world, license, call.machine);
  return { code: undefined, ...answer };
}

function daysRemaining({ now }: World, { expiresAt }: License): number | null {
  return expiresAt === null ? null : Math.max(0, Math.ceil((expiresAt - now) / DAY_MS));
}

function verify(world: World, license: License, { productId, asked }: Call & { path: '/verify' }): Expected {
  if (productId !== 'app') return WRONG_PRODUCT;
  return (
    refusalForStatus(world, license) ??
    refusalFor(world, license, asked) ??
    ok({
      valid: true,
      licenseType: license.type,
      status: 'active',
      machinesUsed: used(world, license),
      maxMachines: limitOf(license),
      licenseExpiresAt: license.expiresAt === null ? null : iso(license.expiresAt),
      daysRemaining: daysRemaining(world, license),
      ...termsOf(world, license),
    })
  );
}

function update(world: World, license: License, changes: Changes): Expected {
  if (changes.status === 'active' && license.revocations.includes('chargeback'))
    return no(409, 'chargeback_revocation', 'License was revoked by a chargeback. Only /reinstateLicense undoes it.');
  const { status, licenseType, terms, ...values } = changes;
  const hadUsers = license.terms.maxUsers !== null;
  Object.assign(license.terms, terms);
  if (!hadUsers && license.terms.maxUsers !== null) seatUsersOfMachines(license);
  Object.assign(license, values);
  if (licenseType !== undefined) {
    license.type = licenseType;
    if (licenseType !== 'floating') for (const machine of Object.values(license.machines)) machine.session = null;
  }
  if (status === 'active') license.revocations = [];
  if (status === 'revoked') license.revocations.push('plain');
  return ok(shown(world, license));
}

function lift(license: License): void {
  license.revocations = [];
  license.disputeReason = null;
}

function refusalForStatus(world: World, license: License): Expected | null {
  if (license.replacedBy !== null) return no(403, 'license_replaced', 'License was replaced by another key');
  const status = statusOf(world, license);
  if (status === 'revoked') return no(403, 'license_revoked', 'License has been revoked');
  return status === 'expired' ? no(403, 'license_expired', 'License has expired') : null;
}

function statusOf({ now }: World, license: License): string {
  if (license.revocations.length > 0 || license.replacedBy !== null) return 'revoked';
  const end = endOf(license.terms, license.expiresAt);
  return end !== null && end <= now ? 'expired' : 'active';
}

function limitOf(license: License): number {
  return license.type === 'floating' && license.maxConcurrent !== null ? license.maxConcurrent : license.maxMachines;
}

function isLive({ now }: World, { session }: Machine): boolean {
  return session !== null && now - session.lastSign < SESSION_TIMEOUT_MS;
}

function used(world: World, license: License): number {
  const machines = Object.values(license.machines);
  return license.type === 'floating' ? machines.filter((each) => isLive(world, each)).length : machines.length;
}

/** Whether a machine has a slot, or one is free for it. */
function hasSlot(world: World, license: License, fingerprint: string): boolean {
  const machine = license.machines[fingerprint];
  if (machine !== undefined && (license.type !== 'floating' || isLive(world, machine))) return true;
  return limitOf(license) === -1 || used(world, license) < limitOf(license);
}

function showLife(world: World, license: License, fingerprint: string): void {
  const machine = license.machines[fingerprint]!;
  const { now } = world;
  machine.lastSeen = now;
  noteUser(license, machine, now);
  if (license.type === 'floating')
    machine.session = { began: isLive(world, machine) ? machine.session!.began : now, lastSign: now };
}

function violationOf(type: string, severity: number): Violation {
  return { type, severity, isOpen: true, machines: {} };
}

function observe(license: License, type: string, severity: number): Violation {
  const open = license.violations.find((each) => each.isOpen && each.type === type);
  if (open !== undefined) return open;
  const violation = violationOf(type, severity);
  license.violations.push(violation);
  return violation;
}

function threatLevel(license: License): number {
  return Math.max(0, ...license.violations.filter(({ isOpen }) => isOpen).map(({ severity }) => severity));
}

/** The `license` of an admin reply, as expected. */
function shown(world: World, license: License): Expected['body'] {
  return {
    success: true,
    license: {
      licenseType: license.type,
      status: statusOf(world, license),
      maxMachines: license.maxMachines,
      maxConcurrent: license.maxConcurrent,
      expiresAt: license.expiresAt === null ? null : iso(license.expiresAt),
      threatLevel: threatLevel(license),
      disputeReason: license.disputeReason,
      maxUsers: license.terms.maxUsers,
      replacedBy: license.replacedBy,
    },
  };
}

/** The expected replies of /getLicense and /listUsers, their lists sorted. */
export function describeLicense(world: World, key: string): Record<string, unknown> {
  const license = world.licenses[key]!;
  return {
    ...shown(world, license),
    activations: Object.entries(license.machines)
      .map(([fingerprint, machine]) => ({
        fingerprint,
        hostname: machine.hostname,
        user: machine.user,
        firstSeen: iso(machine.firstSeen),
        lastSeen: iso(machine.lastSeen),
        tokenExpiry: iso(machine.tokenExpiry),
        sessionActive: isLive(world, machine),
        sessionStarted: isLive(world, machine) ? iso(machine.session!.began) : null,
      }))
      .sort((one, other) => (one.fingerprint < other.fingerprint ? -1 : 1)),
    users: listedUsers(license),
    violations: license.violations
      // Occurrences may be a minute behind (violation-counts.test.ts).
      .map(({ type, severity, isOpen }) => `${type} ${severity} ${isOpen ? 'open' : 'resolved'}`)
      .sort(),
  };
}
