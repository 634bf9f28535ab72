/**
 * An app behind a trusted proxy that ends TLS. The test acts as the proxy, so its requests can state any client
 * address.
 */
import { startApp, type TestApp } from './app.ts';
import type { Engine } from './databases.ts';
import type { TestDatabase } from './test-database.ts';

/** A reply with the parts that limits set. */
export interface ProxiedAnswer {
  readonly status: number;
  /** Seconds; null without the header. */
  readonly retryAfter: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer
  readonly body: any;
}

/** Starts an app that trusts this machine as its proxy. */
export function startBehindProxy(
  engine: Engine,
  environment: Readonly<Record<string, string>> = {},
  shared?: TestDatabase,
): Promise<TestApp> {
  // Calls wait as long as a slow machine needs for a lock that a test holds.
  const patience = { lockTimeoutMs: 60_000, probeTimeoutMs: 60_000 };
  return startApp(engine, { LATCHKEY_TRUST_PROXY: '127.0.0.1', ...environment }, shared, patience);
}

/** Sends a request that the proxy received from an address; null: from one that it does not state. */
export async function sendFrom(
  app: TestApp,
  address: string | null,
  path: string,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<ProxiedAnswer> {
  const answer = await fetch(`http://127.0.0.1:${app.port}${path}`, {
    method: 'POST',
    headers: {
      'x-forwarded-proto': 'https',
      ...(address === null ? {} : { 'x-forwarded-for': address }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const retryAfter = answer.headers.get('retry-after');
  return {
    status: answer.status,
    retryAfter: retryAfter === null ? null : Number(retryAfter),
    body: await answer.json(),
  };
}

/** Sends this many at once. */
export function atOnce<Value>(count: number, send: (at: number) => Promise<Value>): Promise<Value[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => send(at)));
}

/** Number of replies by status. */
export function statusCounts(answers: readonly { readonly status: number }[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
