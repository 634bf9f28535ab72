import { counted } from '../../ground/base/count-words.ts';
import { pauseAll } from '../../webhooks/destinations/change-many.ts';
import type { Destination } from '../../webhooks/destinations/destination.ts';
import { listInState } from '../../webhooks/destinations/store.ts';
import { lockDestinations } from '../../webhooks/destinations/turn-store.ts';
import { type Command, type CommandOption, inDatabase, originOf } from './command.ts';

const NAME = 'pause-destinations';
const CREATOR = 'creator';

/** The option of both commands that narrows them to one creator. */
export const CREATOR_OPTION: Readonly<Record<string, CommandOption>> = {
  [CREATOR]: { meaning: 'only the destinations of this creator', value: 'ID' },
};

/** Returns whether a destination is of the creator that the options name, or true if they name none. */
export function isChosen(options: ReadonlyMap<string, string>): (destination: Destination) => boolean {
  const creatorId = options.get(CREATOR);
  return (destination) => creatorId === undefined || destination.creatorId === creatorId;
}

export const pauseDestinations: Command = {
  name: NAME,
  summary: 'stop sending events to all active destinations, also beside a running service; nothing is lost',
  options: CREATOR_OPTION,
  example: 'pause-destinations --creator ada',
  run: ({ config, options, print }) =>
    inDatabase(config, async (storage) => {
      const origin = await originOf(NAME, storage);
      const paused = await storage.transaction(async (tx) => {
        await lockDestinations(tx);
        const active = await listInState(tx, 'active');
        return pauseAll(tx, origin, active.filter(isChosen(options)), 'by_command');
      });
      print(`Paused ${counted(paused, 'destination')}. resume-destinations sends the events of the pause.`);
    }),
};
