import { once } from 'node:events';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock, toTimestamp } from '../clock.ts';
import { exportDatabase } from '../transfer/export.ts';
import { type Command, inDatabase } from './command.ts';

export const exportCommand: Command = {
  name: 'export',
  summary:
    'write licenses with their notes, products, codes and orders to a new file as JSON Lines, while the service goes on',
  positionals: ['FILE'],
  options: {},
  example: 'export /backups/licenses.jsonl',
  async run({ config, positionals: [file = ''], warn }) {
    // Sees that the database is there and that its tables are of this version.
    await inDatabase(config, async () => {});
    const output = file === '-' ? standardOutput : openNew(resolve(process.env.INIT_CWD ?? '.', file));
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

/** Where an export goes. */
interface Output {
  write(text: string): Promise<void>;
  finish(): void;
  abandon(): void;
}

const standardOutput: Output = {
  async write(text) {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  },
  finish() {},
  abandon() {},
};

/** A new file for its owner alone. @throws when there is one of that name */
function openNew(file: string): Output {
  if (existsSync(file)) throw new Error(`${file} is there already; an export never replaces a file.`);
  const descriptor = openSync(file, 'wx', 0o600);
  return {
    async write(text) {
      const bytes = Buffer.from(text);
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    },
    finish() {
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
    abandon() {
      closeSync(descriptor);
      rmSync(file, { force: true });
    },
  };
}
