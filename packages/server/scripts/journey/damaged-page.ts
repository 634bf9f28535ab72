/** What an operator does about a damaged SQLite file: find it, bring out what can be read, and go on with that. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { damageRows } from '../../test/support/damaged-file.ts';
import { type Journey, latchkey, type Step, servePackage, takeSecrets } from './journey.ts';
import { findAll, Lost } from './ledger.ts';

/** Reads a backup that is damaged after it was restored. */
export function damagedPage(dataOf: (journey: Journey) => string, backupOf: (journey: Journey) => string): Step {
  return {
    name: 'damage pages of the database, and bring out what can be read',
    async run(journey) {
      const [damaged, next] = [join(journey.place, 'damaged'), join(journey.place, 'next')];
      for (const directory of [damaged, next]) {
        await mkdir(directory, { mode: 0o700 });
        await takeSecrets(dataOf(journey), directory);
      }
      await latchkey(journey, damaged, 'restore', backupOf(journey));
      const file = join(damaged, 'latchkey.db');
      const pages = damageRows(file, 'license');
      const checked = await latchkey(journey, damaged, 'check').catch(
        (error: { stderr?: string }) => error.stderr ?? '',
      );
      if (!checked.includes('is damaged (license: ')) throw new Lost(`check does not say so: ${checked}`);
      const lines = join(journey.place, 'salvaged.jsonl');
      await latchkey(journey, damaged, 'salvage', file, lines);
      // The first start makes the database.
      const serve = () => servePackage(journey.installed, { engine: 'sqlite', file: join(next, 'latchkey.db') }, next);
      await (await serve()).stop();
      const taken = await latchkey(journey, next, 'import', lines);
      const salvaged = (await readFile(lines, 'utf8')).split('\n').flatMap((line) => {
        const { kind, licenseKey } = JSON.parse(line || '{}') as { kind?: string; licenseKey?: string };
        return kind === 'license' && licenseKey !== undefined ? [licenseKey] : [];
      });
      const known = new Set(salvaged);
      const expected = journey.beforeBackup.filter(({ licenseKey }) => known.has(licenseKey));
      if (expected.length === 0) throw new Lost('nothing was brought out');
      const service = await serve();
      try {
        await findAll(service, expected, journey.adminSecret);
      } finally {
        await service.stop();
      }
      return `check names the table with ${pages} damaged pages. ${taken.split('\n')[0]} All ${expected.length} are served.`;
    },
  };
}
