/**
 * One action on many items: ordinary calls, four at a time. Each call has its own Idempotency-Key, which stays the same
 * when the person presses the button again. Calls that succeeded are not repeated.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call, requestIdOf } from '../api/call.ts';
import type { Path, ReplyOf, RequestOf } from '../api/contract.ts';
import { refreshAfter } from '../api/keys.ts';
import { asRefusal, type Refusal } from '../api/refusal.ts';
import { newIdempotencyKey } from '../api/writes.ts';
import { runBounded } from './run-bounded.ts';

/** Maximum number of concurrent calls. */
const AT_ONCE = 4;

/** The state of one item. `skipped`: there was nothing to do. */
export type BulkState<Reply, Request = unknown> =
  | { readonly state: 'waiting' | 'sent' | 'skipped' }
  | { readonly state: 'done'; readonly reply: Reply; readonly request: Request }
  | { readonly state: 'refused'; readonly refusal: Refusal };

/** The ID of the last answered request for an item; null without an answer or without a known ID. */
export function requestIdOfState(state: BulkState<object> | undefined): string | null {
  if (state?.state === 'done') return requestIdOf(state.reply);
  return state?.state === 'refused' ? state.refusal.requestId : null;
}

/**
 * The request for one item, or a function that looks it up first and returns null if there is nothing to do. After a
 * failure that leaves open whether the request had an effect, the same request is sent again without another look-up.
 */
export type BulkRequest<At extends Path> = RequestOf<At> | (() => Promise<RequestOf<At> | null>);

export interface Bulk<Reply, Request = unknown> {
  /** By the caller's name for each item. */
  readonly states: ReadonlyMap<string, BulkState<Reply, Request>>;
  readonly isRunning: boolean;
  readonly done: number;
  readonly skipped: number;
  readonly refused: number;
  /** Sends all calls that have not succeeded yet. Resolves when all are answered. */
  readonly run: () => Promise<void>;
}

/**
 * Prepares an action on many items.
 *
 * @param requests one request per item, by a name for the item, for example the license key
 */
export function useBulk<At extends Path>(
  path: At,
  requests: ReadonlyMap<string, BulkRequest<At>>,
): Bulk<ReplyOf<At>, RequestOf<At>> {
  type State = BulkState<ReplyOf<At>, RequestOf<At>>;
  const client = useQueryClient();
  const keys = useRef(new Map<string, string>());
  /** Looked-up requests whose effect is unknown, by name of the item. */
  const unsettled = useRef(new Map<string, RequestOf<At>>());
  const [states, setStates] = useState<ReadonlyMap<string, State>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const set = (name: string, state: State) => setStates((before) => new Map(before).set(name, state));
  const keyFor = (name: string, request: RequestOf<At>): string => {
    const sent = `${name} ${JSON.stringify(request)}`;
    const key = keys.current.get(sent) ?? newIdempotencyKey();
    keys.current.set(sent, key);
    return key;
  };
  const send = async (name: string, prepared: BulkRequest<At>): Promise<State> => {
    try {
      const lookedUp = unsettled.current.get(name);
      const request = lookedUp ?? (typeof prepared === 'function' ? await prepared() : prepared);
      if (request === null) return { state: 'skipped' };
      if (typeof prepared === 'function') unsettled.current.set(name, request);
      const reply = await call(path, request, { idempotencyKey: keyFor(name, request) });
      return { state: 'done', reply, request };
    } catch (error) {
      const refusal = asRefusal(error);
      if (isSettled(refusal)) unsettled.current.delete(name);
      return { state: 'refused', refusal };
    }
  };
  const run = async () => {
    setRunning(true);
    const open = [...requests].filter(([name]) => !['done', 'skipped'].includes(states.get(name)?.state ?? ''));
    for (const [name] of open) set(name, { state: 'waiting' });
    await runBounded(AT_ONCE, open, async ([name, request]) => {
      set(name, { state: 'sent' });
      set(name, await send(name, request));
    });
    await refreshAfter(client, path);
    setRunning(false);
  };
  const count = (state: State['state']) => [...states.values()].filter((each) => each.state === state).length;
  return {
    states,
    isRunning,
    done: count('done'),
    skipped: count('skipped'),
    refused: count('refused'),
    run,
  };
}

/** Whether a refusal proves that the request changed nothing: the service judged it, and refused it. */
function isSettled({ status }: Refusal): boolean {
  return status >= 400 && status < 500 && status !== 429;
}
