import { makeSignInLink } from '../../runtime/service/sign-in-link.ts';
import { type Command, inDatabase } from './command.ts';

export const signInLink: Command = {
  name: 'sign-in-link',
  summary: 'print a link that signs in to the console as the owner, once and within 5 minutes',
  example: 'sign-in-link',
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => print(await makeSignInLink(storage, config, config.port))),
};
