/** Credentials of calls: right ones of every kind in every place, wrong ones, and none. */
import type { Endpoint } from '../../src/platform/endpoint/endpoint.ts';
import type { Random } from '../../test/faults/ledger.ts';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../test/support/app.ts';
import { PAGE_HEADERS } from '../../test/support/console.ts';
import { isOneIn, oneOf } from './field-values.ts';
import type { KnownThings, Thing } from './known-things.ts';

/** The parts of a call that show who calls. */
export interface Shown {
  /** Added to the body, or to the query. */
  readonly fields: Thing;
  /** The parts of each header's value. */
  readonly headers: Readonly<Record<string, readonly unknown[]>>;
}

const NONE: Shown = { fields: {}, headers: {} };
const WRONG_SECRET = 'a-secret-that-is-wrong';
const WRONG_KEY = `lk_${'x'.repeat(43)}`;

/** Draws a credential for an endpoint: mostly one that it accepts. */
export function drawCredential({ access, acceptsBodySecret }: Endpoint, random: Random, known: KnownThings): Shown {
  const drawn = random(100);
  if (access === 'client' || access === 'anyone') return drawn < 94 ? NONE : anyOf(random, known);
  if (drawn < 1) return NONE;
  if (drawn < 5) return anyOf(random, known);
  if (access === 'signIn') return { fields: { secret: signInSecret(random, known) }, headers: PAGE };
  if (access === 'console') return session(known);
  if (access === 'webhook' || (access === 'webhookOrKey' && drawn < 70))
    return acceptsBodySecret === true && isOneIn(random, 3)
      ? { fields: { webhookSecret: WEBHOOK_SECRET }, headers: {} }
      : { fields: {}, headers: { 'x-webhook-secret': [WEBHOOK_SECRET] } };
  if (access === 'adminOrWebhook' && drawn < 30)
    return { fields: {}, headers: { 'x-webhook-secret': [WEBHOOK_SECRET] } };
  if (drawn < 65) return adminSecret(ADMIN_SECRET, random);
  return drawn < 78 && access !== 'webhookOrKey' ? session(known) : apiKey(known.value('apiKey') ?? WRONG_KEY, random);
}

/** Any credential, right or wrong, alone or beside another one. */
function anyOf(random: Random, known: KnownThings): Shown {
  const all = [
    () => adminSecret(WRONG_SECRET, random),
    () => adminSecret(ADMIN_SECRET, random),
    () => apiKey(WRONG_KEY, random),
    () => apiKey(known.value('apiKey') ?? WRONG_KEY, random),
    () => session(known),
    () => ({ fields: {}, headers: { ...PAGE, cookie: ['__Host-latchkey=wrong'] } }),
    () => ({ fields: {}, headers: { 'x-webhook-secret': [oneOf(random, [WEBHOOK_SECRET, WRONG_SECRET])] } }),
    () => ({ fields: { webhookSecret: WRONG_SECRET }, headers: {} }),
  ];
  const one = oneOf(random, all)();
  if (!isOneIn(random, 3)) return one;
  const other = oneOf(random, all)();
  return { fields: { ...one.fields, ...other.fields }, headers: { ...one.headers, ...other.headers } };
}

function adminSecret(secret: string, random: Random): Shown {
  return isOneIn(random, 2)
    ? { fields: { adminSecret: secret }, headers: {} }
    : { fields: {}, headers: { 'x-admin-secret': [secret] } };
}

function apiKey(key: unknown, random: Random): Shown {
  return oneOf<Shown>(random, [
    { fields: { apiKey: key }, headers: {} },
    { fields: {}, headers: { 'x-api-key': [key] } },
    { fields: {}, headers: { authorization: ['Bearer ', key] } },
  ]);
}

const PAGE = Object.fromEntries(Object.entries(PAGE_HEADERS).map(([name, value]) => [name, [value]]));

function session(known: KnownThings): Shown {
  const cookie = known.value('cookie');
  return cookie === undefined ? NONE : { fields: {}, headers: { ...PAGE, cookie: cookie as readonly unknown[] } };
}

function signInSecret(random: Random, known: KnownThings): unknown {
  return oneOf(random, [ADMIN_SECRET, known.value('operatorKey'), known.value('apiKey'), WRONG_SECRET]) ?? WRONG_KEY;
}
