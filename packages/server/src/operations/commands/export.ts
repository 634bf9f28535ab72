import { systemClock, toTimestamp } from '../../ground/base/clock.ts';
import type { Database } from '../../storage/contract/database.ts';
import { exportDatabase, type LineCounts } from '../transfer/export.ts';
import { type Command, inDatabase } from './command.ts';
import { openOutput, ReaderLeft } from './output.ts';

export const exportCommand: Command = {
  name: 'export',
  summary:
    'write licenses with their notes, products, codes and orders to a new JSON Lines file, while the service runs',
  positionals: ['FILE'],
  example: 'export /backups/licenses.jsonl',
  async run({ config, positionals: [file = ''], warn }) {
    // Checks that the database exists and that its tables have this version.
    await inDatabase(config, async () => {});
    const counts = await exportTo(file, config.database);
    if (counts === null) return;
    const said = Object.entries(counts).map(([kind, lines]) => `${kind} ${lines}`);
    warn(`Exported: ${said.length === 0 ? 'nothing' : said.join(', ')}.`);
    warn('It holds license keys: keep it where nobody else can read it.');
  },
};

/** @returns null if the reader of the output left before the end */
async function exportTo(file: string, database: Database): Promise<LineCounts | null> {
  const output = openOutput(file);
  try {
    const counts = await exportDatabase(database, toTimestamp(systemClock()), output.write);
    output.finish();
    return counts;
  } catch (error) {
    output.abandon();
    if (error instanceof ReaderLeft) return null;
    throw error;
  }
}
