/** Calls between the thread of the sender and the thread that owns the database, over one port. */
import type { MessagePort } from 'node:worker_threads';

/** A call: number, method, arguments. */
type CallMessage = readonly [number: number, method: string, ...args: unknown[]];
/** Its result, or the text of its failure. */
type ResultMessage = readonly [number: number, result: unknown, failure: string | null];
/** An event was recorded, so a round is due. */
const WAKE = 'wake';
/**
 * The first message of a sender: a flag in shared memory, 1 while the sender waits for news. Beside 14,000 activations
 * a second on SQLite, a message for each commit takes 2.5 % of a core in the thread of the sender.
 */
type AwaitsNews = Int32Array<SharedArrayBuffer>;

type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/**
 * Serves calls until the port closes.
 *
 * @returns a function that wakes the sender if it waits for news
 */
export function serveStore(port: MessagePort, store: object): () => void {
  const methods = store as Methods;
  let awaitsNews: AwaitsNews | null = null;
  port.on('message', (message: CallMessage | AwaitsNews) => {
    if (message instanceof Int32Array) {
      awaitsNews = message;
      return;
    }
    const [number, method, ...args] = message;
    void Promise.resolve((methods[method] as (...args: unknown[]) => Promise<unknown>)(...args)).then(
      (result) => port.postMessage([number, result, null] satisfies ResultMessage),
      (error: unknown) => port.postMessage([number, null, String(error)] satisfies ResultMessage),
    );
  });
  port.unref();
  return () => {
    if (awaitsNews === null || Atomics.exchange(awaitsNews, 0, 0) === 1) port.postMessage(WAKE);
  };
}

/** A store on the other side of a port. */
export interface StoreBehind<Store> {
  /** Its methods reject with the text of the failure on the other side. */
  readonly store: Store;
  /** Asks to be woken once, by the next news. */
  awaitNews(): void;
}

/** Returns the store behind a port. */
export function storeBehind<Store extends object>(
  port: MessagePort,
  methods: readonly (keyof Store & string)[],
  woken: () => void,
): StoreBehind<Store> {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let last = 0;
  port.on('message', (message: ResultMessage | typeof WAKE) => {
    if (message === WAKE) return woken();
    const [number, result, failure] = message;
    const call = waiting.get(number);
    waiting.delete(number);
    if (failure === null) call?.resolve(result);
    else call?.reject(new Error(failure));
  });
  const awaitsNews: AwaitsNews = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  port.postMessage(awaitsNews);
  const call = (method: string, args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      port.postMessage([last, method, ...args] satisfies CallMessage);
    });
  const store = Object.fromEntries(methods.map((method) => [method, (...args: unknown[]) => call(method, args)]));
  return { store: store as unknown as Store, awaitNews: () => void Atomics.store(awaitsNews, 0, 1) };
}
