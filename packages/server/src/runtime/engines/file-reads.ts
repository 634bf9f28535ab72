/** The reads of a sender on a SQLite file. The thread of a sender loads this module for SQLite only. */
import type { Clock } from '../../ground/base/clock.ts';
import type { Sender, SenderName, SettingsOf } from '../../platform/senders/sender.ts';
import { openStorage } from '../../storage/opening/open.ts';

/** The reads of a sender, on a connection of its own. */
export interface FileReads {
  of<Name extends SenderName>(sender: Sender<Name>, clock: Clock, settings: SettingsOf<Name>): Promise<object>;
  close(): Promise<void>;
}

/**
 * Opens a SQLite file to be read.
 *
 * @throws if the file cannot be opened
 */
export async function openFileReads(file: string): Promise<FileReads> {
  const storage = await openStorage({ engine: 'sqlite', file });
  return {
    of: async (sender, clock, settings) => (await sender.loadStore()).reads(storage, clock, settings),
    close: () => storage.close(),
  };
}
