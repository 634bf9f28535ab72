/** The stores of the senders in the thread that owns the database: it serves their calls, and wakes them. */
import type { MessagePort } from 'node:worker_threads';
import { mailKinds } from '../../app.ts';
import type { RecordedChange } from '../../platform/events/recorded-changes.ts';
import type { SenderName, SenderStore, SettingsOf, WriterParts } from '../../platform/senders/sender.ts';
import { serveStore } from '../../platform/senders/store-port.ts';
import { senders } from '../../senders.ts';

/** The stores of one process. */
export class SenderStores {
  readonly #stores: ReadonlyMap<SenderName, SenderStore<SenderName>>;
  /** By sender: begins it if it does not send yet, else wakes it. */
  readonly #listeners = new Map<SenderName, (recorded: readonly RecordedChange[]) => void>();

  private constructor(
    stores: ReadonlyMap<SenderName, SenderStore<SenderName>>,
    mayBeNeeded: (name: SenderName) => void,
  ) {
    this.#stores = stores;
    for (const [name, { mayBeNeededBy }] of stores)
      if (mayBeNeededBy !== undefined)
        this.#listeners.set(name, (recorded) => {
          if (mayBeNeededBy(recorded)) mayBeNeeded(name);
        });
  }

  /** @param mayBeNeeded is called when changes may make a sender needed that does not send yet */
  static async load(mayBeNeeded: (name: SenderName) => void): Promise<SenderStores> {
    const loaded = await Promise.all(senders.map(async (sender) => [sender.name, await sender.loadStore()] as const));
    return new SenderStores(new Map(loaded), mayBeNeeded);
  }

  /** Receives the recorded changes of each commit. */
  noteChanges(recorded: readonly RecordedChange[]): void {
    if (recorded.length === 0) return;
    for (const listener of this.#listeners.values()) listener(recorded);
  }

  /**
   * Serves the calls of a sender on a port.
   *
   * @param readsHere true if its reads come on this port, too
   */
  serve<Name extends SenderName>(
    name: Name,
    port: MessagePort,
    parts: Omit<WriterParts, 'mailKinds'>,
    settings: SettingsOf<Name>,
    readsHere: boolean,
  ): void {
    const store = this.#stores.get(name);
    if (store === undefined) return;
    const reads = readsHere ? store.reads(parts.storage, parts.clock, settings) : {};
    this.#listeners.set(name, serveStore(port, { ...reads, ...store.writes({ ...parts, mailKinds }, settings) }));
  }
}
