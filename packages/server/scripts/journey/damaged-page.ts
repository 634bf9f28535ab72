/** The steps of an operator with a damaged SQLite file: detection, recovery by SQLite's shell, import of the rest. */
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { damageRows } from '../../test/support/damaged-file.ts';
import { type Journey, latchkey, type Step, servePackage, takeSecrets } from './journey.ts';
import { findAll, Lost } from './ledger.ts';

const run = promisify(execFile);

/** Whether the installed `sqlite3` has `.recover`, which reads pages by this table. */
const canRecover = () =>
  run('sqlite3', [':memory:', 'select count(*) from sqlite_dbpage']).then(
    () => true,
    () => false,
  );

/** Damages a restored backup, and moves the licenses that are still readable to an empty database. */
export function damagedPage(dataOf: (journey: Journey) => string, backupOf: (journey: Journey) => string): Step {
  return {
    name: 'damage pages of the database, and recover the readable rows',
    async run(journey) {
      const [damaged, recovered, next] = ['damaged', 'recovered', 'next'].map((name) => join(journey.place, name)) as [
        string,
        string,
        string,
      ];
      for (const directory of [damaged, recovered, next]) {
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
      const named = `check names the table with ${pages} damaged pages.`;
      if (!(await canRecover())) return `${named} Not recovered: no sqlite3 with .recover is installed.`;
      const recover = 'sqlite3 "$0" ".recover --ignore-freelist" | sqlite3 "$1"';
      await run('sh', ['-c', recover, file, join(recovered, 'latchkey.db')]);
      const lines = join(journey.place, 'recovered.jsonl');
      await latchkey(journey, recovered, 'export', lines);
      // The first start makes the database.
      const serve = () => servePackage(journey.installed, { engine: 'sqlite', file: join(next, 'latchkey.db') }, next);
      await (await serve()).stop();
      // The machines of unreadable licenses are refused, with status 1.
      const taken = await latchkey(journey, next, 'import', lines).catch(
        (error: { stdout?: string }) => error.stdout ?? '',
      );
      const known = new Set(licensesIn(await readFile(lines, 'utf8')));
      const expected = journey.beforeBackup.filter(({ licenseKey }) => known.has(licenseKey));
      if (expected.length === 0) throw new Lost('nothing was recovered');
      const service = await serve();
      try {
        await findAll(service, expected, journey.adminSecret);
      } finally {
        await service.stop();
      }
      return `${named} ${taken.split('\n')[0]} All ${expected.length} are served.`;
    },
  };
}

/** The keys of the licenses in an exported file. */
function licensesIn(lines: string): readonly string[] {
  return lines.split('\n').flatMap((line) => {
    const { kind, licenseKey } = JSON.parse(line || '{}') as { kind?: string; licenseKey?: string };
    return kind === 'license' && licenseKey !== undefined ? [licenseKey] : [];
  });
}
