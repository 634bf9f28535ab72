import { systemClock, toTimestamp } from '../base/clock.ts';
import { exportDatabase } from '../transfer/export.ts';
import { type Command, inDatabase } from './command.ts';
import { openOutput } from './output.ts';

export const exportCommand: Command = {
  name: 'export',
  summary:
    'write licenses with their notes, products, codes and orders to a new JSON Lines file, while the service runs',
  positionals: ['FILE'],
  options: {},
  example: 'export /backups/licenses.jsonl',
  async run({ config, positionals: [file = ''], warn }) {
    // Checks that the database exists and that its tables have this version.
    await inDatabase(config, async () => {});
    const output = openOutput(file);
    try {
      const counts = await exportDatabase(config.database, toTimestamp(systemClock()), output.write);
      output.finish();
      const said = Object.entries(counts).map(([kind, lines]) => `${kind} ${lines}`);
      warn(`Exported: ${said.length === 0 ? 'nothing' : said.join(', ')}.`);
      warn('It holds license keys: keep it where nobody else can read it.');
    } catch (error) {
      output.abandon();
      throw error;
    }
  },
};
