/** Signing in to the console as its page does, and calling endpoints with the session. */
import assert from 'node:assert/strict';
import { hashApiKey } from '../../src/platform/endpoint/caller.ts';
import type { Answer, TestApp } from './app.ts';

/** Headers that the page's own calls carry beside the cookie. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'x-latchkey-console': '1',
  'sec-fetch-site': 'same-origin',
};

/** A signed-in person. */
export interface SignedIn {
  /** The reply to /createConsoleSession. */
  readonly answer: Answer;
  /** The cookie as the browser sends it: name and value. */
  readonly cookie: string;
  /** Calls an endpoint as the page does; `headers` replace its own. */
  call(
    path: string,
    body?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
}

/** The value of the header `Set-Cookie`, which occurs once at most. */
export function setCookieOf({ headers }: Answer): string | undefined {
  const given = headers['set-cookie'];
  assert.ok(given === undefined || given.length === 1);
  return given?.[0];
}

/** Signs in; fails the test when that is refused. */
export async function signIn(app: TestApp, fields: Readonly<Record<string, unknown>>): Promise<SignedIn> {
  const answer = await app.send('/createConsoleSession', fields, { headers: PAGE_HEADERS });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const cookie = setCookieOf(answer)?.split(';')[0];
  assert.ok(cookie !== undefined);
  return {
    answer,
    cookie,
    call: (path, body = {}, headers = {}) => app.send(path, body, { headers: { ...PAGE_HEADERS, cookie, ...headers } }),
  };
}

/** The id of a session, which is the hash of its cookie's value. */
export function sessionIdOf({ cookie }: SignedIn): string {
  return hashApiKey(cookie.split('=')[1] ?? '');
}

/** Makes an operator key and returns it raw. */
export async function operatorKey(app: TestApp, role: string, name = `One of ${role}`): Promise<string> {
  const { status, body } = await app.admin('/createOperatorKey', { name, role });
  assert.equal(status, 200, JSON.stringify(body));
  return body.operatorKey;
}

/**
 * Waits until the use of a session at the app's present time is stored, which happens after the reply. If it never is,
 * the test's time limit ends the wait.
 */
export async function usedNow(app: TestApp, sessionId: string): Promise<void> {
  let lastSeenAt = '';
  while (lastSeenAt !== app.clock.at()) {
    const { body } = await app.admin('/listConsoleSessions', { limit: 1000 });
    const listed = body.sessions.find((each: { sessionId: string }) => each.sessionId === sessionId);
    assert.ok(listed !== undefined);
    lastSeenAt = listed.lastSeenAt;
  }
}
