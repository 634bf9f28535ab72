import { believeClock as believe } from '../believed-time/rounds.ts';
import { type Command, inDatabase } from './command.ts';

export const believeClock: Command = {
  name: 'believe-clock',
  summary:
    'believe the clock of this machine at once, where it is far from the last time that was believed and yet right',
  positionals: [],
  options: {},
  example: 'believe-clock',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      const { now, before } = await believe(storage);
      print(`The clock is believed: it is ${now}. The last time that was believed before is ${before ?? 'unknown'}.`);
      print('Services that run believe it within a minute. What is older than it may be is removed from then on.');
    }),
};
