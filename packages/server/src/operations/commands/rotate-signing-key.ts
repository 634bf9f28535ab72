import { DAY_MS, MINUTE_MS, systemClock } from '../../ground/base/clock.ts';
import { rotateSigningKey as rotate } from '../../licensing/license-files/signing-keys.ts';
import { duration } from '../../runtime/config/forms.ts';
import { type Command, inDatabase, optionValue } from './command.ts';

const DEFAULT_FROM = '30d';
const fromForm = duration(2 * MINUTE_MS, 366 * DAY_MS, 'from 2m to 366d');

export const rotateSigningKey: Command = {
  name: 'rotate-signing-key',
  summary: 'publish a new key for license files now and sign with it later; files of older keys stay valid',
  options: {
    from: { value: 'TIME', meaning: `delay until it signs, 2m to 366d; ${DEFAULT_FROM} by default` },
  },
  example: 'rotate-signing-key --from 30d',
  run: ({ config, options, print }) => {
    if (config.signingKeyFile !== null)
      throw new Error(
        `License files are signed with the keys in ${config.signingKeyFile}. Append the new key there, restart every node, ` +
          'and move it to the top once apps know it.',
      );
    const afterMs = optionValue('from', fromForm, options.get('from') ?? DEFAULT_FROM);
    return inDatabase(config, async (storage) => {
      const { keyId, signsFrom } = await storage.transaction((tx) => rotate(tx, systemClock(), afterMs));
      print(`${keyId} is published within a minute and signs from ${signsFrom}.`);
    });
  },
};
