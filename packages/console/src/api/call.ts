/**
 * Calls the service as the signed-in person. The browser adds the cookie. The header `X-Latchkey-Console` proves that
 * the console's own page sends the call; no other page can set it.
 */
import { answered, isOfGateway, post, unanswered } from './connection.ts';
import type { Path, ReplyOf, RequestOf } from './contract.ts';
import { type FailureCode, Refusal } from './refusal.ts';

export interface CallOptions {
  /** The same for all attempts of one write, so that pressing again does not change anything twice. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Whether an ended session rejects at once instead of asking the person to sign in again. */
  readonly withoutSigningIn?: boolean;
}

/** Asks the person to sign in again. Resolves to true when there is a session, false if the person declines. */
type AskToSignIn = () => Promise<boolean>;

/** Request IDs by reply. */
const requestIds = new WeakMap<object, string>();

let askToSignIn: AskToSignIn = async () => false;

/** Registers the function that asks the person to sign in again. Called by the shell. */
export function onSessionOver(ask: AskToSignIn): void {
  askToSignIn = ask;
}

/**
 * Sends one call and returns its reply.
 *
 * If the session has ended, asks the person to sign in again and repeats the call, which is safe because it was refused
 * before it could change anything.
 *
 * @throws {Refusal} unless the service answers with success
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

/** The request ID of a reply of {@link call}, as events and the service's log name it; null if unknown. */
export function requestIdOf(reply: object): string | null {
  return requestIds.get(reply) ?? null;
}

async function send<At extends Path>(path: At, request: RequestOf<At>, options: CallOptions): Promise<ReplyOf<At>> {
  let response: Response;
  try {
    const { idempotencyKey, signal } = options;
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    response = await post(path, request, headers, signal);
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    unanswered();
    throw new Refusal('unreachable', 'The service did not answer');
  }
  if (isOfGateway(response)) {
    unanswered();
    throw new Refusal('unreachable', `A proxy answered ${response.status}`);
  }
  answered();
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) {
    const requestId = serviceRequestIdOf(response);
    if (requestId !== null) requestIds.set(body, requestId);
    return body as ReplyOf<At>;
  }
  throw refusalOf(response, body);
}

/**
 * The service's own id of a request, by which its events are found. A proxy may have given the request another one,
 * which `X-Request-Id` repeats.
 */
function serviceRequestIdOf({ headers }: Response): string | null {
  return headers.get('latchkey-request-id') ?? headers.get('x-request-id');
}

/** Converts a response other than a success into a refusal. */
function refusalOf(response: Response, body: { readonly error?: unknown } | null): Refusal {
  const code = (response.headers.get('latchkey-code') ?? (response.ok ? 'unreachable' : 'unexpected')) as FailureCode;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Refusal(code, typeof body?.error === 'string' ? body.error : `Answered ${response.status}`, {
    status: response.status,
    retryAfterSeconds: Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null,
    requestId: serviceRequestIdOf(response),
  });
}
