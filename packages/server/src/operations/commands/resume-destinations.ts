import { counted } from '../../ground/base/count-words.ts';
import { resumeAll } from '../../webhooks/destinations/change-many.ts';
import { listInState } from '../../webhooks/destinations/store.ts';
import { lockDestinations } from '../../webhooks/destinations/turn-store.ts';
import { type Command, inDatabase, originOf } from './command.ts';
import { CREATOR_OPTION, isChosen } from './pause-destinations.ts';

const NAME = 'resume-destinations';
/** The reasons of pauses that this command ends. */
const BY_COMMANDS: readonly (string | null)[] = ['by_command', 'copied'];

export const resumeDestinations: Command = {
  name: NAME,
  summary: 'send events again to destinations paused by pause-destinations, copy or restore, from where they stopped',
  options: CREATOR_OPTION,
  example: 'resume-destinations',
  run: ({ config, options, print }) =>
    inDatabase(config, async (storage) => {
      const origin = await originOf(NAME, storage);
      const { resumed, others } = await storage.transaction(async (tx) => {
        await lockDestinations(tx);
        const paused = (await listInState(tx, 'paused')).filter(isChosen(options));
        const ended = paused.filter(({ stateReason }) => BY_COMMANDS.includes(stateReason));
        await resumeAll(tx, origin, ended);
        return { resumed: ended.length, others: paused.length - ended.length };
      });
      print(`Resumed ${counted(resumed, 'destination')}.`);
      if (others > 0)
        print(`Paused by a person, and left so: ${counted(others, 'destination')}. /resumeDestination resumes them.`);
    }),
};
