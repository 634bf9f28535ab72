/**
 * Verdicts on 2,000 random histories against a slow and plain reading of the same history. The histories are played by
 * the rules of the service in memory, so that no database is needed.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import '../../src/app.ts';
import { DAY_MS, HOUR_MS, toTimestamp } from '../../src/ground/base/clock.ts';
import { decidingCheck, type KnownFacts } from '../../src/insight/support/case-facts.ts';
import { checksOf } from '../../src/insight/support/explanation.ts';
import { verdictOn } from '../../src/insight/support/verdict.ts';
import { machineInTheWay } from '../../src/insight/support/verdict-rules.ts';
import type { VerdictCode } from '../../src/insight/support/verdict-views.ts';
import {
  activatedAt,
  hasSlotAt,
  type LicenseSnapshot,
  predictRefusal,
} from '../../src/licensing/client-endpoints/predicted-refusal.ts';
import type { License, Revocation } from '../../src/licensing/licenses/license.ts';
import { reinstatementOf, revocationOf } from '../../src/licensing/licenses/revocation.ts';
import type { Activation } from '../../src/licensing/machines/activation.ts';
import { recordAttempt } from '../../src/licensing/machines/activation-rate.ts';
import type { KeptRefusal } from '../../src/licensing/observed-calls/kept-refusal.ts';
import { gather, type Violation } from '../../src/licensing/violations/violation.ts';
import { codeOf } from '../../src/platform/endpoint/refusals.ts';
import { SETTINGS } from '../support/contexts.ts';
import { aLicense } from '../support/plain-license.ts';

/** The revocations that leave a license its rights. */
type OrdinaryRevocation = Exclude<Revocation, 'replaced'>;

const HISTORIES = 2000;
const START = Date.parse('2027-03-01T12:00:00.000Z');
const TOKEN_MS = SETTINGS.tokenLifetimeMs;

/** Remedies that give more than the license is for. */
const LETTING_IN = ['raise_limit', 'reinstate', 'activate_license', 'resolve_violations', 'extend_license'];

/** Machines, fewer names, so that machines share names now and then. */
const [MACHINES, NAMES] = [18, 4];

const machine = fc.nat(MACHINES - 1);
const move = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('activate'), machine }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('crowd'), machine, count: fc.integer({ min: 2, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('loop'), machine, count: fc.integer({ min: 10, max: 17 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('seen', 'freed', 'file'), machine }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('limit'), limit: fc.constantFrom(1, 2, 6, -1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('other product') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expiry'), days: fc.constantFrom(0, 3, 60, null) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('revoke'),
      as: fc.constantFrom<OrdinaryRevocation>('refund', 'fraud', 'plain', 'chargeback'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('reinstate', 'resolve', 'purchase') }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('wait'), hours: fc.constantFrom(0.1, 0.5, 3, 20, 24, 24 * 12, 24 * 31) }),
  },
);
type ValueOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

const printOf = (index: number) => `print ${index}`;
const nameOf = (index: number) => `host ${index % NAMES}`;

/** The events of a history, as an observer would write them down. */
type Entry =
  | { readonly at: number; readonly what: 'attempt' | 'bound' | 'seen' | 'freed'; readonly index: number }
  | { readonly at: number; readonly what: 'refused'; readonly index: number; readonly code: string }
  | { readonly at: number; readonly what: 'file'; readonly index: number; readonly until: number }
  | { readonly at: number; readonly what: 'revoked'; readonly as: OrdinaryRevocation }
  | { readonly at: number; readonly what: 'expiry'; readonly expires: number | null }
  | { readonly at: number; readonly what: 'limit'; readonly limit: number }
  | { readonly at: number; readonly what: 'reinstated' | 'resolved' | 'purchase' | 'other product' };

/** An entry before it is dated. */
type Untimed<Each> = Each extends Entry ? Omit<Each, 'at'> : never;

class History {
  readonly log: Entry[] = [];
  now = START;
  #license: License = aLicense({ maxMachines: 1, createdAt: toTimestamp(START) });
  readonly #machines = new Map<string, Activation>();
  readonly #files = new Map<string, number>();
  #open: Violation[] = [];
  readonly #refusals: KeptRefusal[] = [];
  #purchases = 0;

  take(taken: ValueOf<typeof move>): void {
    this.now += 1000;
    switch (taken.kind) {
      case 'activate':
        this.#activate(taken.machine);
        return;
      case 'crowd':
        for (let index = 0; index < taken.count; index++) this.#activate((taken.machine + index) % MACHINES);
        return;
      case 'loop':
        for (let time = 0; time < taken.count; time++) this.#activate(taken.machine);
        return;
      case 'seen':
      case 'freed':
      case 'file':
        this.#touch(taken.kind, taken.machine);
        return;
      case 'limit':
        this.#license = { ...this.#license, maxMachines: taken.limit };
        this.#write({ what: 'limit', limit: taken.limit });
        return;
      case 'other product':
        this.#refuse('wrong_product', null, { productId: 'sketch' });
        this.#write({ what: 'other product' });
        return;
      case 'expiry': {
        const expires = taken.days === null ? null : this.now + taken.days * DAY_MS;
        this.#license = { ...this.#license, expiresAt: expires === null ? null : toTimestamp(expires) };
        this.#write({ what: 'expiry', expires });
        return;
      }
      case 'revoke': {
        const { update, opened } = revocationOf(
          this.#license,
          taken.as === 'plain' ? undefined : taken.as,
          {},
          this.now,
        );
        this.#license = { ...this.#license, ...update };
        this.#open.push(...(opened ?? []));
        this.#write({ what: 'revoked', as: taken.as });
        return;
      }
      case 'reinstate': {
        const { update, resolved } = reinstatementOf(this.#open);
        this.#license = { ...this.#license, ...update };
        this.#open = this.#open.filter((each) => !resolved?.includes(each));
        this.#write({ what: 'reinstated' });
        return;
      }
      case 'resolve':
        this.#open = this.#open.filter(({ severity }) => severity === 4);
        this.#write({ what: 'resolved' });
        return;
      case 'purchase':
        this.#purchases += 1;
        this.#write({ what: 'purchase' });
        return;
      case 'wait':
        this.now += taken.hours * HOUR_MS;
    }
  }

  /** The facts about a machine, read as /explainLicense reads them. */
  factsOf(index: number, productId: string): Parameters<typeof verdictOn>[0] {
    const { now } = this;
    const fingerprint = printOf(index);
    const snapshot = this.#snapshotOf(fingerprint);
    const { license } = snapshot;
    const holders = [...this.#machines.values()].sort(
      (one, other) =>
        Date.parse(one.lastSeen) - Date.parse(other.lastSeen) || (one.fingerprint < other.fingerprint ? -1 : 1),
    );
    const isExpired = license.revocation === null && license.expiresAt !== null && Date.parse(license.expiresAt) <= now;
    const known: KnownFacts = {
      now,
      license,
      machine: snapshot.machine,
      asked: { fingerprint, hostname: nameOf(index), productId },
      slotHolders: hasSlotAt(snapshot, fingerprint) ? [] : holders,
      offline: [...this.#files].flatMap(([print, until]) => (until > now ? [print] : [])),
      detected: this.#open.filter(({ severity }) => severity < 4),
      reported: license.revocation === null ? [] : this.#open,
      lastRefusals: this.#refusals.toReversed(),
      otherLicenses: isExpired ? this.#purchases : 0,
    };
    const given = { machineFingerprint: fingerprint, hostname: nameOf(index), productId };
    const { slotHolders, reported: open } = known;
    const inTheWay = machineInTheWay(known);
    return {
      ...known,
      checks: checksOf(snapshot, {
        ...{ given, slotHolders, seatHolders: [], seats: 0, machinesOfUser: [], inTheWay },
        ...{ open, isArchived: false, settings: SETTINGS },
      }),
    };
  }

  #snapshotOf(fingerprint: string): LicenseSnapshot {
    return {
      license: this.#license,
      machine: this.#machines.get(fingerprint),
      idle: undefined,
      users: null,
      uses: [],
      now: this.now,
    };
  }

  #activate(index: number): void {
    this.now += 1000;
    const fingerprint = printOf(index);
    const given = { machineFingerprint: fingerprint, hostname: nameOf(index), productId: 'app' };
    const snapshot = this.#snapshotOf(fingerprint);
    const refusal = predictRefusal('/activate', snapshot, given);
    this.#write({ what: 'attempt', index });
    if (refusal === null) {
      const after = activatedAt(snapshot, given, SETTINGS);
      this.#license = after.license;
      this.#machines.set(fingerprint, after.machine!);
      this.#write({ what: 'bound', index });
      return;
    }
    this.#license = { ...this.#license, attempts: recordAttempt(this.#license.attempts, this.now).attempts };
    const code = codeOf(refusal.refused);
    const { hostname } = given;
    if (code === 'machine_limit')
      this.#observe({ type: code, limit: this.#license.maxMachines, fingerprint, hostname });
    if (code === 'activation_rate') this.#observe({ type: code, fingerprint, hostname });
    this.#refuse(code, fingerprint, null);
    this.#write({ what: 'refused', index, code });
  }

  #observe(observation: Parameters<typeof gather>[1]): void {
    const before = this.#open.find(({ type }) => type === observation.type);
    const after = gather(before, observation, 'K', this.now);
    this.#open = [...this.#open.filter((each) => each !== before), after];
  }

  #refuse(code: string, fingerprint: string | null, details: KeptRefusal['details']): void {
    const at = toTimestamp(this.now);
    const refusalId = String(this.#refusals.length);
    const row = { licenseKey: 'K', refusalId, code, endpoint: '/activate', fingerprint, hostname: null, count: 1 };
    this.#refusals.push({ ...row, firstAt: at, lastAt: at, details, requestId: '' } as KeptRefusal);
  }

  #touch(what: 'seen' | 'freed' | 'file', index: number): void {
    const fingerprint = printOf(index);
    const bound = this.#machines.get(fingerprint);
    if (bound === undefined) return;
    if (what === 'file') {
      const until = this.now + 40 * DAY_MS;
      this.#files.set(fingerprint, until);
      this.#write({ what, index, until });
      return;
    }
    if (what === 'seen') this.#machines.set(fingerprint, { ...bound, lastSeen: toTimestamp(this.now) });
    else {
      this.#machines.delete(fingerprint);
      this.#license = { ...this.#license, machinesUsed: this.#license.machinesUsed - 1 };
    }
    this.#write({ what, index });
  }

  #write(entry: Untimed<Entry>): void {
    this.log.push({ at: this.now, ...entry } as Entry);
  }
}

/** Derives the facts of a case from its history, without any rule of the service. */
function plainReading(log: readonly Entry[], now: number, index: number, productId: string) {
  let revoked: OrdinaryRevocation | null = null;
  let expires: number | null = null;
  let limit = 1;
  let purchases = 0;
  let otherProductAt = -Infinity;
  const bound = new Map<number, { seen: number; token: number }>();
  const files = new Map<number, number>();
  const attempts: number[] = [];
  /** Refusals for want of a slot since the violations were resolved last. */
  let refused: { at: number; index: number }[] = [];
  let hadFiveInADay = false;
  let ownRefusedAt = Infinity;
  let ownLastRefusal = { at: -Infinity, code: '' };
  const rank = ['refund', 'fraud', 'plain', 'chargeback'];
  for (const entry of log) {
    if (entry.what === 'revoked' && (revoked === null || rank.indexOf(entry.as) > rank.indexOf(revoked)))
      revoked = entry.as;
    if (entry.what === 'reinstated') revoked = null;
    if (entry.what === 'expiry') expires = entry.expires;
    if (entry.what === 'limit') limit = entry.limit;
    if (entry.what === 'purchase') purchases += 1;
    if (entry.what === 'other product') {
      otherProductAt = entry.at;
      ownLastRefusal = { at: entry.at, code: 'wrong_product' };
    }
    if (entry.what === 'attempt') attempts.push(entry.at);
    if (entry.what === 'bound') bound.set(entry.index, { seen: entry.at, token: entry.at + TOKEN_MS });
    if (entry.what === 'seen') bound.get(entry.index)!.seen = entry.at;
    if (entry.what === 'freed') bound.delete(entry.index);
    if (entry.what === 'file') files.set(entry.index, entry.until);
    if (entry.what === 'resolved') [refused, hadFiveInADay] = [[], false];
    if (entry.what === 'refused') {
      if (entry.index === index) ownLastRefusal = { at: entry.at, code: entry.code };
      if (entry.code === 'machine_limit') {
        if (entry.index === index) ownRefusedAt = Math.min(ownRefusedAt, entry.at);
        refused.push(entry);
        const ofDay = new Set(refused.filter(({ at }) => at > entry.at - DAY_MS).map((each) => each.index));
        if (ofDay.size >= 5) hadFiveInADay = true;
      }
    }
  }
  const strangers = new Set(refused.map((each) => each.index)).size;
  const isShared = hadFiveInADay && limit !== -1 && Math.min(strangers, 20) >= Math.max(5, Math.min(limit + 1, 20));
  const own = bound.get(index);
  const isOffline = (holder: number) => (files.get(holder) ?? 0) > now;
  const others = [...bound].filter(([holder]) => holder !== index && !isOffline(holder));
  const codeOfCase = (): VerdictCode => {
    if (revoked !== null)
      return { refund: 'refunded', fraud: 'fraud_reported', plain: 'revoked', chargeback: 'charged_back' }[
        revoked
      ] as VerdictCode;
    if (isShared) return 'shared';
    if (productId !== 'app') return 'wrong_product';
    if (expires !== null && expires <= now) return purchases > 0 ? 'other_license' : 'expired';
    if (attempts.filter((at) => at > now - HOUR_MS).length >= 15) return 'attempts_used_up';
    if (own === undefined && limit !== -1 && bound.size >= limit) {
      const isNamesake = ([holder, { seen }]: (typeof others)[number]) =>
        holder % NAMES === index % NAMES && seen <= ownRefusedAt;
      if (ownRefusedAt < Infinity && others.some(isNamesake)) return 'reinstalled';
      return others.some(([, { seen }]) => now - seen >= 30 * DAY_MS) ? 'dead_machine' : 'new_computer';
    }
    if (own !== undefined && own.token <= now) return 'activate_again';
    const isLast = ownLastRefusal.code === 'wrong_product' && otherProductAt > now - DAY_MS;
    return isLast ? 'wrong_product' : 'works';
  };
  return { code: codeOfCase(), isShared };
}

describe('verdicts on random histories', () => {
  it(`agree with a plain reading of ${HISTORIES} of them, and never let in first where a key is shared`, () => {
    const met = new Map<VerdictCode, number>();
    const moves = fc.array(move, { minLength: 3, maxLength: 16, size: 'max' });
    fc.assert(
      fc.property(moves, machine, fc.boolean(), fc.nat(4), (taken, any, asksRefused, product) => {
        const history = new History();
        for (const each of taken) history.take(each);
        const refused = history.log.findLast(({ what }) => what === 'refused');
        const index = asksRefused && refused?.what === 'refused' ? refused.index : any;
        const productId = product === 0 ? 'sketch' : 'app';
        const facts = history.factsOf(index, productId);
        const { code, firstStep } = verdictOn(facts);
        const read = plainReading(history.log, history.now, index, productId);
        assert.equal(code, read.code, JSON.stringify(history.log));
        met.set(code, (met.get(code) ?? 0) + 1);
        const first = decidingCheck(facts)?.remedies.find(({ endpoint }) => endpoint !== null)?.action ?? 'none';
        if (read.isShared) assert.ok(firstStep === 'review' || firstStep === 'decline', firstStep);
        if (firstStep === 'remedy') assert.ok(!LETTING_IN.includes(first), first);
      }),
      { numRuns: HISTORIES },
    );
    // Every case occurred, so the agreement means something. Floating licenses are not part of this.
    for (const code of [
      'shared',
      'refunded',
      'dead_machine',
      'new_computer',
      'reinstalled',
      'attempts_used_up',
    ] as const)
      assert.ok(met.has(code), `${code} was never met`);
  });
});
