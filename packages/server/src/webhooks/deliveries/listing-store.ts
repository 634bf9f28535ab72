/** SQL of the lists of deliveries and attempts, and of requested tests. */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { type Attempt, attemptTable } from './attempt-store.ts';
import type { Outcome } from './request.ts';
import type { StoredDelivery } from './store.ts';

/** A delivery in a list. */
export interface ListedDelivery extends Pick<StoredDelivery, 'eventId' | 'attempts' | 'lastStatus' | 'lastError'> {
  readonly state: 'waiting' | 'failed';
  /** Time of the next attempt; for a failed delivery, the time of its failure. */
  readonly dueAt: string;
}

/** An attempt in a list. */
export interface ListedAttempt extends Omit<Attempt, 'at'> {
  readonly at: string;
}

const listDeliveries = new NamedStatement(
  'delivery.list',
  ['dueAt', 'eventId', 'limit', 'destinationId', 'state'],
  (dialect) => `select d.event_id as "eventId", d.state as "state", d.attempts as "attempts", d.due_at as "dueAt",
      d.last_status as "lastStatus", d.last_error as "lastError"
    from delivery d ${indexScan(dialect, {
      agreed: { 'd.destination_id': ':destinationId', 'd.state': ':state' },
      cursor: { 'd.due_at': ':dueAt', 'd.event_id': ':eventId' },
      limit: ':limit',
    })}`,
);

const SELECT_ATTEMPTS = `select ${attemptTable.select('a')} from delivery_attempt a`;

const listAttempts = new NamedStatement(
  'delivery_attempt.list',
  ['afterAttemptId', 'limit', 'destinationId', 'eventId', 'excluded'],
  (dialect) =>
    `${SELECT_ATTEMPTS} ${indexScan(dialect, {
      agreed: { 'a.destination_id': ':destinationId' },
      cursor: { 'a.attempt_id': ':afterAttemptId' },
      // A destination keeps about a thousand attempts, so the filter skips a bounded number of rows.
      filter: "and (:eventId = '' or a.event_id = :eventId) and a.outcome <> :excluded",
      limit: ':limit',
    })}`,
);

/** An event goes to at most 120 destinations: the operator's, and those of one creator. */
const listOfEvent = (name: string, filter: string) =>
  new NamedStatement(
    name,
    ['afterAttemptId', 'limit', 'eventId', 'creatorId', 'excluded'],
    (dialect) =>
      `${SELECT_ATTEMPTS} ${indexScan(dialect, {
        agreed: { 'a.event_id': ':eventId' },
        cursor: { 'a.attempt_id': ':afterAttemptId' },
        filter: `and a.outcome <> :excluded ${filter}`,
        limit: ':limit',
      })}`,
  );
const listAllOfEvent = listOfEvent('delivery_attempt.list_of_event', '');
const listCreatorsOfEvent = listOfEvent(
  'delivery_attempt.list_of_event_of_creator',
  'and a.destination_id in (select d.destination_id from destination d where d.creator_id = :creatorId)',
);

const insertTest = statement(
  'delivery_test.insert',
  'insert into delivery_test (destination_id, event_id, type, asked_at) values ($1, $2, $3, $4)',
);

/** Returns a page of the deliveries of a destination in one state, latest first. */
export function listDeliveriesOf(
  sql: Sql,
  destinationId: string,
  state: 'waiting' | 'failed',
  after: { readonly dueAt: string; readonly eventId: string },
  limit: number,
): Promise<readonly ListedDelivery[]> {
  return listDeliveries.all<ListedDelivery>(sql, { ...after, limit, destinationId, state });
}

/** Selects attempts in a list. */
export interface AttemptFilter {
  /** Only the attempts of this event. */
  readonly eventId?: string | undefined;
  /** True to leave out delivered ones. */
  readonly failedOnly?: boolean | undefined;
}

const excludedBy = ({ failedOnly = false }: AttemptFilter): Outcome | '' => (failedOnly ? 'delivered' : '');

/** Returns a page of the attempts of a destination, newest first, after the given attempt. */
export function listAttemptsOf(
  sql: Sql,
  destinationId: string,
  filter: AttemptFilter,
  afterAttemptId: string,
  limit: number,
): Promise<readonly ListedAttempt[]> {
  const { eventId = '' } = filter;
  const excluded = excludedBy(filter);
  return listAttempts.all<ListedAttempt>(sql, { afterAttemptId, limit, destinationId, eventId, excluded });
}

/** Like {@link listAttemptsOf}, for the attempts of an event at all destinations in scope. */
export function listAttemptsOfEvent(
  sql: Sql,
  eventId: string,
  { creatorId }: Scope,
  filter: AttemptFilter,
  afterAttemptId: string,
  limit: number,
): Promise<readonly ListedAttempt[]> {
  const excluded = excludedBy(filter);
  const list = creatorId === null ? listAllOfEvent : listCreatorsOfEvent;
  return list.all<ListedAttempt>(sql, { afterAttemptId, limit, eventId, creatorId, excluded });
}

/** Requests a test event. */
export async function addTest(
  tx: Tx,
  test: { readonly destinationId: string; readonly eventId: string; readonly type: string },
  now: number,
): Promise<void> {
  await tx.run(insertTest, test.destinationId, test.eventId, test.type, toTimestamp(now));
}
