import { rotateTokenKeys as rotate } from '../../licensing/session-tokens/token-keys.ts';
import { judgeOnce } from '../../platform/believed-time/rounds.ts';
import { type Command, inDatabase, originOf } from './command.ts';

export const rotateTokenKeys: Command = {
  name: 'rotate-token-keys',
  summary: 'sign session tokens with a new key in two minutes; tokens already issued stay valid',
  example: 'rotate-token-keys',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      const believableNow = (await judgeOnce(storage)).believableNow();
      const origin = await originOf('rotate-token-keys', storage);
      const { keys, signsFrom } = await storage.transaction((tx) =>
        rotate(tx, { origin, believableNow }, config.tokenLifetimeMs),
      );
      print(`A new key signs from ${signsFrom}; accepted keys: ${keys}.`);
      if (believableNow === null)
        print('The clock of this machine is not believed, so no old key was dropped. The command check explains why.');
    }),
};
