import { believeClock as believe } from '../../platform/believed-time/rounds.ts';
import { type Command, inDatabase } from './command.ts';

export const believeClock: Command = {
  name: 'believe-clock',
  summary: 'believe the clock of this machine now, if it is right although it is far from the last believed time',
  example: 'believe-clock',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      const { now, before } = await believe(storage);
      print(`The clock is now believed: it is ${now}. The last believed time before was ${before ?? 'unknown'}.`);
      print('Running services believe it within a minute, and then remove expired data again.');
    }),
};
