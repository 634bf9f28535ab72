/**
 * A locked license with the machines that a batch of calls concerns: loaded together, changed by rules in memory,
 * written together. Calls on one license in one batch are decided in turn on the same object, so the second sees the
 * changes of the first.
 */
import { DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { BelievedTime } from '../../platform/believed-time/believed-time.ts';
import type { RequestContext } from '../../platform/endpoint/endpoint.ts';
import { difference, type Facts, type Origin } from '../../platform/events/event.ts';
import { hasFreeSlot, idleSince, type UsedLicense } from '../licenses/license.ts';
import type { LicenseEntry, LicenseSave } from '../licenses/license-save.ts';
import type { MeterState } from '../licenses/meters.ts';
import { factsOfTerms } from '../licenses/terms.ts';
import type { CollectedViolations, Observed } from '../licenses/violation-record.ts';
import { begunAt } from '../licenses/waiting.ts';
import {
  type Activation,
  factsOfMachine,
  holdsFile,
  type MachineChanges,
  seenAt,
  withLiveSession,
} from '../machines/activation.ts';
import { type AttemptVerdict, recordAttempt } from '../machines/activation-rate.ts';
import { userOf } from '../machines/user.ts';
import { countsSessions } from '../products/license-type.ts';
import type { Observation } from '../violations/observation.ts';
import { sightCountry } from '../violations/violation.ts';
import { MeterChanges } from './meter-changes.ts';
import type { UserChanges } from './user-changes.ts';

/** The times that date changes, end sessions and make machines idle, for a time read from the clock. */
type Dates = Pick<BelievedTime, 'sessionNow' | 'believableNow'>;

const AS_READ: Dates = { sessionNow: (now) => now, believableNow: (now) => now };

export class LicenseChanges {
  readonly #loaded: UsedLicense;
  readonly #releasedSessions: number;
  readonly #stored = new Map<string, Activation>();
  readonly #machines = new Map<string, Activation>();
  #license: UsedLicense;
  /** Observations of abuse and the calls that made them; saving the license gathers them into violations. */
  readonly observations: Observed[] = [];
  /** A country for each machine not yet seen on this UTC day, if the country is known. */
  readonly machinesOfDay: { readonly country: string; readonly now: number }[] = [];
  /** The countries of calls that may be the first on this license from there; one may repeat. */
  readonly countriesMet: string[] = [];
  readonly #entries: LicenseEntry[] = [];
  /** Machines as they were when their users lost them, to another user or for good. */
  readonly #lost: Activation[] = [];
  /** Fingerprints of loaded machines that may give up their slot, the longest idle first. */
  readonly #idle: string[] = [];
  readonly #dates: Dates;
  #meters: MeterChanges | null = null;
  /** The users that calls name, of a license with named users; null unless they were loaded. */
  users: UserChanges | null = null;

  /**
   * @param loaded the license as it was locked
   * @param releasedSessions number of lapsed floating sessions released after the lock
   * @param dates dates each call by itself: the clock may jump between two calls of a batch
   */
  constructor(loaded: UsedLicense, releasedSessions: number, dates: Dates = AS_READ) {
    this.#loaded = loaded;
    this.#dates = dates;
    this.#releasedSessions = releasedSessions;
    this.#license =
      releasedSessions === 0 ? loaded : { ...loaded, sessionsHeld: loaded.sessionsHeld - releasedSessions };
  }

  /** The license as it was loaded, without the changes of any call. */
  undone(): LicenseChanges {
    return new LicenseChanges(this.#loaded, this.#releasedSessions, this.#dates);
  }

  get license(): UsedLicense {
    return this.#license;
  }

  /**
   * Whether the reply of /verify may have changed. /verify subtracts lapsed sessions before they are released, so a
   * session that replaces a released one changes the reply although the stored count stays the same.
   */
  get #isCountChanged(): boolean {
    const { machinesUsed, sessionsHeld } = this.#loaded;
    const { license } = this;
    return this.#releasedSessions > 0 || license.machinesUsed !== machinesUsed || license.sessionsHeld !== sessionsHeld;
  }

  /** Adds a stored activation; for the loader. */
  load(activation: Activation): void {
    this.#stored.set(activation.fingerprint, activation);
    this.#machines.set(activation.fingerprint, activation);
  }

  /** Adds a stored activation that may give up its slot, the longest idle first; for the loader. */
  loadIdle(activation: Activation): void {
    if (!this.#stored.has(activation.fingerprint)) this.load(activation);
    this.#idle.push(activation.fingerprint);
  }

  /** The activation of a machine, if it was loaded. */
  machine(fingerprint: string): Activation | undefined {
    return this.#machines.get(fingerprint);
  }

  /** The meters of the license; empty unless they were loaded. */
  get meters(): MeterChanges {
    this.#meters ??= new MeterChanges();
    return this.#meters;
  }

  /** The changes of meters; null for a license whose meters nobody asked for. */
  get writtenMeters(): MeterChanges['written'] | null {
    return this.#meters === null ? null : this.#meters.written;
  }

  /** Records that the limit of a meter was reached. */
  limitReached({ meter, ...facts }: MeterState, requestContext: RequestContext): void {
    this.#note('usage.limit_reached', meter, null, { meter, ...facts }, requestContext);
  }

  /** Counts an activation attempt. */
  attempt(now: number): AttemptVerdict {
    const verdict = recordAttempt(this.#license.attempts, now);
    this.#license = { ...this.#license, attempts: verdict.attempts };
    return verdict;
  }

  /** Whether a machine would take a slot that it does not hold yet. */
  needsSlot(fingerprint: string): boolean {
    const machine = this.#machines.get(fingerprint);
    if (machine === undefined) return true;
    return countsSessions(this.#license.licenseType) && machine.sessionDeadline === null;
  }

  /** Whether the machine holds a slot or a slot is free. */
  hasSlotFor(fingerprint: string): boolean {
    return !this.needsSlot(fingerprint) || hasFreeSlot(this.#license);
  }

  /**
   * Binds a machine, or records a sign of life of a bound one; starts or extends its floating session. Call {@link
   * hasSlotFor} first.
   *
   * @returns the machine as it is stored
   */
  keep(machine: Activation, requestContext: RequestContext, floatingTimeoutMs: number): Activation {
    const { now, country } = requestContext;
    const { fingerprint, hostname } = machine;
    const isFloating = countsSessions(this.#license.licenseType);
    const before = this.#machines.get(fingerprint);
    const isNew = before === undefined;
    this.#assign(machine, before, requestContext);
    const takesSession = isFloating && this.needsSlot(fingerprint);
    if (isNew || takesSession) {
      this.#license = {
        ...this.#license,
        machinesUsed: this.#license.machinesUsed + (isNew ? 1 : 0),
        sessionsHeld: this.#license.sessionsHeld + (takesSession ? 1 : 0),
      };
    }
    const seen = seenAt(machine, now, country);
    const kept = isFloating ? withLiveSession(seen, this.#dates.sessionNow(now), floatingTimeoutMs) : seen;
    this.#machines.set(fingerprint, kept);
    const user = machine.user === null ? {} : { user: machine.user };
    if (isNew)
      this.#note('activation.created', fingerprint, null, { fingerprint, hostname, country, ...user }, requestContext);
    this.begin(requestContext);
    if (country !== null) {
      const isFirstOfDay = isNew || before.lastSeen < dayOf(now);
      if (isFirstOfDay) this.machinesOfDay.push({ country, now: this.#dates.sessionNow(now) });
      // Noted again each day: a crash loses unwritten notes, and nodes of an earlier version write none.
      if (isFirstOfDay || !before.countries.includes(country)) this.countriesMet.push(country);
      this.#sight(country, requestContext);
    }
    return kept;
  }

  /** Counts a machine for its user, who may have got it from another one. */
  #assign({ fingerprint, ...after }: Activation, before: Activation | undefined, requestContext: RequestContext): void {
    if (after.userFolded === (before?.userFolded ?? null)) return;
    const { usersFloat } = this.#license.terms;
    if (before !== undefined && before.userFolded !== null) {
      this.users?.lose(before.userFolded, usersFloat);
      this.#lost.push(before);
    }
    const { user, userFolded, licenseKey } = after;
    const at = toTimestamp(requestContext.now);
    if (user !== null && userFolded !== null)
      this.users?.gain({ licenseKey, userFolded, user, since: at, lastSeen: at });
    if (before === undefined) return;
    const facts = ({ user }: Activation | typeof after) => ({ fingerprint, user });
    this.#note('activation.moved', fingerprint, facts(before), facts(after), requestContext);
  }

  /** The machine that would give up its slot if the license is full; undefined if that lets no other machine in. */
  idleMachine(now: number): Activation | undefined {
    const { license } = this;
    const believableNow = this.#dates.believableNow(now);
    const before = believableNow === null ? null : idleSince(license, believableNow);
    if (before === null || !hasFreeSlot({ ...license, machinesUsed: license.machinesUsed - 1 })) return undefined;
    const fingerprint = this.#idle.find((each) => (this.#machines.get(each)?.lastSeen ?? before) < before);
    return fingerprint === undefined ? undefined : this.#machines.get(fingerprint);
  }

  /**
   * Frees the slot of the longest idle machine of a full license, if that lets another machine in.
   *
   * @returns whether a slot is free now
   */
  makeRoom(requestContext: RequestContext): boolean {
    const machine = this.idleMachine(requestContext.now);
    if (machine === undefined) return false;
    this.release(machine, requestContext, { reason: 'idle' });
    return true;
  }

  /**
   * Keeps the slot of a bound machine until its file expires; a floating session lives as long.
   *
   * @param until timestamp
   */
  holdUntil(fingerprint: string, until: string): void {
    const machine = this.#machines.get(fingerprint);
    if (machine === undefined) throw new Error('a machine without a slot cannot keep one');
    const { fileUntil, sessionDeadline } = machine;
    const later = (one: string | null) => (one === null || one < until ? until : one);
    const deadline = sessionDeadline === null ? null : later(sessionDeadline);
    this.#machines.set(fingerprint, { ...machine, fileUntil: later(fileUntil), sessionDeadline: deadline });
  }

  /** Whether a machine keeps its slot because it holds a file. */
  keepsSlot(machine: Activation, now: number): boolean {
    return holdsFile(machine, this.#dates.sessionNow(now));
  }

  /** Unbinds a machine and frees its slot at once; `after` are facts about the release. */
  release(machine: Activation, requestContext: RequestContext, after: Facts | null = null): void {
    const { fingerprint, userFolded } = machine;
    this.#machines.delete(fingerprint);
    if (userFolded !== null) {
      this.users?.lose(userFolded, this.#license.terms.usersFloat);
      this.#lost.push(machine);
    }
    this.#note('activation.deleted', fingerprint, factsOfMachine(machine), after, requestContext);
    this.#license = {
      ...this.#license,
      machinesUsed: this.#license.machinesUsed - 1,
      sessionsHeld: this.#license.sessionsHeld - (machine.sessionDeadline === null ? 0 : 1),
    };
  }

  /** Begins the time of a license that waits for its first activation. */
  begin(requestContext: RequestContext): void {
    const before = this.#license;
    if (before.terms.waiting === null) return;
    this.#license = { ...before, ...begunAt(before, this.#dates.sessionNow(requestContext.now)) };
    const changed = difference(factsOfEnds(before), factsOfEnds(this.#license));
    const after = { ...changed.after, reason: 'activation' };
    this.#note('license.updated', null, changed.before, after, requestContext);
  }

  /** Records an observation for support; the threat level rises with it when the license is saved. */
  observe(observation: Observation, requestContext: RequestContext): void {
    this.observations.push({ observation, origin: this.#originOf(requestContext) });
  }

  /** Raises the threat level; it never falls automatically. */
  raiseThreat(severity: number): void {
    if (severity > this.#license.threatLevel) this.#license = { ...this.#license, threatLevel: severity };
  }

  /** The writes and event entries of this license, including the violations collected from its observations. */
  save(collected: CollectedViolations = NOTHING_COLLECTED): LicenseSave {
    return {
      kind: this.#writeKind,
      before: this.#loaded,
      license: this.#license,
      isVisible: this.#isCountChanged,
      machines: this.#machineChanges(),
      ...(this.users === null ? {} : { seatedUsers: this.users.given }),
      opened: collected.opened,
      repeated: collected.repeated,
      entries: collected.entries.length === 0 ? this.#entries : [...this.#entries, ...collected.entries],
    };
  }

  get #writeKind() {
    if (this.#license === this.#loaded) return 'unchanged';
    return this.#license.terms === this.#loaded.terms ? 'used' : 'begun';
  }

  /** The writes for the loaded machines; undefined when there are none. */
  #machineChanges(): MachineChanges | undefined {
    const inserted: Activation[] = [];
    const touched: Activation[] = [];
    const updated: Activation[] = [];
    const deleted: Activation[] = [];
    for (const [fingerprint, machine] of this.#machines) {
      const before = this.#stored.get(fingerprint);
      if (before === undefined) inserted.push(machine);
      else if (before.activationId !== machine.activationId) {
        // Unbound and bound again within one batch: a new activation, for which the old tokens are not valid.
        deleted.push(before);
        inserted.push(machine);
      } else if (before !== machine) (isOnlyTouched(before, machine) ? touched : updated).push(machine);
    }
    for (const [fingerprint, before] of this.#stored) if (!this.#machines.has(fingerprint)) deleted.push(before);
    if (inserted.length + touched.length + updated.length + deleted.length === 0) return undefined;
    return { inserted, touched, updated, deleted, lost: this.#lost };
  }

  #sight(country: string, requestContext: RequestContext): void {
    const { countriesSeen, spread } = sightCountry(this.#license.countriesSeen, country, requestContext.now);
    if (countriesSeen !== this.#license.countriesSeen) this.#license = { ...this.#license, countriesSeen };
    if (spread !== null) this.observe({ type: 'country_spread', countries: spread }, requestContext);
  }

  /** The author of the changes. Their time is the time of sessions, because the clock may be known to be wrong. */
  #originOf({ requestId, now }: RequestContext): Origin {
    return { actor: CLIENT, requestId, now: this.#dates.sessionNow(now) };
  }

  #note(
    type: LicenseEntry['type'],
    subject: string | null,
    before: Facts | null,
    after: Facts | null,
    requestContext: RequestContext,
  ): void {
    this.#entries.push({ type, subject, before, after, origin: this.#originOf(requestContext) });
  }
}

/** The facts of a license that its first activation may change. */
function factsOfEnds(license: UsedLicense): Facts {
  return { expiresAt: license.expiresAt, ...factsOfTerms(license) };
}

/** Start of the UTC day that contains a moment. */
function dayOf(now: number): string {
  return toTimestamp(now - (now % DAY_MS));
}
const NOTHING_COLLECTED: CollectedViolations = { opened: [], repeated: [], entries: [] };

/** A license key identifies its caller as a client. */
const CLIENT = { kind: 'client' } as const;

function isOnlyTouched(before: Activation, after: Activation): boolean {
  return (
    before.hostname === after.hostname &&
    before.sessionDue === after.sessionDue &&
    before.fileUntil === after.fileUntil &&
    before.countries === after.countries &&
    before.lastCountry === after.lastCountry &&
    before.userFolded === after.userFolded
  );
}

/** A new activation, not yet seen; {@link LicenseChanges.keep} binds it. */
export function newActivation(
  license: Pick<UsedLicense, 'licenseKey'>,
  fingerprint: string,
  hostname: string,
  activationId: string,
  now: number,
  user?: string,
): Activation {
  const at = toTimestamp(now);
  return {
    licenseKey: license.licenseKey,
    fingerprint,
    activationId,
    hostname,
    firstSeen: at,
    lastSeen: at,
    tokenExpiry: at,
    sessionStarted: null,
    sessionDeadline: null,
    sessionDue: null,
    fileUntil: null,
    countries: [],
    lastCountry: null,
    ...userOf(user),
  };
}
