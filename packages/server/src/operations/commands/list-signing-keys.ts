import { systemClock, toTimestamp } from '../../ground/base/clock.ts';
import { ConfigValueError, type Form } from '../../runtime/config/forms.ts';
import { type Command, inDatabase, optionValue } from './command.ts';
import { constantsIn, LANGUAGES, type Language } from './key-constants.ts';
import { openSigningKeys } from './license-keys.ts';

const languageForm: Form<Language> = (text) => {
  const language = LANGUAGES.find((each) => each === text);
  if (language === undefined) throw new ConfigValueError(`is "${text}"; it must be one of ${LANGUAGES.join(', ')}`);
  return language;
};

export const listSigningKeys: Command = {
  name: 'list-signing-keys',
  summary: 'show the issuer and the public keys of license files, which apps embed',
  options: {
    'for-app': { meaning: 'print them as JSON: options of the client, or a settings file' },
    as: { value: 'LANGUAGE', meaning: `print them as constants: ${LANGUAGES.join(', ')}` },
  },
  example: 'list-signing-keys',
  run: ({ config, options, print }) => {
    const as = options.get('as');
    const language = as === undefined ? null : optionValue('as', languageForm, as);
    return inDatabase(config, async (storage) => {
      const keys = await openSigningKeys(config, storage);
      const described = keys.described(systemClock());
      // Every key, also one that will sign later, so that an app built now knows it by then.
      const embedded = { issuer: keys.issuer, publicKeys: described.map(({ kid, x }) => ({ kid, x })) };
      if (language !== null) return print(constantsIn(language, embedded));
      if (options.has('for-app')) return print(JSON.stringify(embedded, null, 2));
      print(`issuer         ${keys.issuer}`);
      for (const { kid, x, use, signsFrom } of described) {
        const since = Number.isFinite(signsFrom) ? `  from ${toTimestamp(signsFrom)}` : '';
        print(`${kid}  ${x}  ${use}${since}`);
      }
    });
  },
};
