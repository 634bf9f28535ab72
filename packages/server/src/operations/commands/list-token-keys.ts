import { systemClock } from '../../ground/base/clock.ts';
import { listTokenKeys as list } from '../../licensing/session-tokens/token-keys.ts';
import { type Command, inDatabase } from './command.ts';

export const listTokenKeys: Command = {
  name: 'list-token-keys',
  summary: 'list the keys of session tokens, without their secrets',
  example: 'list-token-keys',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      const keys = await storage.read((sql) => list(sql, systemClock()));
      for (const { keyId, signsFrom, use, checksUntil } of keys)
        print(`${keyId.padEnd(16)}  ${use.padEnd(9)}  from ${signsFrom}${checksUntil ? ` until ${checksUntil}` : ''}`);
    }),
};
