import { ATTEMPTS_PER_HOUR } from '../../licensing/machines/activation-rate.ts';
import { dropTokenKey as drop } from '../../licensing/session-tokens/token-keys.ts';
import { reportCrowdedLicenses } from './activation-limits.ts';
import { type Command, inDatabase, originOf } from './command.ts';

const LIFT = 'lift-activation-limits';

export const dropTokenKey: Command = {
  name: 'drop-token-key',
  summary: 'refuse all session tokens of a leaked key within a minute; apps activate again',
  positionals: ['KEY-ID'],
  options: { [LIFT]: { meaning: `allow ${ATTEMPTS_PER_HOUR} more machines to activate for each listed license` } },
  example: 'drop-token-key 8sC1vN2bQpXw0aZk',
  run: ({ config, positionals: [keyId = ''], options, print }) =>
    inDatabase(config, async (storage) => {
      const origin = await originOf('drop-token-key', storage);
      const dropped = await storage.transaction((tx) => drop(tx, keyId, origin, config.tokenLifetimeMs));
      if (dropped === 'unknown') throw new Error(`There is no key ${keyId}. list-token-keys lists the existing keys.`);
      print(`Dropped ${keyId}: within a minute no server accepts its tokens. Apps get 401 and activate again.`);
      if (dropped.replacedBy !== null) print(`It was the signing key; ${dropped.replacedBy} signs from now on.`);
      const isLifting = options.has(LIFT);
      const licenses = await reportCrowdedLicenses(storage, 'drop-token-key', isLifting, print);
      if (licenses === 0) return;
      print(`Licenses with more machines than the ${ATTEMPTS_PER_HOUR} that may activate in an hour: ${licenses}.`);
      print(
        isLifting
          ? `Their limit was lifted for ${ATTEMPTS_PER_HOUR} attempts each. Run ${LIFT} again until all machines are back.`
          : `Run ${LIFT} until all their machines are back, or call /liftActivationLimit for a single license.`,
      );
    }),
};
