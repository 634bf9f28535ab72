/**
 * Sends a call to the service, as the person who is signed in. The cookie is added by the browser; the header
 * `X-Latchkey-Console` says that the console's own page sends it, which no other page can.
 */

import type { Path, ReplyOf, RequestOf } from './contract.ts';
import type { FailureCode } from './refusal.ts';
import { Refusal } from './refusal.ts';

/** How a call is sent. */
export interface CallOptions {
  /** The same for each try of one write, so that pressing again changes nothing twice. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Whether a session that is over is answered with a refusal at once, and not by asking to sign in again. */
  readonly withoutSigningIn?: boolean;
}

/** Asks the person to sign in again; true once there is a session, false if they would not. */
type AskToSignIn = () => Promise<boolean>;

/** The number of the request that each reply answers. */
const requestIds = new WeakMap<object, string>();

let askToSignIn: AskToSignIn = async () => false;

/** Says who asks to sign in again when a session is over. The shell does. */
export function onSessionOver(ask: AskToSignIn): void {
  askToSignIn = ask;
}

/**
 * Sends one call and answers its reply.
 *
 * A session that is over asks the person to sign in again, and then sends the same call once more: it was refused before
 * it could change anything.
 *
 * @throws {Refusal} where it is not answered with success
 */
export async function call<At extends Path>(
  path: At,
  request: RequestOf<At>,
  options: CallOptions = {},
): Promise<ReplyOf<At>> {
  try {
    return await send(path, request, options);
  } catch (error) {
    const isOver = error instanceof Refusal && error.code === 'unauthorized';
    if (!isOver || options.withoutSigningIn === true || !(await askToSignIn())) throw error;
    return send(path, request, options);
  }
}

/** The number of the request that a reply of {@link call} answers: events and the service's log name it; null if unknown. */
export function requestIdOf(reply: object): string | null {
  return requestIds.get(reply) ?? null;
}

async function send<At extends Path>(path: At, request: RequestOf<At>, options: CallOptions): Promise<ReplyOf<At>> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: 'POST',
      credentials: 'same-origin',
      cache: 'no-store',
      headers: {
        'content-type': 'application/json',
        'x-latchkey-console': '1',
        ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
      },
      body: JSON.stringify(request),
      signal: options.signal ?? null,
    });
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    throw new Refusal('unreachable', 'The service did not answer');
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) {
    const requestId = response.headers.get('x-request-id');
    if (requestId !== null) requestIds.set(body, requestId);
    return body as ReplyOf<At>;
  }
  throw refusalOf(response, body);
}

/** What an answer that is no success means. */
function refusalOf(response: Response, body: { readonly error?: unknown } | null): Refusal {
  const code = (response.headers.get('latchkey-code') ?? (response.ok ? 'unreachable' : 'unexpected')) as FailureCode;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Refusal(code, typeof body?.error === 'string' ? body.error : `Answered ${response.status}`, {
    status: response.status,
    retryAfterSeconds: Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null,
    requestId: response.headers.get('x-request-id'),
  });
}
