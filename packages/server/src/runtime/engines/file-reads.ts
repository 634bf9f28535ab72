/** The reads of the senders on a SQLite file. The thread of the senders loads this module for SQLite only. */

import { type MailStore, readMails } from '../../customers/mail/mail-store.ts';
import type { Clock } from '../../ground/base/clock.ts';
import { openStorage } from '../../storage/opening/open.ts';
import { readDeliveries } from '../../webhooks/deliveries/delivery-store.ts';
import type { DeliveryReader } from '../../webhooks/deliveries/store.ts';

/** The reads of both senders, on one connection. */
export interface FileReads {
  ofEvents(clock: Clock): DeliveryReader;
  /** @param kinds the names of the kinds of mails that this version knows */
  ofMails(kinds: readonly string[]): Pick<MailStore, 'findDueMail'>;
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
    ofEvents: (clock) => readDeliveries(storage, clock),
    ofMails: (kinds) => readMails(storage, kinds),
    close: () => storage.close(),
  };
}
