import { counted } from '../../ground/base/count-words.ts';
import { ATTEMPTS_PER_HOUR } from '../../licensing/machines/activation-rate.ts';
import { reportCrowdedLicenses } from './activation-limits.ts';
import { type Command, inDatabase } from './command.ts';

export const liftActivationLimits: Command = {
  name: 'lift-activation-limits',
  summary: `allow ${ATTEMPTS_PER_HOUR} more machines to activate now, for each license with more than ${ATTEMPTS_PER_HOUR}`,
  example: 'lift-activation-limits',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      const licenses = await reportCrowdedLicenses(storage, 'lift-activation-limits', true, print);
      print(`Lifted the activation limit of ${counted(licenses, 'license')} for ${ATTEMPTS_PER_HOUR} attempts each.`);
    }),
};
