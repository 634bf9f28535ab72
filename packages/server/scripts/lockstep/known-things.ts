/** The licenses, codes, keys and other things that the calls of a run made, so that later calls refer to them. */
import type { Random } from '../../test/faults/ledger.ts';
import type { Call } from './calls.ts';
import { isGenerated } from './generated-values.ts';
import type { Twins } from './twins.ts';

/** Values by the name of what they are. Those of one thing came together in one call, or in one entry of an answer. */
export type Thing = Readonly<Record<string, unknown>>;

/** So many things and values of each name are kept: the latest ones. */
const MAX_THINGS = 400;
const MAX_VALUES = 150;
/** Every second value is one of so many latest ones, because keys are revoked, and sessions end. */
const FRESHEST = 6;
/** A list teaches so many of its entries at most. */
const MAX_ENTRIES = 4;

/** Names of fields that hold the same kind of value. */
const SAME_AS: Readonly<Record<string, string>> = {
  ...{ key: 'licenseKey', fingerprint: 'machineFingerprint', newToken: 'token', slug: 'productId' },
  ...{ newEmail: 'email', buyerEmail: 'email', redeemerEmail: 'email', redeemedBy: 'email' },
  ...{ violationIds: 'violationId', unlockedProducts: 'productId' },
  ...{ apiKeyToRevoke: 'apiKey', keyHash: 'operatorKeyHash', lastRequestId: 'requestId' },
};
/** Paths whose codes are not those of trials. */
const SEAT_PATHS = /StudioOrder|SeatCode/;

/**
 * Values that later calls may send; everything else of an answer is only compared. Ids of console sessions are not
 * sent: each version removes the rows of ended ones at moments of its own.
 */
const LEARNT = new Set([
  ...[
    'licenseKey',
    'productId',
    'email',
    'variant',
    'token',
    'machineFingerprint',
    'hostname',
    'purchaseId',
    'bundleId',
  ],
  ...[
    'discountCode',
    'seatCode',
    'studioOrderId',
    'courseId',
    'creatorId',
    'buyerUserId',
    'redeemerUserId',
    'variantId',
  ],
  ...['apiKey', 'apiKeyHash', 'operatorKey', 'operatorKeyHash', 'violationId', 'requestId', 'eventId'],
  ...['templateId', 'destinationId', 'cookie'],
]);

/** The name of the kind of value that a field of an endpoint holds. */
export function kindOf(path: string, field: string): string {
  if (/cursor$/i.test(field))
    return `${field.replace(/^next(.)/, (_, first: string) => first.toLowerCase())} of ${path}`;
  if (field === 'code' && path === '/listRefusals') return 'refusalCode';
  if (field === 'code') return SEAT_PATHS.test(path) ? 'seatCode' : 'discountCode';
  if (field === 'hash') return path === '/listOperatorKeys' ? 'operatorKeyHash' : 'apiKeyHash';
  if (field === 'id')
    return SEAT_PATHS.test(path) ? 'studioOrderId' : path === '/listViolations' ? 'violationId' : 'id';
  if (field === 'name' && /Variant/.test(path)) return 'variant';
  return SAME_AS[field] ?? field;
}

/** See the head of this file. */
export class KnownThings {
  readonly #random: Random;
  readonly #things: Thing[] = [];
  readonly #values = new Map<string, unknown[]>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Learns from a call that succeeded on both sides, and from the reply of this version. */
  learn({ path, fields }: Call, reply: string, cookie: unknown, twins: Twins): void {
    const asked = Object.entries(fields).map(([field, value]) => [kindOf(path, field), value] as const);
    const found = this.#read(path, JSON.parse(reply), twins);
    const own = { ...Object.fromEntries(asked.filter(([kind]) => LEARNT.has(kind))), ...found };
    this.#add(cookie === undefined ? own : { ...own, cookie });
  }

  /** Learns from the objects within an answer, and returns the values at its top. */
  #read(path: string, reply: unknown, twins: Twins): Thing {
    const thing: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(reply as Thing)) {
      if (typeof value === 'string') {
        const kind = kindOf(path, field);
        if (!LEARNT.has(kind) && !/cursor$/i.test(field)) continue;
        const twin = twins.of('here', value);
        // A generated value without a twin names nothing in the other version.
        if (twin !== undefined || !isGenerated(value, field)) thing[kind] = twin ?? value;
      } else if (Array.isArray(value)) {
        for (const each of value.slice(0, MAX_ENTRIES))
          if (typeof each === 'object' && each !== null) this.#add(this.#read(path, each, twins));
      } else if (typeof value === 'object' && value !== null) this.#add(this.#read(path, value, twins));
    }
    return thing;
  }

  #add(thing: Thing): void {
    for (const [kind, value] of Object.entries(thing)) {
      const values = this.#values.get(kind) ?? [];
      if (!values.includes(value)) values.push(value);
      if (values.length > MAX_VALUES) values.shift();
      this.#values.set(kind, values);
    }
    if (Object.keys(thing).length < 2) return;
    this.#things.push(thing);
    if (this.#things.length > MAX_THINGS) this.#things.shift();
  }

  /** A thing that has one of these kinds of values, preferably many of them; undefined if none is known. */
  thingWith(kinds: readonly string[]): Thing | undefined {
    let best: Thing | undefined;
    let most = 0;
    for (let tries = 0; tries < 12; tries += 1) {
      const thing = this.#things[this.#random(this.#things.length || 1)];
      const count = thing === undefined ? 0 : kinds.filter((kind) => Object.hasOwn(thing, kind)).length;
      if (count > most) [best, most] = [thing, count];
    }
    return best;
  }

  /** All known values of a kind. */
  values(kind: string): readonly unknown[] {
    return this.#values.get(kind) ?? [];
  }

  /** One of them, often a late one; undefined if there is none. */
  value(kind: string): unknown {
    const values = this.values(kind).slice(this.#random(2) === 0 ? -FRESHEST : 0);
    return values[this.#random(values.length || 1)];
  }
}
