import { systemClock, toTimestamp } from '../clock.ts';
import { type Command, inDatabase } from './command.ts';
import { openSigningKeys } from './license-keys.ts';

export const listSigningKeys: Command = {
  name: 'list-signing-keys',
  summary: 'show the issuer and the public keys of license files, which apps carry',
  positionals: [],
  options: {},
  example: 'list-signing-keys',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      const keys = await openSigningKeys(config, storage);
      print(`issuer         ${keys.issuer}`);
      for (const { kid, x, use, signsFrom } of keys.described(systemClock())) {
        const since = Number.isFinite(signsFrom) ? `  from ${toTimestamp(signsFrom)}` : '';
        print(`${kid}  ${x}  ${use}${since}`);
      }
    }),
};
