/** Replays: past events that a destination is sent again, beside the changes that happen meanwhile (rules 12.6). */
import Type from 'typebox';
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { mintOrderedUuid } from '../../ground/base/random.ts';
import { EXAMPLE_NOW } from '../../platform/endpoint/example-values.ts';
import { nullable, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { positionSince, positionUntil } from './moment-position.ts';

/** A stored replay. Moments are timestamps. */
export interface Replay {
  readonly destinationId: string;
  readonly replayId: string;
  readonly since: string;
  /** Null for all events until the replay was requested. */
  readonly until: string | null;
  /** Types and prefixes; null for all types of the destination. */
  readonly types: readonly string[] | null;
  /** Every event up to this position of the feed is settled or stored as a delivery. */
  readonly position: number;
  readonly toPosition: number;
  /** Events found so far. */
  readonly sent: number;
  readonly askedAt: string;
}

export const replaySchema = resource('Replay', 'Past events that a destination is sent again.', {
  since: timestamp('Time of the first events.'),
  until: nullable(timestamp('Events before this time; null: until the replay was requested.')),
  types: nullable(Type.Array(Type.String(), { description: 'Types of events; null: those of the destination.' })),
  failedOnly: Type.Boolean({ description: 'Whether only events that were given up are sent again.' }),
  sent: Type.Integer({ description: 'Events that were sent so far, or wait to be sent next.' }),
  askedAt: timestamp('When it was requested.'),
});

/** A replay in replies. */
export function replayView({ since, until, types, sent, askedAt }: Replay) {
  return { since, until, types, failedOnly: false, sent, askedAt };
}

export const exampleReplay = {
  since: '2027-02-28T00:00:00.000Z',
  until: null,
  types: ['license.*'],
  failedOnly: false,
  sent: 0,
  askedAt: EXAMPLE_NOW,
};

/**
 * Makes a replay of settled events. Later events are sent in their turn.
 *
 * @param settledUpTo position of the destination
 */
export async function replayOf(
  sql: Sql,
  asked: Pick<Replay, 'destinationId' | 'since' | 'until' | 'types'>,
  settledUpTo: number,
  now: number,
): Promise<Replay> {
  const end = asked.until === null ? settledUpTo : await positionUntil(sql, fromTimestamp(asked.until));
  const toPosition = Math.min(settledUpTo, end);
  const position = Math.min(toPosition, await positionSince(sql, fromTimestamp(asked.since)));
  return { ...asked, replayId: mintOrderedUuid(now), position, toPosition, sent: 0, askedAt: toTimestamp(now) };
}
