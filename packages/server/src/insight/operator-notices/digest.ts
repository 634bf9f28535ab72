/** The digest of a week: its sales, and the state of the service at this moment, in an e-mail of a bounded length. */

import { DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { maskLicenseKey } from '../../ground/base/masked-key.ts';
import { findProduct } from '../../licensing/products/store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { countDestinationStates } from '../../webhooks/destinations/count-store.ts';
import { readPools, readTotals } from '../statistics/get-overview.ts';
import { type BoundedCount, countExpiring, countOpenViolations } from '../statistics/overview-store.ts';
import type { Condition } from './condition.ts';
import { salesOf } from './digest-sales.ts';
import { type Week, weekText } from './digest-week.ts';
import { linkTo, type OperatorText } from './notice-mail.ts';
import { titleOf } from './sentences.ts';
import type { OperatorNotices } from './settings.ts';

/** Licenses that expire within this time are counted. */
const EXPIRING_WITHIN_DAYS = 7;
/** Conditions that are named; the console shows the others. */
const MAX_CONDITIONS = 20;
const POOLS_NAMED = 5;

/**
 * Makes the digest of a week.
 *
 * @param present the conditions that are present
 * @param now milliseconds since 1970
 */
export async function digestOf(
  sql: Sql,
  settings: OperatorNotices,
  week: Week,
  present: readonly Condition[],
  now: number,
): Promise<OperatorText> {
  const needed = [...present.map(titleOf).slice(0, MAX_CONDITIONS), ...(await creatorsDestinations(sql, present))];
  return {
    subject: `The week from ${weekText(week)}`,
    paragraphs: [
      ...(await salesOf(sql, week)),
      listOf('Needs somebody', needed, 'Nothing needs somebody at this moment.'),
      await violations(sql, settings),
      await expiring(sql, settings, now),
      ...(await fullPools(sql, now)),
    ],
  };
}

/** A headed list; the sentence instead if it is empty. */
function listOf(title: string, lines: readonly string[], ifEmpty: string): string {
  return lines.length === 0 ? ifEmpty : [`${title}:`, ...lines.map((line) => `- ${line}`)].join('\n');
}

/** Failing destinations that are not the operator's, whose own stand among the conditions. */
async function creatorsDestinations(sql: Sql, present: readonly Condition[]): Promise<readonly string[]> {
  const { failing, disabled } = await countDestinationStates(sql);
  const own = present.filter(({ kind, facts }) => kind === 'destination_failing' && facts.host !== undefined).length;
  const others = Math.max(0, failing + disabled - own);
  return others === 0
    ? []
    : [`${counted(others, 'destination')} of creators ${others === 1 ? 'gets' : 'get'} no events`];
}

async function violations(sql: Sql, settings: OperatorNotices): Promise<string> {
  const { severities, isAtLeast } = await countOpenViolations(sql, null);
  const count = severities.reduce((sum, each) => sum + each.count, 0);
  if (count === 0) return 'No violation is open.';
  const bySeverity = severities
    .toReversed()
    .map((each) => `${each.count} of severity ${each.severity}`)
    .join(', ');
  return [`${atLeast({ count, isAtLeast }, 'open violation')}: ${bySeverity}.`, ...linkTo(settings, 'violations')].join(
    '\n',
  );
}

async function expiring(sql: Sql, settings: OperatorNotices, now: number): Promise<string> {
  const until = toTimestamp(now + EXPIRING_WITHIN_DAYS * DAY_MS);
  const found = await countExpiring(sql, null, toTimestamp(now), until);
  const verb = found.count === 1 && !found.isAtLeast ? 'expires' : 'expire';
  return [
    `${atLeast(found, 'license')} ${verb} within ${EXPIRING_WITHIN_DAYS} days.`,
    ...(found.count === 0 ? [] : linkTo(settings, 'licenses?view=expiring-7')),
  ].join('\n');
}

async function fullPools(sql: Sql, now: number): Promise<readonly string[]> {
  const totals = await readTotals(sql, null, now);
  const pools = totals === null ? [] : (await readPools(sql, totals, now)).slice(0, POOLS_NAMED);
  const lines: string[] = [];
  for (const { licenseKey, productId, used, limit } of pools) {
    const product = await findProduct(sql, productId, { creatorId: null });
    lines.push(`${maskLicenseKey(licenseKey)} of ${product?.name ?? productId}: ${used} of ${limit}`);
  }
  return lines.length === 0 ? [] : [listOf('Fullest licenses', lines, '')];
}

/** `12 licenses`, or `More than 1000 licenses`. */
function atLeast({ count, isAtLeast }: BoundedCount, noun: string): string {
  return isAtLeast ? `More than ${counted(count, noun)}` : counted(count, noun);
}
