import { ATTEMPTS_PER_HOUR } from '../licenses/activation-rate.ts';
import { reportCrowdedLicenses } from './activation-limits.ts';
import { type Command, inDatabase } from './command.ts';

export const liftActivationLimits: Command = {
  name: 'lift-activation-limits',
  summary: `let ${ATTEMPTS_PER_HOUR} more machines activate now, of each license that has more than ${ATTEMPTS_PER_HOUR}`,
  positionals: [],
  options: {},
  example: 'lift-activation-limits',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      const licenses = await reportCrowdedLicenses(storage, 'lift-activation-limits', true, print);
      print(`Lifted the activation limit of ${licenses} licenses for ${ATTEMPTS_PER_HOUR} attempts each.`);
    }),
};
