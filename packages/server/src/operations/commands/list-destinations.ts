import { toTimestamp } from '../../ground/base/clock.ts';
import { originOf } from '../../webhooks/destinations/change.ts';
import { DESTINATION_STATES, isFull, TOO_MANY_REFUSED } from '../../webhooks/destinations/destination.ts';
import { type DestinationWithProgress, listInState, withProgress } from '../../webhooks/destinations/store.ts';
import { type Command, inDatabase } from './command.ts';

export const listDestinations: Command = {
  name: 'list-destinations',
  summary: 'list the destinations of events with their state, without secrets and paths',
  example: 'list-destinations',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      let count = 0;
      for (const state of DESTINATION_STATES) {
        const found = await storage.read(async (sql) => withProgress(sql, await listInState(sql, state)));
        for (const each of found) print(lineOf(each));
        count += found.length;
      }
      if (count === 0) print('There are no destinations.');
    }),
};

function lineOf({ destination, progress }: DestinationWithProgress): string {
  const { destinationId, creatorId, url, state, stateReason } = destination;
  const { failingSince } = progress;
  const failure = isFull(progress) ? TOO_MANY_REFUSED : progress.lastError;
  const isFailing = state === 'active' && failingSince !== null;
  const condition = isFailing
    ? `failing since ${toTimestamp(failingSince)} (${failure})`
    : `${state}${stateReason === null ? '' : ` (${stateReason})`}`;
  return `${destinationId}  ${creatorId ?? 'operator'}  ${originOf(url)}  ${condition}`;
}
