import { readFileSync } from 'node:fs';
import { counted } from '../../ground/base/count-words.ts';
import { type CreatedFile, createFile, DEFAULT_DAYS, MAX_DAYS } from '../../licensing/license-files/create.ts';
import { MAX_REQUEST_CHARACTERS, readFileRequest } from '../../licensing/license-files/file-request.ts';
import { judgeOnce } from '../../platform/believed-time/rounds.ts';
import { isRefusal, type Refusal, type RefusalCode, textOf } from '../../platform/endpoint/refusals.ts';
import { path, wholeNumber } from '../../runtime/config/forms.ts';
import { CommitUnknown } from '../../storage/contract/storage.ts';
import { type Command, inDatabase, optionValue, originOf, requireDatabase } from './command.ts';
import { openSigningKeys } from './license-keys.ts';
import { lockAlone } from './lock-alone.ts';
import { openNew } from './output.ts';

const NAME = 'license-file';

/** The way on while a server uses the SQLite file. */
const WHILE_SERVED =
  'call /createLicenseFile instead, or stop it, make the file, and start it again. With PostgreSQL, license-file works ' +
  'while it runs.';

/** The permissions that the umask leaves, because the file is for somebody else. */
const READABLE = 0o666;

export const licenseFile: Command = {
  name: NAME,
  summary: 'make the signed license file of an offline machine from the request that its app wrote',
  options: {
    request: { value: 'FILE', meaning: 'the request that the app wrote', isRequired: true },
    out: { value: 'FILE', meaning: 'the license file to write; it must not exist', isRequired: true },
    days: { value: 'DAYS', meaning: `valid for 1 to ${MAX_DAYS} days; ${DEFAULT_DAYS} by default` },
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
    const days = isForever ? null : optionValue('days', wholeNumber(1, MAX_DAYS), given ?? String(DEFAULT_DAYS));
    const text = readFileSync(from, 'utf8');
    const request = text.length > MAX_REQUEST_CHARACTERS ? null : readFileRequest(text);
    if (request === null) throw new Error(`${from} contains no LATCHKEY REQUEST of an app.`);
    const { licenseKey, productId, fingerprint, hostname } = request;
    requireDatabase(config);
    const lock = lockAlone(config.database, WHILE_SERVED);
    try {
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
        const created = await writtenTo(to, () =>
          storage.transaction((tx) => createFile(tx, origin, { creatorId: null }, order, context)),
        );
        const { fileId, expiresAt, machinesUsed, maxMachines } = created;
        const slots = maxMachines === -1 ? 'no limit' : counted(maxMachines, 'slot');
        print(`${to}: ${fileId} for ${hostname}, valid ${expiresAt === null ? 'for ever' : `until ${expiresAt}`}.`);
        print(`The license is used on ${counted(machinesUsed, 'machine')} (${slots}).`);
      });
    } finally {
      lock?.release();
    }
  },
};

/**
 * Writes the file that `create` makes.
 *
 * It is written after the commit, because a file is valid even if the database has not kept its machine. When that is
 * unknown, none is written: another run makes another file and takes no further slot.
 */
async function writtenTo<Code extends RefusalCode>(
  to: string,
  create: () => Promise<CreatedFile | Refusal<Code>>,
): Promise<CreatedFile> {
  // Before the transaction: if the file cannot be made, nothing has changed.
  const output = openNew(to, READABLE);
  let isKept = false;
  try {
    const created = await create();
    if (isRefusal(created)) throw new Error(`${textOf(created)}.`.replace(/\.\.$/, '.'));
    isKept = true;
    await output.write(created.licenseFile);
    output.finish();
    return created;
  } catch (error) {
    output.abandon();
    if (!isKept && !(error instanceof CommitUnknown)) throw error;
    throw new Error(
      `${(error as Error).message}. ${to} was not written. Run the command again: a machine takes one slot, however ` +
        'many files are made for it.',
      { cause: error },
    );
  }
}
