/**
 * Whether the service answers. Every call reports its outcome here. After a call without an answer, a second one
 * decides: a single broken connection is not an absent service.
 */
import { useSyncExternalStore } from 'react';

/** `away`: the service does not answer; `offline`: the computer has no network. */
export type Connection = 'there' | 'away' | 'offline';

let isAway = false;
let asking: Promise<boolean> | undefined;
const listeners = new Set<() => void>();

function setAway(next: boolean): void {
  if (isAway === next) return;
  isAway = next;
  for (const listener of listeners) listener();
}

/** Reports that the service answered a call. */
export function answered(): void {
  setAway(false);
}

/** Reports that a call got no answer. */
export function unanswered(): void {
  if (!isAway) void serviceAnswers();
}

/** Asks the service for a sign of life, once for all who ask at the same time. */
export function serviceAnswers(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}

/** The address of the service, without a slash at its end: of the path above that of this page. */
export function serviceAddress(): string {
  return new URL('..', location.href).href.replace(/\/$/, '');
}

/** Sends a request as the signed-in person. */
export function post(path: string, body: object, headers: object = {}, signal?: AbortSignal): Promise<Response> {
  // The page is at /console/ of the service, which a proxy may serve below a path.
  return fetch(`..${path}`, {
    method: 'POST',
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { 'content-type': 'application/json', 'x-latchkey-console': '1', ...headers },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

async function ask(): Promise<boolean> {
  const isThere = await post('/getConsoleSession', {}).then(
    (response) => !isOfGateway(response),
    () => false,
  );
  setAway(!isThere);
  return isThere;
}

/** Whether a proxy answered because it could not reach the service, whose own refusals have a code. */
export function isOfGateway({ status, headers }: Response): boolean {
  return status >= 502 && status <= 504 && !headers.has('latchkey-code');
}

/** Reloads the page if the service answers. Otherwise the browser would replace the page by an error of its own. */
export async function reloadIfThere(): Promise<boolean> {
  const isThere = await serviceAnswers();
  if (isThere) location.reload();
  return isThere;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** The present state of the connection. */
export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => (!navigator.onLine ? 'offline' : isAway ? 'away' : 'there'));
}
