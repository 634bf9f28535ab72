/** Calls between the thread of the sender and the thread that owns the database, over one port. */
import type { MessagePort } from 'node:worker_threads';

/** A call: number, method, arguments. */
type CallMessage = readonly [number: number, method: string, ...args: unknown[]];
/** Its result, or the text of its failure. */
type ResultMessage = readonly [number: number, result: unknown, failure: string | null];
/** An event was recorded, so a round is due. */
const WAKE = 'wake';

type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/**
 * Serves calls until the port closes.
 *
 * @returns a function that wakes the sender
 */
export function serveStore(port: MessagePort, store: object): () => void {
  const methods = store as Methods;
  port.on('message', ([number, method, ...args]: CallMessage) => {
    void Promise.resolve((methods[method] as (...args: unknown[]) => Promise<unknown>)(...args)).then(
      (result) => port.postMessage([number, result, null] satisfies ResultMessage),
      (error: unknown) => port.postMessage([number, null, String(error)] satisfies ResultMessage),
    );
  });
  port.unref();
  return () => port.postMessage(WAKE);
}

/** Returns the store behind a port. Its methods reject with the text of the failure on the other side. */
export function storeBehind<Store extends object>(
  port: MessagePort,
  methods: readonly (keyof Store & string)[],
  woken: () => void,
): Store {
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
  const call = (method: string, args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      port.postMessage([last, method, ...args] satisfies CallMessage);
    });
  return Object.fromEntries(
    methods.map((method) => [method, (...args: unknown[]) => call(method, args)]),
  ) as unknown as Store;
}
