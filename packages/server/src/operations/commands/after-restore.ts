import { counted } from '../../ground/base/count-words.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { Database } from '../../storage/contract/database.ts';
import type { Sql, Storage } from '../../storage/contract/storage.ts';
import { readKept } from '../../storage/opening/snapshot.ts';
import { databaseName } from '../../storage/postgres/database-name.ts';
import { lockSqliteFile } from '../../storage/sqlite/sqlite-file-lock.ts';
import { endSignIns } from '../recovery/end-sign-ins.ts';
import { type CarriedOver, keepRevoked } from '../recovery/keep-revoked.ts';
import { emptyOutbox, pauseDestinations } from '../recovery/stop-sending.ts';
import { type Command, type CommandOption, inDatabase, originOf, requireDatabase } from './command.ts';
import { databaseAt } from './database-url.ts';

/** The option of both commands that restore. */
export const KEEP_REVOKED_FROM = 'keep-revoked-from';
export const KEEP_REVOKED_OPTION: CommandOption = {
  value: 'DATABASE',
  meaning: 'the previous database, a file or a URL: carry over its revocations, dropped keys and forgotten customers',
};

/** The option of the commands that pause destinations. */
export const KEEP_SENDING = 'keep-sending';
export const KEEP_SENDING_OPTION: CommandOption = {
  meaning:
    'do not pause the destinations of events, and let a copy keep e-mails; only if the original never runs again',
};

const NAME = 'after-restore';

export const afterRestore: Command = {
  name: NAME,
  summary:
    'end every sign-in of a database that was restored by other means, and carry over revocations since the backup',
  options: { [KEEP_REVOKED_FROM]: KEEP_REVOKED_OPTION, [KEEP_SENDING]: KEEP_SENDING_OPTION },
  example: 'after-restore --keep-revoked-from postgres://latchkey@db.example.com/before_restore',
  async run({ config, options, print }) {
    const { database } = config;
    const given = options.get(KEEP_REVOKED_FROM);
    const kept = given === undefined ? null : databaseAt(KEEP_REVOKED_FROM, given);
    requireDatabase(config);
    // A server with SQLite keeps licenses and sessions in memory.
    const lock = database.engine === 'sqlite' ? lockSqliteFile(database.file) : undefined;
    try {
      await inDatabase(config, async (storage) => {
        if (kept === null)
          print(`Revocations since the backup are unknown without the previous database (--${KEEP_REVOKED_FROM}).`);
        const keepsSending = options.has(KEEP_SENDING);
        for (const line of await endSignInsAndKeepRevoked(storage, config, kept, { name: NAME, keepsSending }))
          print(line);
      });
    } finally {
      lock?.release();
    }
  },
};

/** Reads the previous database. @throws with its name in the message */
function readingKept<T>(kept: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return readKept(kept, work).catch((error: Error) => {
    const reason = error.message.replace(/\.$/, '');
    throw new Error(`The revocations of ${databaseName(kept)} cannot be carried over: ${reason}.`, { cause: error });
  });
}

/**
 * Ends the console sessions and the sign-in links of a restored database, which would otherwise be valid again, pauses
 * its destinations, empties its outbox of e-mails, and carries over the later revocations of another database.
 *
 * @param kept the previous database; null if nothing is carried over
 * @param command.name the name of the command, for the events
 * @param command.keepsSending true if destinations stay active
 * @returns the changes, as lines for the operator
 */
export async function endSignInsAndKeepRevoked(
  storage: Storage,
  config: Config,
  kept: Database | null,
  { name, keepsSending }: { readonly name: string; readonly keepsSending: boolean },
): Promise<readonly string[]> {
  const { sessions, codes, ofCustomers } = await storage.transaction(endSignIns);
  const lines = [
    `Ended ${counted(sessions, 'console session')} and ${counted(codes, 'sign-in link')}: ` +
      'everybody has to sign in again.',
  ];
  if (ofCustomers > 0)
    lines.push(`Ended ${counted(ofCustomers, 'session or link', 'sessions and links')} of customers.`);
  const mails = await storage.transaction(emptyOutbox);
  if (mails > 0) lines.push(`Deleted ${counted(mails, 'e-mail')}: they may have been sent since.`);
  if (!keepsSending) lines.push(...pausedLines(await pauseDestinations(storage, () => originOf(name, storage))));
  if (kept === null) return lines;
  const origin = await originOf(name, storage);
  const carried = await readingKept(kept, (sql) => keepRevoked(storage, sql, origin, config.tokenLifetimeMs));
  return [...lines, carriedText(carried, databaseName(kept))];
}

/** The lines about paused destinations; none without such destinations. */
export function pausedLines(count: number): readonly string[] {
  if (count === 0) return [];
  return [
    `Paused ${counted(count, 'destination')}: no events are sent until /resumeDestination, so that two services do not ` +
      'send the same ones. resume-destinations resumes all of them once the original sends nothing any more.',
  ];
}

function carriedText(carried: CarriedOver, from: string): string {
  const { licenses, apiKeys, operatorKeys, tokenKeys, signingKeys, customers } = carried;
  return (
    `Carried over from ${from}: revoked ${counted(licenses, 'license')}, ${counted(apiKeys, 'API key')} and ` +
    `${counted(operatorKeys, 'operator key')}; dropped ${counted(tokenKeys, 'token key')} and ` +
    `${counted(signingKeys, 'signing key')}; forgot ${counted(customers, 'customer')}.`
  );
}
