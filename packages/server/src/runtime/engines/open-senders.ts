/** Opens the senders of a node. */
import type { MessagePort } from 'node:worker_threads';
import type { Opened } from '../../ground/base/opened.ts';
import type { SenderName, SettingsOf } from '../../platform/senders/sender.ts';
import type { Storage } from '../../storage/contract/storage.ts';
import type { EngineParts } from './engine.ts';
import { startSenders } from './sender-thread.ts';

/**
 * Opens the senders, unless this node sends nothing.
 *
 * @param file the SQLite file, which the senders read themselves; null for PostgreSQL
 * @param storage tells whether there is something to send
 * @param connect receives a port to serve, with the settings of its sender
 * @returns a function that looks at once whether a sender is needed
 */
export async function openSenders(
  opened: Opened,
  { senders: settings, bounds, on }: EngineParts,
  file: string | null,
  storage: Storage,
  connect: <Name extends SenderName>(name: Name, port: MessagePort, settings: SettingsOf<Name>) => void,
): Promise<(name: SenderName) => void> {
  if (Object.values(settings).every((each) => each === null)) return () => {};
  const node = await opened.part(
    () =>
      startSenders({
        ...{ file, settings, movedClock: bounds.movedClock, on },
        async isNeeded(sender) {
          const own = settings[sender.name];
          return own !== null && (await sender.loadStore()).isNeeded(storage, own);
        },
        connect(name, port) {
          const own = settings[name];
          if (own !== null) connect(name, port, own);
        },
      }),
    (part) => part.stop(),
  );
  return node.startIfNeeded;
}
