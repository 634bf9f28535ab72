import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { elapsedMs } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { enterWaitingEvents } from '../../platform/events/late-index.ts';
import { type ImportFault, importLines } from '../transfer/import.ts';
import { type Command, inDatabase, originOf, requireDatabase } from './command.ts';
import { tellingRoom } from './free-room.ts';
import { lockAlone } from './lock-alone.ts';
import { Progress } from './progress.ts';

const DRY_RUN = 'dry-run';

/** What to do with any other format. */
const FORMAT_HINT =
  'The file is neither JSON Lines nor CSV. In JSON Lines each line is an object, such as ' +
  '{"licenseKey":"Tape-1234-abcd","email":"ada@example.com","productId":"tapehead"}. The first line of CSV names the ' +
  'fields, such as licenseKey,email,productId. docs/operators/import-export.md lists the fields.';

/** The sentence about a fault of a whole file. */
function sentenceOf(fault: ImportFault): string {
  switch (fault.kind) {
    case 'format':
      return FORMAT_HINT;
    case 'utf16':
      return 'The file is UTF-16, as Excel saves "Unicode Text" and PowerShell writes with >. Save it as "CSV UTF-8".';
    case 'columns':
      return `The first line ${fault.reason}. docs/operators/import-export.md lists the fields.`;
    case 'damage':
      return `The file is damaged: ${fault.reason}.`;
  }
}

/** The way on while a server uses the SQLite file. */
const WHILE_SERVED =
  'stop it, import, and start it again. import --dry-run works while it runs; with PostgreSQL, import does, too.';

/** @throws an error of the file system with the path, if it leads to no file that this user may read */
async function requireFile(file: string): Promise<void> {
  await access(file, constants.R_OK);
  // Reading a folder fails, too, but the error lacks the path.
  if ((await stat(file)).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR', path: file });
}

export const importCommand: Command = {
  name: 'import',
  summary:
    'add licenses and their records from a file of JSON Lines, or licenses from CSV; never overwrites an existing record',
  positionals: ['FILE'],
  options: { [DRY_RUN]: { meaning: 'check each line and add nothing' } },
  example: 'import --dry-run licenses.jsonl',
  async run({ config, positionals: [given = ''], options, print, warn }) {
    const isDry = options.has(DRY_RUN);
    const file = resolve(process.env.INIT_CWD ?? '.', given);
    requireDatabase(config);
    const lock = isDry ? undefined : lockAlone(config.database, WHILE_SERVED);
    const takeIn = () =>
      inDatabase(config, async (storage) => {
        if (given !== '-') await requireFile(file);
        const progress = new Progress(process.stderr, elapsedMs, { name: isDry ? 'checking' : 'importing', total: 0 });
        try {
          const source: AsyncIterable<Uint8Array> = given === '-' ? process.stdin : createReadStream(file);
          const { added, present, refused, fault } = await importLines(
            storage,
            source,
            { isDry, now: (await originOf('import', storage)).now },
            {
              refused(line, reason) {
                progress.clear();
                warn(`Line ${line} refused: ${reason}.`);
              },
              handled: (lines) => progress.add(lines, given === '-' ? 'standard input' : file),
            },
          );
          const counts = Object.entries(added).map(([kind, lines]) => `${kind} ${lines}`);
          // Until the events enter the indexes, look-ups by request visit all of them.
          if (storage.engine === 'sqlite' && !isDry && counts.length > 0) await enterWaitingEvents(storage);
          progress.clear();
          print(`${isDry ? 'Would add' : 'Added'}: ${counts.length === 0 ? 'nothing' : counts.join(', ')}.`);
          print(`Already present: ${present}. Refused: ${refused}.`);
          if (fault !== null) throw new Error(sentenceOf(fault));
          if (refused > 0) throw new Error(`${counted(refused, 'line')} refused; the reasons are above.`);
        } finally {
          progress.clear();
        }
      });
    try {
      if (config.database.engine === 'postgres') await takeIn();
      else await tellingRoom(config.database.file, [config.database.file], takeIn);
    } finally {
      lock?.release();
    }
  },
};
