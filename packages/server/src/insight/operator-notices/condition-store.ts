/** SQL that finds conditions. Each statement reads a bounded number of rows. */
import { ALL_PRODUCTS } from '../../licensing/observed-calls/statistic-table.ts';
import { listOf, type Sql, statement } from '../../storage/contract/storage.ts';
import { MAX_OF_OPERATOR } from '../../webhooks/destinations/destination.ts';

/** E-mails that are read; more than this are not counted. */
export const MAX_FAILED = 1_000;

const listTroubled = statement(
  'destination.list_troubled_of_operator',
  `select d.destination_id as "destinationId", d.url as "url", d.description as "description", d.state as "state",
     p.failing_since as "failingSince"
   from (select o.destination_id, o.url, o.description, o.state from destination o where o.creator_id = ''
         order by o.created_at, o.destination_id limit ${MAX_OF_OPERATOR}) d
     join destination_progress p on p.destination_id = d.destination_id
   where d.state = 'disabled' or (d.state = 'active' and p.failing_since <= $1)`,
);

// E-mails that wait for two days fail within the third.
const listFailed = statement(
  'mail.list_failed_since',
  `select m.kind as "kind", m.settled_at as "settledAt" from mail m where m.state = 'failed' and m.created_at > $1
   order by m.created_at desc, m.mail_id desc limit ${MAX_FAILED}`,
);

const sumHours = statement(
  'statistic.sum_hours',
  (dialect) => `select s.at as "at", s.metric as "metric", s.value as "value" from statistic s
    where s.product_id = '${ALL_PRODUCTS}' and s.step = 'hour' and s.metric ${dialect.among('$1')}
      and s.at ${dialect.among('$2')}`,
);

/** A destination of the operator that is disabled, or that has failed since a moment. */
export interface TroubledDestination {
  readonly destinationId: string;
  readonly url: string;
  readonly description: string | null;
  readonly state: 'active' | 'disabled';
  readonly failingSince: string | null;
}

/** @param before a destination that began to fail later is left out, a timestamp */
export function listTroubledDestinations(sql: Sql, before: string): Promise<readonly TroubledDestination[]> {
  return sql.all(listTroubled, before);
}

/** The newest failed e-mails that were queued after a moment, a timestamp. */
export function listFailedMails(
  sql: Sql,
  after: string,
): Promise<readonly { readonly kind: string; readonly settledAt: string }[]> {
  return sql.all(listFailed, after);
}

/** The values of these metrics in these hours over all products, where they are not 0. */
export function listHours(
  sql: Sql,
  metrics: readonly string[],
  hours: readonly string[],
): Promise<readonly { readonly at: string; readonly metric: string; readonly value: number }[]> {
  return sql.all(sumHours, listOf(metrics), listOf(hours));
}
