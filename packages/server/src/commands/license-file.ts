import { readFileSync, writeFileSync } from 'node:fs';
import { counted } from '../base/count-words.ts';
import { judgeOnce } from '../believed-time/rounds.ts';
import { ConfigValueError, path, wholeNumber } from '../config/forms.ts';
import { isRefusal, textOf } from '../endpoint/refusals.ts';
import { createFile, DEFAULT_DAYS, MOST_DAYS } from '../license-files/create.ts';
import { MOST_REQUEST_CHARACTERS, readFileRequest } from '../license-files/file-request.ts';
import { type Command, inDatabase, originOf } from './command.ts';
import { openSigningKeys } from './license-keys.ts';

const NAME = 'license-file';

export const licenseFile: Command = {
  name: NAME,
  summary: 'make the signed license file of an offline machine from the request that its app wrote',
  options: {
    request: { value: 'FILE', meaning: 'the request that the app wrote', isRequired: true },
    out: { value: 'FILE', meaning: 'the license file to write; it must not exist', isRequired: true },
    days: { value: 'DAYS', meaning: `valid for 1 to ${MOST_DAYS} days; ${DEFAULT_DAYS} by default` },
    forever: { meaning: 'valid as long as the license, instead of --days' },
    'include-email': { meaning: "write the customer's address into the file" },
  },
  example: `${NAME} --request request.txt --days 365 --out app.lic`,
  async run({ config, options, print }) {
    const here = path(process.env.INIT_CWD ?? process.cwd());
    const [from, to] = [here(options.get('request') ?? ''), here(options.get('out') ?? '')];
    const isForever = options.has('forever');
    const given = options.get('days');
    if (isForever && given !== undefined) throw new Error('Give --days or --forever, not both.');
    const days = isForever ? null : daysOf(given ?? String(DEFAULT_DAYS));
    const text = readFileSync(from, 'utf8');
    const request = text.length > MOST_REQUEST_CHARACTERS ? null : readFileRequest(text);
    if (request === null) throw new Error(`${from} contains no LATCHKEY REQUEST of an app.`);
    const { licenseKey, productId, fingerprint, hostname } = request;
    await inDatabase(config, async (storage) => {
      const signingKeys = await openSigningKeys(config, storage);
      const { floatingTimeoutMs, licenseFiles } = config;
      const order = {
        licenseKey,
        productId,
        machine: { fingerprint, hostname },
        days,
        includesEmail: options.has('include-email'),
      };
      const origin = await originOf(NAME, storage);
      const believedTime = await judgeOnce(storage);
      const context = { settings: { floatingTimeoutMs, licenseFiles }, signingKeys, believedTime };
      const created = await storage.transaction(async (tx) => {
        const file = await createFile(tx, origin, { creatorId: null }, order, context);
        // Before the transaction records the file: if the file cannot be written, nothing has changed.
        if (!isRefusal(file)) writeFileSync(to, file.licenseFile, { flag: 'wx' });
        return file;
      });
      if (isRefusal(created)) throw new Error(`${textOf(created)}.`.replace(/\.\.$/, '.'));
      const { fileId, expiresAt, machinesUsed, maxMachines } = created;
      const slots = maxMachines === -1 ? 'no limit' : counted(maxMachines, 'slot');
      print(`${to}: ${fileId} for ${hostname}, valid ${expiresAt === null ? 'for ever' : `until ${expiresAt}`}.`);
      print(`The license is used on ${counted(machinesUsed, 'machine')} (${slots}).`);
    });
  },
};

function daysOf(text: string): number {
  try {
    return wholeNumber(1, MOST_DAYS)(text);
  } catch (error) {
    throw error instanceof ConfigValueError ? new Error(`--days ${error.message}`) : error;
  }
}
