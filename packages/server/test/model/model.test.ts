/**
 * Random histories against a model: for any calls of clients and operators, in any order and at the same time, the
 * service replies as docs/contributors/rules.md says. The replies to concurrent calls must match some order.
 * LATCHKEY_TEST_MODEL_RUNS sets the number of histories per engine; 15 by default.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Answer, TestApp } from '../support/app.ts';
import { engines } from '../support/databases.ts';
import { startedApp } from '../support/started-app.ts';
import type { License } from './license.ts';
import {
  type AskedMove,
  type CallMove,
  type Move,
  move,
  order,
  type SessionMove,
  soldTerms,
  type TermsMove,
  type UserMove,
} from './moves.ts';
import { type AskedTerms, type OwnTerms, VARIANT } from './terms.ts';
import { nobody } from './users.ts';
import { type Call, describeLicense, type Expected, perform, type World } from './world.ts';

const RUNS = Number(process.env.LATCHKEY_TEST_MODEL_RUNS ?? 15);
const UNKNOWN_KEY = 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA';
const NO_TOKEN = { key: UNKNOWN_KEY, machine: 'a', text: 'none' };

for (const engine of engines)
  describe(`the service on ${engine}`, () => {
    const app = startedApp(engine);

    it('answers any history as the model does', async () => {
      const sold = fc.tuple(order, soldTerms);
      const licenses = fc.tuple(sold, sold, sold);
      await fc.assert(
        fc.asyncProperty(
          licenses,
          fc.array(move, { minLength: 30, maxLength: 90, size: 'max' }),
          async (orders, moves) => {
            const history = await History.begin(app, orders);
            for (const each of moves) await history.take(each);
            await history.compareLicenses();
          },
        ),
        { numRuns: RUNS, interruptAfterTimeLimit: 60_000 + RUNS * 2000 },
      );
    });
  });

type Order = Parameters<Parameters<typeof order.map>[0]>[0];
type SoldTerms = Parameters<Parameters<typeof soldTerms.map>[0]>[0];

/** One history: the calls sent, and every world that explains the replies so far. */
class History {
  readonly #app: TestApp;
  /** The keys in force, by the numbers of their licenses. */
  readonly #keys: string[];
  #replacedKey = UNKNOWN_KEY;
  /** The address of a user, which no other history has. */
  readonly #address: string;
  /** All tokens issued, newest last. */
  readonly #tokens: { key: string; machine: string; text: string }[] = [];
  /** One, unless concurrent calls leave open which of them was first. */
  #worlds: World[];

  static async begin(app: TestApp, orders: readonly (readonly [Order, SoldTerms])[]): Promise<History> {
    const now = app.clock.now();
    // Refused if an earlier history has made them.
    await app.admin('/createProduct', { name: 'App', slug: 'app', creatorId: 'ada' });
    await app.admin('/createVariant', { productId: 'app', name: 'metered', ...VARIANT });
    const licenses: [string, License][] = [];
    for (const [{ licenseType, maxMachines, maxConcurrent, expiresAt }, sold] of orders) {
      const expiry = expiresAt === undefined ? null : now + expiresAt;
      const terms = termsFrom(sold.terms, now);
      const key = await app.license({
        licenseType,
        maxMachines,
        maxConcurrent,
        expiresAt: timestampOf(expiry),
        ...(sold.isOfVariant ? { variant: 'metered' } : {}),
        ...givenTo(sentTerms(terms)),
      });
      licenses.push([
        key,
        {
          type: licenseType,
          maxMachines,
          maxConcurrent: maxConcurrent ?? null,
          expiresAt: expiry,
          terms: { ...NO_TERMS, ...terms, isOfVariant: sold.isOfVariant, used: {}, requests: {} },
          revocations: [],
          disputeReason: null,
          attempts: [],
          users: nobody(),
          machines: {},
          violations: [],
          waits: {},
          replacedBy: null,
        },
      ]);
    }
    return new History(app, { now, licenses: Object.fromEntries(licenses), tokens: {} });
  }

  private constructor(app: TestApp, world: World) {
    this.#app = app;
    this.#worlds = [world];
    this.#keys = Object.keys(world.licenses);
    this.#address = `ann@${this.#keys[0]!.toLowerCase()}.example`;
  }

  async take(move: Move): Promise<void> {
    switch (move.kind) {
      case 'wait':
        this.#app.clock.move(move.milliseconds);
        for (const world of this.#worlds) world.now = this.#app.clock.now();
        return;
      case 'hammer':
        for (let time = 0; time < move.times; time++) await this.#makeCalls([move.call]);
        return;
      case 'together':
        return this.#makeCalls(move.calls);
      default:
        return this.#makeCalls([move]);
    }
  }

  async #makeCalls(moves: readonly CallMove[]): Promise<void> {
    const calls = moves.map((each) => this.#callOf(each));
    const answers = await Promise.all(calls.map((call) => this.#send(call)));
    for (const [index, call] of calls.entries()) {
      const answer = answers[index]!;
      const text = issuedIn(answer);
      const key = answer.body.licenseKey;
      if (text !== undefined && 'machine' in call)
        this.#tokens.push({ key: key ?? call.key, machine: call.machine, text });
      if (call.path === '/replaceLicense' && answer.status === 200) this.#keys[this.#keys.indexOf(call.key)] = key;
      if (call.path === '/replaceLicense' && answer.status === 200) this.#replacedKey = call.key;
    }
    const explained = this.#worlds.flatMap((world) => worldsAfter(world, calls, answers));
    if (explained.length === 0) this.#failOn(calls, answers);
    // Orders with the same result are one.
    this.#worlds = [...new Map(explained.map((world) => [sortedText(world), world])).values()];
  }

  #callOf(move: CallMove): Call {
    if (move.kind === 'forget') return { path: '/forgetCustomer', email: this.#address };
    const key = this.#keyOf('call' in move ? move.call.license : move.license);
    switch (move.kind) {
      case 'activate':
      case 'built': {
        const { machine, productId, user } = move.kind === 'built' ? move.call : move;
        const { builtAt } = move.kind === 'built' ? this.#askedBy(move.asked) : {};
        const hostname = `host at ${this.#app.clock.now()}`;
        const named = user === undefined ? undefined : this.#nameOf(user);
        return { path: '/activate', key, machine, hostname, productId, user: named, asked: { builtAt } };
      }
      case 'use': {
        const { path: _, asked: _asked, acceptsReplacement: _accepts, ...session } = this.#sessionCallOf(move.call);
        const { meter, units, requestId } = move;
        return { ...session, path: '/consume', meter, units, requestId };
      }
      case 'asking':
        return {
          ...this.#sessionCallOf(move.call),
          asked: this.#askedBy(move.asked),
          acceptsReplacement: move.acceptsReplacement,
        };
      case 'validate':
      case 'heartbeat':
      case 'deactivate':
        return this.#sessionCallOf(move);
      case 'verify':
        return { path: '/verify', key, productId: move.productId, asked: this.#askedBy(move.asked) };
      case 'update': {
        const { terms, ...changes } = move.changes;
        const now = this.#app.clock.now();
        const later = typeof changes.expiresAt === 'number' ? { expiresAt: now + changes.expiresAt } : {};
        const given = terms === undefined ? {} : { terms: termsFrom(terms, now) };
        return { path: '/updateLicense', key, changes: { ...changes, ...later, ...given } };
      }
      case 'revoke':
        return { path: '/revokeLicense', key, reason: move.reason };
      case 'resolve':
        return { path: '/resolveLicense', key, types: move.types };
      case 'reinstate':
        return { path: '/reinstateLicense', key };
      case 'reset':
        return { path: '/resetActivations', key };
      case 'release':
        return { path: '/releaseUser', key, user: this.#nameOf(move.user) };
      case 'replace':
        return { path: '/replaceLicense', key };
    }
  }

  #keyOf(license: number): string {
    return this.#keys[license] ?? (license === 3 ? UNKNOWN_KEY : this.#replacedKey);
  }

  #nameOf(user: UserMove): string {
    return { ann: this.#address, Ann: this.#address.toUpperCase(), bo: 'bo', Bo: 'Bo', cy: 'Cy' }[user];
  }

  #askedBy({ builtDaysAgo, features }: AskedMove): AskedTerms {
    const now = this.#app.clock.now();
    return { builtAt: builtDaysAgo === undefined ? undefined : now - builtDaysAgo * DAY_MS, features };
  }

  /** A call with one of the latest tokens, perhaps the token of another machine. */
  #sessionCallOf(move: SessionMove): Call & { path: '/validate' | '/heartbeat' | '/deactivate' } {
    const held = this.#tokens.at(-1 - (move.token % Math.min(this.#tokens.length, 12))) ?? NO_TOKEN;
    const path = `/${move.kind}` as const;
    const acceptsReplacement = false;
    switch (move.misuse) {
      case null:
        return { path, key: held.key, machine: held.machine, token: held.text, asked: {}, acceptsReplacement };
      case 'forged':
        return { path, key: held.key, machine: held.machine, token: `${held.text}A`, asked: {}, acceptsReplacement };
      case 'stolen':
        return {
          path,
          key: this.#keyOf(move.license),
          machine: move.machine,
          token: held.text,
          asked: {},
          acceptsReplacement,
        };
    }
  }

  async #send(call: Call): Promise<Answer> {
    if (call.path === '/forgetCustomer') return this.#app.admin(call.path, { email: call.email });
    const licenseKey = call.key;
    switch (call.path) {
      case '/activate':
        return this.#app.send(call.path, {
          licenseKey,
          machineFingerprint: call.machine,
          hostname: call.hostname,
          productId: call.productId,
          ...(call.user === undefined ? {} : { user: call.user }),
          ...sentAsked(call.asked),
        });
      case '/consume': {
        const { path, machine: machineFingerprint, token, meter, units, requestId } = call;
        return this.#app.send(path, { licenseKey, machineFingerprint, token, meter, units, requestId });
      }
      case '/validate':
      case '/heartbeat':
      case '/deactivate':
        return this.#app.send(call.path, {
          licenseKey,
          machineFingerprint: call.machine,
          token: call.token,
          ...(call.path === '/validate' ? sentAsked(call.asked) : {}),
          ...(call.path === '/validate' && call.acceptsReplacement ? { acceptsReplacement: true } : {}),
        });
      case '/verify':
        return this.#app.send(call.path, { licenseKey, productId: call.productId, ...sentAsked(call.asked) });
      case '/updateLicense': {
        const { expiresAt, terms = {}, ...changes } = call.changes;
        const expiry = expiresAt === undefined ? {} : { expiresAt: timestampOf(expiresAt) };
        return this.#app.admin(call.path, { licenseKey, ...changes, ...expiry, ...sentTerms(terms) });
      }
      case '/revokeLicense':
        return this.#app.admin(call.path, { licenseKey, reason: call.reason });
      case '/resolveLicense': {
        const { body } = await this.#app.admin('/getLicense', { licenseKey });
        const found: { id: string; type: string }[] = body.violations ?? [];
        const ids = found.filter(({ type }) => call.types.includes(type)).map(({ id }) => id);
        return this.#app.admin(call.path, { licenseKey, violationIds: ids.length > 0 ? ids : ['no-such-violation'] });
      }
      case '/releaseUser':
        return this.#app.admin(call.path, { licenseKey, user: call.user });
      default:
        return this.#app.admin(call.path, { licenseKey });
    }
  }

  /** Every license matches one of the worlds, and /verify, which may reply from memory, agrees with it. */
  async compareLicenses(): Promise<void> {
    const seen: Record<string, Record<string, unknown>> = {};
    const keys = Object.keys(this.#worlds[0]!.licenses);
    for (const licenseKey of keys) {
      const { body } = await this.#app.admin('/getLicense', { licenseKey });
      const listed = await this.#app.admin('/listUsers', { licenseKey });
      seen[licenseKey] = seenLicense(body, listed.body.users);
    }
    for (const license of [0, 1, 2] as const)
      await this.#makeCalls([{ kind: 'verify', license, productId: 'app', asked: {} }]);
    const described = this.#worlds.map((world) =>
      Object.fromEntries(keys.map((key) => [key, describeLicense(world, key)])),
    );
    if (!described.some((each) => JSON.stringify(each) === JSON.stringify(seen))) assert.deepEqual(seen, described[0]);
  }

  #failOn(calls: readonly Call[], answers: readonly Answer[]): never {
    const world = structuredClone(this.#worlds[0]!);
    const rounds = calls.map((call, index) => ({
      call,
      answer: { status: answers[index]?.status, body: answers[index]?.body },
      expectedInThisOrder: perform(world, call, 'token'),
    }));
    assert.fail(`no order explains ${JSON.stringify(rounds, undefined, 2)}`);
  }
}

const DAY_MS = 86_400_000;
const NO_TERMS: OwnTerms = {
  graceDays: 0,
  updatesUntil: null,
  releaseIdleDays: null,
  features: null,
  maxUsers: null,
  maxMachinesPerUser: null,
  usersFloat: null,
};

function termsFrom({ updatesUntil, features, ...terms }: TermsMove, now: number): Partial<OwnTerms> {
  const named = {
    none: null,
    cloud: { cloud: true },
    'no layers': { layers: null, own: 7 },
    'rented cloud': { cloud: { value: true, until: now + 3 * DAY_MS } },
  };
  return {
    ...terms,
    ...(updatesUntil === undefined ? {} : { updatesUntil: updatesUntil === null ? null : now + updatesUntil }),
    ...(features === undefined ? {} : { features: named[features] }),
  };
}

/** Terms as a request has them: null takes one away. */
function sentTerms({ updatesUntil, features, ...terms }: Partial<OwnTerms>) {
  const sent = Object.entries(features ?? {}).map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null ? { ...value, until: timestampOf(value.until) } : value,
  ]);
  return {
    ...terms,
    ...(updatesUntil === undefined ? {} : { updatesUntil: timestampOf(updatesUntil) }),
    ...(features === undefined ? {} : { features: features === null ? null : Object.fromEntries(sent) }),
  };
}

/** The terms of a new license, which has no null to take away. */
function givenTo(terms: object): object {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== null));
}

function sentAsked({ builtAt, features }: AskedTerms) {
  return {
    ...(builtAt === undefined ? {} : { buildDate: timestampOf(builtAt) }),
    ...(features === undefined ? {} : { features }),
  };
}

/** The possible worlds after concurrent calls: one for each order that fits the replies. */
function worldsAfter(world: World, calls: readonly Call[], answers: readonly Answer[]): World[] {
  if (calls.length === 0) return [world];
  return calls.flatMap((call, index) => {
    const next = structuredClone(world);
    const answer = answers[index]!;
    if (!isAsExpected(answer, perform(next, call, issuedIn(answer) ?? 'none'))) return [];
    const isOther = (_: unknown, other: number) => other !== index;
    return worldsAfter(next, calls.filter(isOther), answers.filter(isOther));
  });
}

/** JSON in which the order of fields does not matter. */
function sortedText(world: World): string {
  return JSON.stringify(world, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

/** The token, key or pseudonym that a reply issued. */
function issuedIn({ body }: Answer): string | undefined {
  return body.token ?? body.newToken ?? body.sessionToken ?? body.licenseKey ?? body.pseudonym ?? undefined;
}

function isAsExpected({ status, headers, body }: Answer, expected: Expected): boolean {
  return (
    status === expected.status &&
    headers['latchkey-code'] === expected.code &&
    Object.entries(expected.body).every(([name, value]) => {
      if (name === 'newToken' || name === 'sessionToken') return value === name in body;
      if (typeof value === 'object' && value !== null && name !== 'license')
        return isDeepStrictEqual(body[name], value);
      if (name !== 'license') return body[name] === value;
      return Object.entries(value as object).every(([field, each]) => (body.license[field] ?? null) === each);
    })
  );
}

/** Replies of /getLicense and /listUsers in the words of the model. */
function seenLicense({ license, activations, violations }: Answer['body'], users: unknown): Record<string, unknown> {
  const { licenseType, status, maxMachines, maxConcurrent, expiresAt, threatLevel, disputeReason } = license;
  const { maxUsers = null, replacedBy = null } = license;
  const shown = { licenseType, status, maxMachines, maxConcurrent, expiresAt, threatLevel, disputeReason };
  return {
    success: true,
    license: { ...shown, maxUsers, replacedBy },
    activations: activations.map((each: Record<string, unknown>) => {
      const {
        fingerprint,
        hostname,
        user = null,
        firstSeen,
        lastSeen,
        tokenExpiry,
        sessionActive,
        sessionStarted,
      } = each;
      return { fingerprint, hostname, user, firstSeen, lastSeen, tokenExpiry, sessionActive, sessionStarted };
    }),
    users,
    violations: violations
      .map(
        ({ type, severity, resolvedAt }: Record<string, unknown>) =>
          `${type} ${severity} ${resolvedAt === null ? 'open' : 'resolved'}`,
      )
      .sort(),
  };
}

function timestampOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
