/** Sends one call to the service, trying all its addresses, and classifies the result: good, refused or unreachable. */
import { type ClientEndpoint, type Refusal, refusalIn, retryAfterMsOf } from './refusals.ts';
import { type Replies, replyIn } from './replies.ts';
import type { Problem } from './state.ts';
import { type Transport, TransportFailure, type TransportReply } from './transport.ts';

/** The result of a call. `serverTime` is the time in the reply, milliseconds since 1970; null if it has none. */
export type Called<Reply> =
  | { readonly kind: 'good'; readonly reply: Reply; readonly serverTime: number | null }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly serverTime: number | null }
  | { readonly kind: 'unreachable'; readonly problem: Problem; readonly retryAfterMs: number | null };

/** The result of a call that the problem of an earlier call prevents. */
export function prevented(problem: Problem): Extract<Called<never>, { readonly kind: 'unreachable' }> {
  return { kind: 'unreachable', problem, retryAfterMs: null };
}

/** Whether another key has taken the place of the one that was sent. */
export function isOfReplacedKey(
  called: Called<unknown>,
): called is Extract<Called<never>, { readonly kind: 'refused' }> {
  return called.kind === 'refused' && called.refusal.code === 'license_replaced';
}

/** The addresses and the transport for calls. */
export interface Line {
  readonly servers: readonly string[];
  readonly transport: Transport;
  readonly timeoutMs: number;
}

/** Calls an endpoint. If an address is unreachable or its reply is not the service's, tries the next one. */
export async function call<Endpoint extends ClientEndpoint>(
  line: Line,
  endpoint: Endpoint,
  fields: Readonly<Record<string, string | number | boolean>>,
): Promise<Called<Replies[Endpoint]>> {
  const body = JSON.stringify(fields);
  return overServers(line, endpoint, body, (answer) => {
    const parsed = parse(answer.text);
    const serverTime = timeIn(answer);
    const reply = answer.status === 200 ? replyIn(endpoint, parsed) : null;
    if (reply !== null) return { kind: 'good', reply, serverTime };
    const refusal = refusalIn(endpoint, answer, parsed);
    return refusal === null ? null : { kind: 'refused', refusal, serverTime };
  });
}

/** The signed lists of signing keys that the service publishes; empty if there are none. */
export async function fetchKeyLists(line: Line): Promise<readonly string[]> {
  const called = await overServers<readonly string[]>(line, '/.well-known/latchkey-keys.json', null, (answer) => {
    const { keys } = ((answer.status === 200 ? parse(answer.text) : null) ?? {}) as { readonly keys?: unknown };
    if (!Array.isArray(keys)) return null;
    return { kind: 'good', reply: keys.filter((list) => typeof list === 'string'), serverTime: null };
  });
  return called.kind === 'good' ? called.reply : [];
}

/** Tries the addresses in order until one replies as the service does. */
async function overServers<Reply>(
  { servers, transport, timeoutMs }: Line,
  path: string,
  body: string | null,
  read: (answer: TransportReply) => Called<Reply> | null,
): Promise<Called<Reply>> {
  let last: Called<Reply> | undefined;
  for (const server of servers) {
    let answer: TransportReply;
    try {
      answer = await transport({ url: server + path, body, timeoutMs });
    } catch (error) {
      last ??= { kind: 'unreachable', problem: problemOf(error, server), retryAfterMs: null };
      continue;
    }
    const called = read(answer);
    if (called !== null) return called;
    const isBusy = answer.status === 429 || answer.status === 503;
    const detail = `${server} answered ${answer.status}, which says nothing about the license`;
    last ??= {
      kind: 'unreachable',
      problem: { kind: isBusy ? 'busy' : 'answer', detail },
      retryAfterMs: retryAfterMsOf(answer),
    };
  }
  return last as Called<Reply>;
}

function problemOf(error: unknown, server: string): Problem {
  const kind = error instanceof TransportFailure ? error.kind : 'network';
  return { kind, detail: `${server} could not be reached: ${error instanceof Error ? error.message : String(error)}` };
}

/** The value of a JSON text; null for any other text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The `Date` header. */
function timeIn({ headers }: TransportReply): number | null {
  const time = Date.parse(headers.date ?? '');
  return Number.isNaN(time) ? null : time;
}
