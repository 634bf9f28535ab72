import { resolve } from 'node:path';
import { elapsedMs, systemClock, toTimestamp } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { type Salvaged, salvageFile } from '../transfer/salvage.ts';
import type { Command } from './command.ts';
import { openOutput } from './output.ts';
import { Progress } from './progress.ts';

export const salvage: Command = {
  name: 'salvage',
  summary:
    'write the readable rows of a damaged SQLite file to a new file for import; the damaged file stays unchanged',
  positionals: ['DATABASE', 'FILE'],
  example: 'salvage /var/lib/latchkey/latchkey.db /backups/salvaged.jsonl',
  isOnDatabase: false,
  async run({ positionals: [database = '', file = ''], warn }) {
    const output = openOutput(file);
    const progress = new Progress(process.stderr, elapsedMs, { name: 'reading', total: 0 });
    try {
      const salvaged = await salvageFile(
        resolve(process.env.INIT_CWD ?? '.', database),
        toTimestamp(systemClock()),
        output.write,
        (rows, kind) => progress.add(rows, kind),
      );
      progress.clear();
      output.finish();
      for (const each of salvaged) warn(sentenceOf(each));
      warn(
        'Not included: sessions, tokens, API keys, operator keys, recorded changes and counts (docs/import-export.md). ' +
          'It holds license keys: keep it where nobody else can read it.',
      );
    } catch (error) {
      progress.clear();
      output.abandon();
      throw error;
    }
  },
};

/** `license: 1204 lines; 37 rows could not be read.` */
function sentenceOf({ kind, lines, unreadable, withoutOwner }: Salvaged): string {
  const lost =
    unreadable === null
      ? 'an unknown number of rows could not be read'
      : `${counted(unreadable, 'row')} could not be read`;
  const left =
    withoutOwner === 0 ? '' : `, ${counted(withoutOwner, 'row')} left out because the owner could not be read`;
  return `${kind}: ${counted(lines, 'line')}; ${lost}${left}.`;
}
