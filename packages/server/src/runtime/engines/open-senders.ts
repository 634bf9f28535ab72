/** Opens the senders of a node. */
import { mailKinds } from '../../app.ts';
import { readMails } from '../../customers/mail/mail-store.ts';
import type { Opened } from '../../ground/base/opened.ts';
import type { Storage } from '../../storage/contract/storage.ts';
import { findDestinationsVersion } from '../../webhooks/destinations/store.ts';
import { type DeliveryThreadParts, startDeliveries } from './delivery-thread.ts';
import type { EngineParts } from './engine.ts';

/**
 * Opens the senders of events and of mails, unless this node sends neither.
 *
 * @param file the SQLite file, which the senders read themselves; null for PostgreSQL
 * @param storage tells whether there is something to send
 * @returns a function that starts to send events if there is a destination
 */
export async function openSenders(
  opened: Opened,
  { settings: { destinations }, deliveries, mails, bounds, on }: EngineParts,
  file: string | null,
  storage: Storage,
  connect: DeliveryThreadParts['connect'],
): Promise<() => void> {
  const { secretsKey } = destinations;
  const events = deliveries === null || secretsKey === null ? null : { ...deliveries, secretsKey };
  if (events === null && mails === null) return () => {};
  const kinds = mailKinds.map(({ name }) => name);
  const mailReader = readMails(storage, kinds);
  const sender = await opened.part(
    () =>
      startDeliveries({
        ...{ file, events, movedClock: bounds.movedClock },
        mails: mails && { ...mails, kinds },
        isNeeded: {
          events: async () => (await storage.read(findDestinationsVersion)) > 0,
          mails: async () => (await mailReader.findDueMail()) !== null,
        },
        connect,
        on: { failure: on.failure, news: on.deliveries, state: on.sender, mail: on.mail },
      }),
    (part) => part.stop(),
  );
  return sender.startIfNeeded;
}
