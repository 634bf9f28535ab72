/** Draws the calls of a run: endpoints by weight, with known, new, missing and wrong values. */
import { endpoints } from '../../src/app.ts';
import { HOUR_MS } from '../../src/ground/base/clock.ts';
import { type Endpoint, hasSafeRetries } from '../../src/platform/endpoint/endpoint.ts';
import { REPLIES_KEPT_MS } from '../../src/platform/kept-replies/reply-store.ts';
import type { Random } from '../../test/faults/ledger.ts';
import { type Field, fieldsOf, HOSTILE } from '../../test/runtime/http/hostile-values.ts';
import { COUNTRY_HEADER, type WireCall } from './compared-service.ts';
import { drawCredential, type Shown } from './credentials.ts';
import { AVOIDED } from './declared-differences.ts';
import { FieldValues, isOneIn, oneOf } from './field-values.ts';
import { type KnownThings, kindOf, type Thing } from './known-things.ts';
import type { OtherField, OtherVersion } from './other-version.ts';
import { forSide, type Side } from './twins.ts';

/** A call, with twins in place of generated values. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly fields: Thing;
  /** A body that is sent in place of the fields. */
  readonly rawBody?: string;
  /** The parts of each header's value. */
  readonly headers: Readonly<Record<string, readonly unknown[]>>;
  /** True if the call may be sent again without a further effect. */
  readonly isRead: boolean;
}

/** How often endpoints are called, besides the others, which have a weight of 2. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ '/activate': 24, '/validate': 20, '/verify': 12, '/heartbeat': 12, '/deactivate': 7, '/issueLicenseFile': 3 },
  ...{ '/createLicense': 12, '/storefrontWebhook': 10, '/getLicense': 6, '/listLicenses': 8, '/updateLicense': 6 },
  ...{ '/reinstateLicense': 4, '/createProduct': 4, '/createVariant': 4, '/createApiKey': 4, '/redeemTrialCode': 6 },
  ...{
    '/createDiscountCode': 4,
    '/createStudioOrder': 4,
    '/redeemSeatCode': 6,
    '/explainLicense': 4,
    '/listEvents': 4,
  },
  ...{ '/createConsoleSession': 3, '/forgetCustomer': 1, '/revokeApiKey': 1, '/endConsoleSession': 1 },
  ...{ '/deleteDiscountCode': 1 },
};
const USUAL_WEIGHT = 2;

/** Optional fields that most calls of their endpoints need. */
const OFTEN_GIVEN = new Set(['licenseKey', 'machineFingerprint']);
/** Paths besides the endpoints. The console is left out: a checkout need not have built it. */
const PATHS_BESIDE = [
  ...['/docs', '/openapi.json', '/openapi-3.0.json', '/healthz', '/readyz', '/', '/nothing', '/favicon.ico'],
  ...['/.well-known/jwks.json', '/.well-known/latchkey-keys.json', '/activate/', '/Activate'],
];
/** Addresses of callers: limits of one network must not meet all calls. */
const NETWORKS = 24;
/**
 * So many calls with an Idempotency-Key are remembered, to be repeated while replies are kept: on PostgreSQL this
 * version keeps them longer, because it does not believe the moved clock (decision 23).
 */
const MAX_REPEATABLE = 30;
/** The longest step of the clock between two calls. A call is drawn before the step. */
export const LONGEST_STEP_MS = 12 * HOUR_MS;

/** An endpoint that both versions have, with the fields that both take. */
interface Common {
  readonly endpoint: Endpoint;
  readonly fields: readonly (Field & { readonly other: OtherField })[];
}

/** See the head of this file. */
export class Calls {
  readonly #random: Random;
  readonly #known: KnownThings;
  readonly #values: FieldValues;
  readonly #weighted: readonly Common[];
  readonly #now: () => number;
  readonly #repeatable: { readonly call: Call; readonly at: number }[] = [];
  /** The sign-ins with each secret. */
  readonly #signIns = new Map<unknown, { readonly count: number; readonly lastAt: number }>();
  /** Whether {@link AVOIDED} calls are left out. */
  readonly #avoids: boolean;
  #keys = 0;

  /** @param without paths of endpoints that are not called */
  constructor(
    random: Random,
    known: KnownThings,
    now: () => number,
    other: OtherVersion,
    without: ReadonlySet<string>,
  ) {
    this.#random = random;
    this.#known = known;
    this.#now = now;
    this.#avoids = !other.has(AVOIDED.besideVersionsWithout);
    this.#values = new FieldValues(random, known, now);
    this.#weighted = commonOf(other)
      .filter(({ endpoint }) => !without.has(endpoint.path))
      .flatMap((common) => Array<Common>(WEIGHTS[common.endpoint.path] ?? USUAL_WEIGHT).fill(common));
  }

  /** The paths that are called. */
  get paths(): readonly string[] {
    return [...new Set(this.#weighted.map(({ endpoint }) => endpoint.path))];
  }

  draw(): Call {
    const random = this.#random;
    if (isOneIn(random, 60)) return this.#beside();
    const repeatable = this.#repeatable.filter(
      ({ at }) => this.#now() - at < REPLIES_KEPT_MS - LONGEST_STEP_MS - HOUR_MS,
    );
    if (isOneIn(random, 30) && repeatable.length > 0) return this.#repeated(oneOf(random, repeatable).call);
    const { endpoint, fields } = oneOf(random, this.#weighted);
    const call = this.#callOf(endpoint, fields);
    if (call.method !== 'POST') return call;
    if (isOneIn(random, 80)) return { ...call, rawBody: this.#malformed() };
    if (!hasSafeRetries(endpoint) || call.fields.dryRun !== undefined || !isOneIn(random, 8)) return call;
    const keyed = { ...call, headers: { ...call.headers, 'idempotency-key': [this.#idempotencyKey()] } };
    this.#repeatable.push({ call: keyed, at: this.#now() });
    if (this.#repeatable.length > MAX_REPEATABLE) this.#repeatable.shift();
    return keyed;
  }

  /** A call of an endpoint with fitting values, of which sometimes one is wrong. */
  #callOf(endpoint: Endpoint, fields: Common['fields']): Call {
    const random = this.#random;
    const { path } = endpoint;
    const thing = isOneIn(random, 6) ? {} : this.#known.thingWith(fields.map(({ name }) => kindOf(path, name)));
    const values: Record<string, unknown> = {};
    for (const field of fields) {
      if (!field.isRequired && !isOneIn(random, OFTEN_GIVEN.has(field.name) ? 2 : 4)) continue;
      const kind = kindOf(path, field.name);
      const isKnown = thing !== undefined && Object.hasOwn(thing, kind);
      const known = isKnown && field.kind === 'list' ? [thing[kind]] : thing?.[kind];
      values[field.name] = isKnown ? known : this.#values.fitting(path, field, field.other);
    }
    if (fields.length > 0 && isOneIn(random, 9)) {
      const field = oneOf(random, fields);
      const wrong = this.#values.wrong(field);
      if (wrong === undefined) delete values[field.name];
      else values[field.name] = wrong;
    }
    const shown = this.#spaced(drawCredential(endpoint, random, this.#known));
    const method = isOneIn(random, 150) ? oneOf(random, ['PUT', 'GET', 'OPTIONS']) : oneOf(random, endpoint.methods);
    const isRead = endpoint.work.kind === 'read';
    const mayNameItself = isRead || !this.#avoids;
    const requestId = mayNameItself && isOneIn(random, 8) ? { 'x-request-id': [`own-${random(1000)}`] } : {};
    if (this.#avoids) {
      avoidWaits(values, fields);
      avoidOldHours(values);
    }
    return {
      method,
      path,
      fields: isOneIn(random, 2) ? { ...shown.fields, ...values } : { ...values, ...shown.fields },
      headers: { ...this.#origin(), ...requestId, ...shown.headers },
      isRead,
    };
  }

  /** Leaves the secret out of a sign-in that is too early after another with it, or one too many. */
  #spaced(shown: Shown): Shown {
    const { secret } = shown.fields;
    if (secret === undefined || !this.#avoids) return shown;
    const { count, lastAt } = this.#signIns.get(secret) ?? { count: 0, lastAt: 0 };
    const isAvoided = count >= AVOIDED.signInsOfSecret || this.#now() - lastAt <= AVOIDED.signInsWithinMs;
    if (isAvoided) return { ...shown, fields: {} };
    this.#signIns.set(secret, { count: count + 1, lastAt: this.#now() });
    return shown;
  }

  /** An earlier call with its Idempotency-Key, sometimes with another body. */
  #repeated(call: Call): Call {
    if (!isOneIn(this.#random, 4)) return call;
    const [name] = Object.keys(call.fields);
    return name === undefined ? call : { ...call, fields: { ...call.fields, [name]: 'another value' } };
  }

  #beside(): Call {
    const method = isOneIn(this.#random, 5) ? 'POST' : 'GET';
    const path = oneOf(this.#random, PATHS_BESIDE);
    return { method, path, fields: {}, headers: this.#origin(), isRead: true };
  }

  #idempotencyKey(): string {
    if (isOneIn(this.#random, 25)) return oneOf(this.#random, ['with a blank', 'x'.repeat(256), 'ä']);
    this.#keys += 1;
    return `key-${this.#keys}`;
  }

  #malformed(): string {
    const wrong = isOneIn(this.#random, 2)
      ? HOSTILE.bodies['Body must be a JSON object']
      : HOSTILE.bodies['Body is not valid JSON'];
    return oneOf(this.#random, wrong).toString();
  }

  #origin(): Call['headers'] {
    const country = oneOf(this.#random, ['DE', 'FR', 'US', 'XX', '']);
    return {
      'x-forwarded-proto': [isOneIn(this.#random, 200) ? 'http' : 'https'],
      'x-forwarded-for': [`203.0.113.${this.#random(NETWORKS)}`],
      ...(country === '' ? {} : { [COUNTRY_HEADER]: [country] }),
    };
  }
}

/** Gives floating licenses more seats than there are machines, and makes none where the seats are not chosen. */
function avoidWaits(values: Record<string, unknown>, fields: Common['fields']): void {
  const choosesSeats = fields.some(({ name }) => name === 'maxConcurrent');
  if (values.licenseType === 'floating' && !choosesSeats) values.licenseType = 'site';
  const { maxConcurrent } = values;
  if (values.licenseType === 'floating' || maxConcurrent === null || typeof maxConcurrent === 'number')
    values.maxConcurrent = AVOIDED.seats;
}

/** Asks for the hours of the last day: each version makes days of older hours at its own moment. */
function avoidOldHours(values: Record<string, unknown>): void {
  if (values.step !== 'hour') return;
  delete values.from;
  delete values.to;
}

function commonOf(other: OtherVersion): readonly Common[] {
  return endpoints.flatMap((endpoint) => {
    const taken = other.get(endpoint.path);
    if (taken === undefined) return [];
    const fields = fieldsOf(endpoint).flatMap((field) => {
      const otherField = taken.get(field.name);
      return otherField === undefined ? [] : [{ ...field, other: otherField }];
    });
    return [{ endpoint, fields }];
  });
}

/** A call as it is sent to one of the versions. */
export function wireCall({ method, path, fields, rawBody, headers }: Call, side: Side): WireCall {
  const own = forSide(fields, side) as Thing;
  const isPost = method === 'POST';
  const query = Object.entries(own).map(([name, value]) => [name, queryText(value)]);
  const lines = Object.entries(headers).map(([name, parts]) => [name, (forSide(parts, side) as unknown[]).join('')]);
  return {
    method,
    url: isPost || query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`,
    headers: Object.fromEntries([...(isPost ? [['content-type', 'application/json']] : []), ...lines]),
    body: isPost ? (rawBody ?? JSON.stringify(own)) : null,
  };
}

/** A value as a parameter of a query: a list of texts is joined, any other structure becomes JSON. */
function queryText(value: unknown): string {
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return typeof value === 'object' && value !== null && !isList ? JSON.stringify(value) : String(value);
}
