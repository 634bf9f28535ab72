import { systemClock } from '../clock.ts';
import { rotateTokenKeys as rotate } from '../licenses/token-keys.ts';
import { type Command, inDatabase } from './command.ts';

export const rotateTokenKeys: Command = {
  name: 'rotate-token-keys',
  summary: 'sign session tokens with a new key from two minutes on; tokens already issued stay good',
  positionals: [],
  options: {},
  example: 'rotate-token-keys',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      const { keys, signsFrom } = await storage.transaction((tx) => rotate(tx, systemClock(), config.tokenLifetimeMs));
      print(`A new key signs from ${signsFrom}; ${keys} keys are accepted.`);
    }),
};
