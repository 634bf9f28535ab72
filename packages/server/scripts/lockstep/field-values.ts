/** Values for fields of calls: known ones, fitting ones, and wrong ones. */

import { DAY_MS } from '../../src/ground/base/clock.ts';
import type { Random } from '../../test/faults/ledger.ts';
import { type Field, HOSTILE, tooLongTexts } from '../../test/runtime/http/hostile-values.ts';
import { type KnownThings, kindOf } from './known-things.ts';
import type { OtherField } from './other-version.ts';

/** One of several values. */
export function oneOf<Value>(random: Random, values: readonly Value[]): Value {
  return values[random(values.length)]!;
}

/** True in one of so many cases. */
export function isOneIn(random: Random, cases: number): boolean {
  return random(cases) === 0;
}

/** Names of the story that a run plays, small in number so that calls meet the same things again and again. */
const NAMES: Readonly<Record<string, (random: Random) => unknown>> = {
  email: (random) => `person-${random(60)}@${oneOf(random, ['example.com', 'Example.com', 'school.example'])}`,
  productId: (random) => `product-${random(24)}`,
  creatorId: (random) => `creator-${random(5)}`,
  variant: (random) => oneOf(random, ['indie', 'pro', 'team', 'studio', 'trial']),
  machineFingerprint: (random) => `machine-${random(80)}`,
  hostname: (random) => `Host ${random(20)}`,
  purchaseId: (random) => `order-${random(600)}`,
  bundleId: (random) => `bundle-${random(9)}`,
  discountCode: (random) => `Code${random(80)}`,
  courseId: (random) => `course-${random(8)}`,
  buyerUserId: (random) => `buyer-${random(12)}`,
  redeemerUserId: (random) => `user-${random(40)}`,
  currency: (random) => oneOf(random, ['usd', 'EUR', 'jpy']),
  country: (random) => oneOf(random, ['DE', 'FR', 'JP']),
  refusalCode: (random) => oneOf(random, ['machine_limit', 'license_revoked', 'license_expired', 'unknown']),
  actor: (random) => oneOf(random, ['operator', 'webhook', 'app', 'creator', 'system']),
  step: (random) => oneOf(random, ['hour', 'day']),
  status: (random) => oneOf(random, ['live', 'archived', 'live,unlisted']),
  licenseKey: () => 'K7QWM-2MNPR-9XHTB-V4CDE-6WFGJ',
  token: () => 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln',
};
/** Kinds of things that a person may search for. */
const SEARCHED = ['licenseKey', 'email', 'productId', 'purchaseId', 'machineFingerprint', 'hostname', 'requestId'];
/** Fields that look back in time. */
const PAST = new Set(['since', 'until', 'from', 'to']);
/** Small numbers, because a run must reach limits. */
const HIGHEST: Readonly<Record<string, number>> = {
  ...{ limit: 6, activationLimit: 3, historyLimit: 5, sessionLimit: 3, seatCount: 5, maxMachines: 3, maxConcurrent: 3 },
  ...{ maxUses: 3, trialDays: 40, durationDays: 60, days: 40, withinDays: 30, minimum: 4, minimumSeverity: 4 },
};

/** Draws values. */
export class FieldValues {
  readonly #random: Random;
  readonly #known: KnownThings;
  readonly #now: () => number;

  constructor(random: Random, known: KnownThings, now: () => number) {
    this.#random = random;
    this.#known = known;
    this.#now = now;
  }

  /** A value that a field may have. */
  fitting(path: string, field: Field, { words }: OtherField): unknown {
    const random = this.#random;
    const kind = kindOf(path, field.name);
    if (field.kind === 'list') {
      const one = () => (words === null && kind !== field.name ? this.#named(kind) : this.#word(words));
      return Array.from({ length: 1 + random(2) }, one);
    }
    if (words !== null) return this.#word(words);
    if (isNullable(field) && isOneIn(random, 6)) return null;
    if (field.kind === 'flag') return isOneIn(random, 2);
    if (field.kind !== 'text') return this.#number(field);
    if (isMoment(field)) return this.#moment(PAST.has(field.name));
    if (field.name === 'query') return this.#searched();
    return this.#named(kind);
  }

  /** A value that a field must refuse, or that nothing has; undefined leaves the field out. */
  wrong(field: Field): unknown {
    const random = this.#random;
    const others = {
      number: HOSTILE.noNumbers,
      integer: HOSTILE.noIntegers,
      flag: HOSTILE.noFlags,
      list: HOSTILE.noLists,
    };
    if (isOneIn(random, 3)) return oneOf(random, [undefined, null, '']);
    if (field.kind !== 'text') return oneOf<unknown>(random, [...others[field.kind], ...HOSTILE.numbers]);
    const texts = isOneIn(random, 2) ? HOSTILE.texts : HOSTILE.brokenTexts;
    return oneOf<unknown>(random, [oneOf(random, texts), oneOf(random, HOSTILE.noTexts), ...tooLongTexts(field)]);
  }

  #named(kind: string): unknown {
    const fresh = NAMES[kind];
    const known = fresh !== undefined && isOneIn(this.#random, 4) ? undefined : this.#known.value(kind);
    return known ?? fresh?.(this.#random) ?? `${kind} ${this.#random(50)}`.slice(0, 60);
  }

  #word(words: readonly string[] | null): string {
    return oneOf(this.#random, words ?? ['one', 'two']);
  }

  #number({ name, schema }: Field): number {
    const { minimum = 0 } = schema as { minimum?: number };
    if (minimum === -1 && isOneIn(this.#random, 6)) return -1;
    const lowest = Math.max(1, minimum);
    return lowest + this.#random(Math.max(1, (HIGHEST[name] ?? 100) - lowest + 1));
  }

  #moment(isPast: boolean): string {
    const days = isPast ? -this.#random(20) : this.#random(60) - 5;
    const text = new Date(this.#now() + days * DAY_MS).toISOString();
    return isOneIn(this.#random, 4) ? text.slice(0, 10) : text;
  }

  #searched(): unknown {
    return this.#named(oneOf(this.#random, SEARCHED));
  }
}

function isNullable({ schema }: Field): boolean {
  return (schema as { anyOf?: readonly { type?: string }[] }).anyOf?.some(({ type }) => type === 'null') ?? false;
}

function isMoment({ schema }: Field): boolean {
  const inner = schema as { moment?: boolean; anyOf?: readonly { moment?: boolean }[] };
  return inner.moment === true || inner.anyOf?.some(({ moment }) => moment === true) === true;
}
