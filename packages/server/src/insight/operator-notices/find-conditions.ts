/** Finds the conditions that are present. */
import { countInAttention, MAX_COUNTED as MAX_IN_ATTENTION } from '../../commerce/connectors/event-store.ts';
import { testMail } from '../../customers/sale-mails/send-test-mail.ts';
import { codeMail } from '../../customers/self-service/code-mail.ts';
import { DAY_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { sendingWarning } from '../../webhooks/destinations/sending-node.ts';
import { codeOfMetric, REFUSAL_METRICS } from '../statistics/counted-metrics.ts';
import type { Condition, Facts } from './condition.ts';
import { listFailedMails, listHours, listTroubledDestinations, MAX_FAILED } from './condition-store.ts';
import { NODE_REPORT_MS } from './note-node.ts';
import type { ConditionKind, NoticeKind } from './notice-kinds.ts';
import { digestMail, noticeMail } from './notice-mail.ts';
import { listNodeConditions } from './notice-store.ts';
import { FEWEST_REFUSALS, isSpike, usualCount, usualHours, watchedHours } from './refusals-spike.ts';
import { NO_NODE } from './sentences.ts';
import { operatorTestMail } from './test-operator-mail.ts';

/** A destination that fails for a shorter time is not told of: its receiver may have restarted. */
const FAILING_FOR_MS = 15 * MINUTE_MS;
/** An e-mail that failed was queued no longer before that. */
const LONGEST_WAIT_MS = 3 * DAY_MS;
/** The kinds of e-mails whose failure is not told of: strangers choose the addresses of sign-in codes. */
const UNTOLD_MAILS: ReadonlySet<string> = new Set(
  [codeMail, testMail, noticeMail, digestMail, operatorTestMail].map(({ name }) => name),
);
/** A node that is silent for so many reports no longer has its conditions. */
const REPORTS_MISSED = 4;
const CODES_NAMED = 3;

type Finder = (sql: Sql, now: number) => Promise<readonly Condition[]>;

/** The kinds that one look at the database finds; nodes report the others. */
const FINDERS: Readonly<Partial<Record<ConditionKind, Finder>>> = {
  destination_failing: findTroubledDestinations,
  async mails_failed(sql, now) {
    const count = await countFailedMails(sql, now - DAY_MS, now);
    return one('mails_failed', count, count === MAX_FAILED);
  },
  async shop_attention(sql) {
    const count = await countInAttention(sql);
    return one('shop_attention', count, count === MAX_IN_ATTENTION);
  },
  refusals_spike: findSpike,
};

/** The conditions of some kinds. @param now milliseconds since 1970 */
export async function findConditions(
  sql: Sql,
  kinds: readonly NoticeKind[],
  now: number,
): Promise<readonly Condition[]> {
  const found: Condition[] = [];
  for (const [kind, find] of Object.entries(FINDERS))
    if (kinds.includes(kind as ConditionKind)) found.push(...(await find(sql, now)));
  const reported = await listNodeConditions(sql, toTimestamp(now - REPORTS_MISSED * NODE_REPORT_MS));
  return [...found, ...reported.filter(({ kind }) => kinds.includes(kind))];
}

/** The e-mails that failed since a moment, in milliseconds since 1970; at most {@link MAX_FAILED}. */
export async function countFailedMails(sql: Sql, since: number, now: number): Promise<number> {
  const failed = await listFailedMails(sql, toTimestamp(since - LONGEST_WAIT_MS));
  const after = toTimestamp(since);
  const until = toTimestamp(now);
  return failed.filter(({ kind, settledAt }) => !UNTOLD_MAILS.has(kind) && settledAt > after && settledAt <= until)
    .length;
}

/** Creators see those of theirs in the console, and the digest counts them. */
async function findTroubledDestinations(sql: Sql, now: number): Promise<readonly Condition[]> {
  const troubled = await listTroubledDestinations(sql, toTimestamp(now - FAILING_FOR_MS));
  const isNobodySending = (await sendingWarning(sql, now)) !== null;
  const about = (subject: string, stage: number, facts: Facts): Condition => ({
    ...{ kind: 'destination_failing', subject, stage, facts },
  });
  return [
    ...(isNobodySending ? [about(NO_NODE, 0, {})] : []),
    ...troubled.map(({ destinationId, url, state, failingSince }) =>
      about(destinationId, state === 'disabled' ? 1 : 0, {
        // The path of an address may hold a secret.
        host: new URL(url).host,
        state,
        ...(failingSince === null ? {} : { since: failingSince }),
      }),
    ),
  ];
}

function one(kind: ConditionKind, count: number, isMore: boolean): readonly Condition[] {
  if (count === 0) return [];
  return [{ kind, subject: '', stage: 0, facts: { count: String(count), ...(isMore ? { isMore: 'yes' } : {}) } }];
}

async function findSpike(sql: Sql, now: number): Promise<readonly Condition[]> {
  const hours = watchedHours(now);
  const refused = await listHours(sql, REFUSAL_METRICS, hours.map(toTimestamp));
  for (const hour of hours.toReversed()) {
    const inHour = refused.filter(({ at }) => at === toTimestamp(hour));
    const count = sumOf(inHour);
    if (count < FEWEST_REFUSALS) continue;
    const compared = usualHours(hour).map(toTimestamp);
    const before = await listHours(sql, REFUSAL_METRICS, compared);
    const usual = usualCount(compared.map((each) => sumOf(before.filter(({ at }) => at === each))));
    if (!isSpike(count, usual)) continue;
    const facts = { count: String(count), usual: String(usual), from: toTimestamp(hour), codes: codesOf(inHour) };
    return [{ kind: 'refusals_spike', subject: '', stage: 0, facts }];
  }
  return [];
}

const sumOf = (values: readonly { readonly value: number }[]): number =>
  values.reduce((sum, { value }) => sum + value, 0);

/** `license_revoked (900), license_expired (50)`: the most frequent codes, with their counts. */
function codesOf(refused: readonly { readonly metric: string; readonly value: number }[]): string {
  const counts = new Map<string, number>();
  for (const { metric, value } of refused)
    counts.set(codeOfMetric(metric), (counts.get(codeOfMetric(metric)) ?? 0) + value);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, CODES_NAMED)
    .map(([code, count]) => `${code} (${count})`)
    .join(', ');
}
