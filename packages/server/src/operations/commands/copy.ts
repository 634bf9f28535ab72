import { copiedTables } from '../../app.ts';
import { forgetCatchUps } from '../../commerce/connectors/catch-up-store.ts';
import { elapsedMs, systemClock } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { continueFeed } from '../../platform/events/feed-store.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { type CopyListener, copyDatabase } from '../../storage/copy/copy-database.ts';
import { databaseWarnings } from '../../storage/opening/open.ts';
import { databaseName } from '../../storage/postgres/database-name.ts';
import { pauseCopied } from '../../webhooks/destinations/change-many.ts';
import { emptyOutbox } from '../recovery/stop-sending.ts';
import { KEEP_SENDING, KEEP_SENDING_OPTION, pausedLines } from './after-restore.ts';
import type { Command } from './command.ts';
import { databaseAt } from './database-url.ts';
import { Progress } from './progress.ts';

export const copy: Command = {
  name: 'copy',
  summary: 'copy everything from one database to an empty one, between SQLite and PostgreSQL, and compare them',
  options: {
    from: {
      meaning: 'the database to copy, with its servers stopped: a URL, or the path of a SQLite file',
      value: 'URL',
      isRequired: true,
    },
    to: {
      meaning: 'an empty database, or an interrupted copy of the first, which is resumed',
      value: 'URL',
      isRequired: true,
    },
    [KEEP_SENDING]: KEEP_SENDING_OPTION,
  },
  example: 'copy --from data/latchkey.db --to postgres://latchkey@db.example.com/latchkey',
  isOnDatabase: false,
  async run({ options, print, warn }) {
    const from = databaseAt('from', options.get('from')!);
    const to = databaseAt('to', options.get('to')!);
    warn(`From: ${databaseName(from)}`);
    warn(`To: ${databaseName(to)}`);
    for (const warning of [...databaseWarnings(from), ...databaseWarnings(to)]) warn(`Warning: ${warning}`);
    let progress: Progress | undefined;
    let paused = 0;
    let mails = 0;
    const finish = async (tx: Tx) => {
      await continueFeed(tx);
      const actor = { kind: 'command', name: copy.name } as const;
      if (options.has(KEEP_SENDING)) return;
      mails = await emptyOutbox(tx);
      // The original asks the sellers; both would issue licenses and send e-mails for the same sale.
      await forgetCatchUps(tx);
      paused = await pauseCopied(tx, { actor, requestId: null, now: systemClock() });
    };
    const listener: CopyListener = {
      goesOn: (beganAt) => warn(`Resuming the copy that began at ${beganAt}.`),
      stage(name, total, before) {
        progress?.clear();
        warn(
          name === 'copying'
            ? `Copying ${counted(total, 'row')}${before === 0 ? '' : `, ${before} of them copied earlier`}.`
            : 'Comparing.',
        );
        progress = new Progress(process.stderr, elapsedMs, { name, total, before });
      },
      rows: (table, count) => progress?.add(count, table),
      compared(table, sum) {
        progress?.clear();
        print(`${table}: ${counted(sum.rows, 'row')}, sha256 ${sum.checksum}, equal`);
      },
    };
    const { tables, rows } = await copyDatabase(from, to, copiedTables, systemClock, listener, finish).finally(() =>
      progress?.clear(),
    );
    print(`Copied ${counted(rows, 'row')} in ${counted(tables, 'table')}. Source and target are equal.`);
    if (mails > 0)
      print(`Deleted ${counted(mails, 'e-mail')} of the copy: the original may send ${mails === 1 ? 'it' : 'them'}.`);
    for (const line of pausedLines(paused)) print(line);
    print('Secrets and certificates in the data directory are not part of the database: move these files, too.');
  },
};
