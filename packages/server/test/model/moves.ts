/** Random moves of clients and operators, small enough that they meet: three licenses, six machines. */
import fc from 'fast-check';
import type { LicenseType } from './license.ts';
import type { Changes } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Number of the license; 3 is a key that does not exist, 4 one that was replaced. */
const license = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(0, 1, 2) },
  { weight: 1, arbitrary: fc.constantFrom(3, 4) },
);
const machine = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const productId = fc.oneof(
  { weight: 9, arbitrary: fc.constant('app') },
  { weight: 1, arbitrary: fc.constant('other') },
);
/** Ann is an address, which can be forgotten. Names are compared in any case. */
const user = fc.constantFrom('ann', 'ann', 'Ann', 'bo', 'bo', 'Bo', 'cy');
const types = fc.constantFrom<LicenseType>('per-machine', 'floating', 'floating', 'site');
const limit = fc.constantFrom(1, 1, 2, 3, -1);
const concurrent = fc.constantFrom(1, 2, 3);

/** Fields of a new license; `expiresAt` counts from now. */
export const order = fc.record(
  {
    licenseType: types,
    maxMachines: limit,
    maxConcurrent: concurrent,
    expiresAt: fc.integer({ min: 10 * DAY_MS, max: 200 * DAY_MS }),
  },
  { requiredKeys: ['licenseType', 'maxMachines'], noNullPrototype: true },
);

const ownFeatures = fc.constantFrom('none', 'cloud', 'no layers', 'rented cloud');
/** Terms of a license; `updatesUntil` counts from now, and features are named. */
const terms = fc.record(
  {
    graceDays: fc.constantFrom(0, 1, 10),
    updatesUntil: fc.constantFrom(null, 0, DAY_MS, 40 * DAY_MS),
    releaseIdleDays: fc.constantFrom(null, 1, 7),
    features: ownFeatures,
    maxUsers: fc.constantFrom(null, 1, 1, 2, 3),
    maxMachinesPerUser: fc.constantFrom(null, 1, 2),
    usersFloat: fc.constantFrom(null, false, true),
  },
  { requiredKeys: [], noNullPrototype: true },
);
export type TermsMove = ValueOf<typeof terms>;

/** The terms of a new license, and whether it is of the variant with terms. */
export const soldTerms = fc.record({ isOfVariant: fc.boolean(), terms });

/** The request of an app: the age of its build in days, and features. */
const asked = fc.record(
  {
    builtDaysAgo: fc.constantFrom(-100, 0, 1, 1000),
    features: fc.constantFrom(['base'], ['cloud'], ['layers', 'cloud']),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const askedOften = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: asked });
export type AskedMove = ValueOf<typeof asked>;

/** A machine asks for a slot. */
export const activate = fc.record({
  kind: fc.constant('activate'),
  license,
  machine,
  productId,
  user: fc.oneof({ weight: 3, arbitrary: user }, { weight: 1, arbitrary: fc.constant(undefined) }),
});

/**
 * A call of a bound machine. `token` picks an issued one, and with it the machine and license it is for, unless it was
 * stolen.
 */
export const session = fc.record({
  kind: fc.constantFrom('validate', 'validate', 'heartbeat', 'heartbeat', 'heartbeat', 'deactivate'),
  token: fc.nat(1000),
  misuse: fc.constantFrom(null, null, null, null, null, null, null, 'forged', 'stolen'),
  license,
  machine,
});
const asking = fc.record({
  call: session,
  asked: askedOften,
  acceptsReplacement: fc.boolean(),
  kind: fc.constant('asking'),
});
const use = fc.record({
  kind: fc.constant('use'),
  call: session,
  meter: fc.constantFrom('exports', 'exports', 'renders', 'saves', 'unknown'),
  units: fc.constantFrom(0, 1, 1, 2, 5, 1_000_000_000),
  requestId: fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5', 'r6'),
});
const built = fc.record({ kind: fc.constant('built'), call: activate, asked: askedOften });
const verify = fc.record({ kind: fc.constant('verify'), license, productId, asked: askedOften });
const changes: fc.Arbitrary<Omit<Changes, 'terms'> & { readonly terms?: TermsMove }> = fc.record(
  {
    licenseType: types,
    maxMachines: limit,
    maxConcurrent: concurrent,
    expiresAt: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 60 * DAY_MS }) },
      { weight: 1, arbitrary: fc.integer({ min: -DAY_MS, max: 0 }) },
    ),
    terms,
    status: fc.constantFrom('active', 'active', 'active', 'revoked'),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const update = fc.record({ kind: fc.constant('update'), license, changes });
const reason = fc.constantFrom('refund' as const, 'chargeback' as const, 'fraud' as const, undefined);
const revoke = fc.record({ kind: fc.constant('revoke'), license, reason });
const restore = fc.record({ kind: fc.constantFrom('reinstate', 'reinstate', 'reset'), license });
const release = fc.record({ kind: fc.constant('release'), license, user });
const forget = fc.constant({ kind: 'forget' as const });
const replace = fc.record({ kind: fc.constant('replace'), license });
const resolve = fc.record({
  kind: fc.constant('resolve'),
  license,
  types: fc.subarray(['machine_limit', 'activation_rate', 'token_replay', 'refund', 'chargeback', 'fraud'], {
    minLength: 1,
  }),
});

/** A call that depends on nothing but its own fields. */
const call = fc.oneof(
  { weight: 14, arbitrary: activate },
  { weight: 6, arbitrary: built },
  { weight: 30, arbitrary: session },
  { weight: 10, arbitrary: asking },
  { weight: 12, arbitrary: use },
  { weight: 10, arbitrary: verify },
  { weight: 4, arbitrary: update },
  { weight: 1, arbitrary: revoke },
  { weight: 4, arbitrary: restore },
  { weight: 3, arbitrary: release },
  { weight: 1, arbitrary: forget },
  { weight: 1, arbitrary: replace },
);

/** Mostly minutes, about the lifetime of a floating session; sometimes hours or days, about the lifetime of a token. */
const milliseconds = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 10 * MINUTE_MS }) },
  { weight: 3, arbitrary: fc.constantFrom(15 * MINUTE_MS - 1, 15 * MINUTE_MS, 15 * MINUTE_MS + 1) },
  { weight: 2, arbitrary: fc.constantFrom(60 * MINUTE_MS - 1, 60 * MINUTE_MS, DAY_MS) },
  { weight: 1, arbitrary: fc.constantFrom(7 * DAY_MS, 23 * DAY_MS - 1, 23 * DAY_MS, 30 * DAY_MS) },
);

const together = fc.array(call, { minLength: 2, maxLength: 4 });

/** A move: one call, several at once, a program that repeats calls rapidly, or time that passes. */
export const move = fc.oneof(
  { weight: 40, arbitrary: call },
  { weight: 2, arbitrary: resolve },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('together'), calls: together }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('hammer'), call: activate, times: fc.integer({ min: 8, max: 17 }) }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('wait'), milliseconds }) },
);

type ValueOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
export type ActivateMove = ValueOf<typeof activate>;
export type UserMove = ValueOf<typeof user>;
export type SessionMove = ValueOf<typeof session>;
export type Move = ValueOf<typeof move>;
export type CallMove = ValueOf<typeof call> | ValueOf<typeof resolve>;
