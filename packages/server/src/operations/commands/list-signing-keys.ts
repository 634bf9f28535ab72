import { systemClock, toTimestamp } from '../../ground/base/clock.ts';
import type { SigningKeyState } from '../../licensing/license-files/signing-keys.ts';
import { type Command, inDatabase } from './command.ts';
import { openSigningKeys } from './license-keys.ts';

export const listSigningKeys: Command = {
  name: 'list-signing-keys',
  summary: 'show the issuer and the public keys of license files, which apps embed',
  options: { 'for-app': { meaning: 'print them as an app embeds them: members of a JSON object' } },
  example: 'list-signing-keys',
  run: ({ config, options, print }) =>
    inDatabase(config, async (storage) => {
      const keys = await openSigningKeys(config, storage);
      const described = keys.described(systemClock());
      if (options.has('for-app')) return print(optionsOfApp(keys.issuer, described));
      print(`issuer         ${keys.issuer}`);
      for (const { kid, x, use, signsFrom } of described) {
        const since = Number.isFinite(signsFrom) ? `  from ${toTimestamp(signsFrom)}` : '';
        print(`${kid}  ${x}  ${use}${since}`);
      }
    }),
};

/**
 * Lists every key, also one that will sign later, so that an app built now knows it by then. The members of a JSON
 * object can be pasted into the options of the client as well as into a settings file.
 */
function optionsOfApp(issuer: string, keys: readonly SigningKeyState[]): string {
  const lines = keys.map(({ kid, x }) => `  { "kid": "${kid}", "x": "${x}" }`);
  return [`"issuer": "${issuer}",`, '"publicKeys": [', lines.join(',\n'), ']'].join('\n');
}
