import Type from 'typebox';
import { HOUR_MS, toTimestamp } from '../../../ground/base/clock.ts';
import { PageRoom } from '../../../ground/base/page-room.ts';
import type { Scope } from '../../../platform/endpoint/caller.ts';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../../platform/endpoint/example-values.ts';
import {
  licenseKeyField,
  nullable,
  productIdField,
  resource,
  success,
  text,
  timestamp,
  wholeNumber,
} from '../../../platform/endpoint/field-types.ts';
import { cursorOf, nextCursorReply, readPosition, TEXT_FORM } from '../../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../../platform/endpoint/refusals.ts';
import type { Sql } from '../../../storage/contract/storage.ts';
import type { Activation } from '../../machines/activation.ts';
import { countRefusalsSince } from '../../observed-calls/store.ts';
import { countsSessions } from '../../products/license-type.ts';
import { reachableProducts } from '../../products/reachable-products.ts';
import { storedLicenseKey } from '../license.ts';
import { listLicensesOf } from '../license-set-store.ts';
import { findLivePools, findLiveSessions, isShown, type LivePool, livePoolOf } from '../live-pools.ts';
import { BOARD_PEAK_DAYS, peakOf } from '../pool-peaks.ts';
import { findLicense } from '../store.ts';

/** A reply holds ten thousand sessions at most. */
const MAX_POOLS = 100;
const MAX_SESSIONS = 100;
const DEFAULT_POOLS = 25;
const DEFAULT_SESSIONS = 10;

export const listLiveSessions = endpoint({
  path: '/listLiveSessions',
  access: 'admin',
  needs: 'viewer',
  summary: 'List licenses with live floating sessions',
  description:
    'Lists floating licenses that have live sessions, by license key, each with its first sessions by fingerprint. A ' +
    'session is live until its deadline. `nextCursor` is present when there are more licenses; a page may hold fewer ' +
    'than `limit`, even none, because one answer examines at most 1000 licenses. `nextSessionCursor` is present when ' +
    'a license has more machines: give it as `sessionCursor` with the `licenseKey`.',
  example: {
    after: ['/createProduct'],
    request: { productId: EXAMPLE.productId, minimumUsePercent: 90 },
    reply: { success: true, pools: [], count: 0 },
  },
  fields: Type.Object({
    productId: Type.Optional(productIdField),
    licenseKey: Type.Optional(licenseKeyField),
    minimumUsePercent: Type.Optional(
      wholeNumber(
        'Only licenses that use at least this share of their limit. 0 by default: all, including those without a limit.',
        0,
        100,
      ),
    ),
    sessionLimit: Type.Optional(wholeNumber(`Sessions per license; ${DEFAULT_SESSIONS} by default.`, 1, MAX_SESSIONS)),
    sessionCursor: Type.Optional(text('The nextSessionCursor of this license in the answer before.', 2048)),
    limit: Type.Optional(wholeNumber(`Licenses per answer; ${DEFAULT_POOLS} by default.`, 1, MAX_POOLS)),
    cursor: Type.Optional(text('The nextCursor of the answer before.', 1024)),
  }),
  reply: success({
    pools: Type.Array(
      resource('SessionPool', 'A floating license and its live sessions.', {
        licenseKey: Type.String({ description: 'License key.' }),
        email: Type.String({ description: 'E-mail address of the customer.' }),
        productId: Type.String({ description: 'Product that the license is for.' }),
        limit: Type.Integer({ description: 'Maximum number of live sessions; -1 is unlimited.' }),
        inUse: Type.Integer({ description: 'How many live.' }),
        peak: Type.Integer({
          description: `The most that lived at once in the last ${BOARD_PEAK_DAYS} days, as a look once a minute found it.`,
        }),
        refusedLastHour: Type.Integer({
          description:
            'Calls of apps that were refused in the last hour. Repeats that share an entry count if the last one was in that hour.',
        }),
        sessions: Type.Array(
          resource('LiveSession', 'A machine that holds a slot of a floating license.', {
            fingerprint: Type.String({ description: 'Identifier of the machine.' }),
            hostname: Type.String({ description: 'Human-readable machine name.' }),
            country: nullable(Type.String({ description: 'Where it was seen last; null where that is unknown.' })),
            startedAt: timestamp('When the session began.'),
            lastSeen: timestamp('Its last sign of life.'),
            endsAt: timestamp('When it ends without a further one.'),
          }),
        ),
        nextSessionCursor: Type.Optional(
          Type.String({
            description: 'Present when there are more machines: the sessionCursor of the next page.',
          }),
        ),
      }),
    ),
    count: Type.Integer({ description: 'Licenses in this answer.' }),
    ...nextCursorReply,
  }),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, now }) => {
  const { licenseKey, productId, minimumUsePercent = 0, limit = DEFAULT_POOLS } = fields;
  if (fields.sessionCursor !== undefined && licenseKey === undefined)
    return refuse('invalid_field', { details: { message: 'sessionCursor goes with licenseKey only' } });
  const after = fields.cursor === undefined ? ['~'] : readPosition(fields.cursor, [TEXT_FORM]);
  if (isRefusal(after)) return after;
  const [first = '~'] = after;
  let found: { readonly pools: readonly LivePool[]; readonly next: string | null };
  if (licenseKey !== undefined) {
    const pool = await poolOfLicense(sql, licenseKey, productId, scope, now);
    const isFound = pool !== undefined && pool.license.licenseKey < first && isShown(pool, minimumUsePercent);
    found = { pools: isFound ? [pool] : [], next: null };
  } else {
    const reachable = await reachableProducts(sql, productId, scope);
    if (isRefusal(reachable)) return reachable;
    found = await findLivePools(sql, { ...reachable, minimumUsePercent }, first, limit, now);
  }
  const pools = [];
  const room = new PageRoom();
  let { next } = found;
  for (const pool of found.pools) {
    const view = await poolView(sql, pool, fields.sessionCursor ?? '', fields.sessionLimit ?? DEFAULT_SESSIONS, now);
    if (!room.takes(view)) {
      next = pools.at(-1)?.licenseKey ?? null;
      break;
    }
    pools.push(view);
  }
  return { success: true, pools, count: pools.length, ...(next === null ? {} : { nextCursor: cursorOf([next]) }) };
});

/**
 * The pool of one license; undefined when it is outside the caller's scope, of another product, or not
 * floating.
 */
async function poolOfLicense(
  sql: Sql,
  licenseKey: string,
  productId: string | undefined,
  scope: Scope,
  now: number,
): Promise<LivePool | undefined> {
  const known = await findLicense(sql, storedLicenseKey(licenseKey), scope);
  if (known === undefined || (productId !== undefined && productId !== known.productId)) return undefined;
  const [license] = await listLicensesOf(sql, [known.licenseKey], toTimestamp(now));
  return license && countsSessions(license.licenseType) ? livePoolOf(license) : undefined;
}

async function poolView(sql: Sql, pool: LivePool, after: string, limit: number, now: number) {
  const { licenseKey, email, productId } = pool.license;
  const { sessions, next } = await findLiveSessions(sql, licenseKey, after, limit, now);
  return {
    licenseKey,
    email,
    productId,
    limit: pool.limit,
    inUse: pool.inUse,
    peak: await peakOf(sql, licenseKey, pool.inUse, now),
    refusedLastHour: await countRefusalsSince(sql, licenseKey, toTimestamp(now - HOUR_MS)),
    sessions: sessions.map(sessionView),
    ...(next === null ? {} : { nextSessionCursor: next }),
  };
}

/** A live session has a beginning and a deadline. */
function sessionView({ fingerprint, hostname, lastCountry, sessionStarted, lastSeen, sessionDeadline }: Activation) {
  const [startedAt, endsAt] = [sessionStarted ?? '', sessionDeadline ?? ''];
  return { fingerprint, hostname, country: lastCountry, startedAt, lastSeen, endsAt };
}
