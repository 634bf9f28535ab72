/**
 * One action on many items: ordinary calls, four at a time. Each call has its own Idempotency-Key, which stays the same
 * when the person presses the button again. Calls that succeeded are not repeated. A stop lets the sent calls end and
 * sends no more; the next press goes on.
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
/** The states of thousands of items change faster than a page can show them. */
const SHOWN_EVERY_MS = 100;

/** The state of one item. `skipped`: there was nothing to do. */
export type BulkState<Reply, Request = unknown> =
  | { readonly state: 'waiting' | 'sent' | 'skipped' }
  | {
      readonly state: 'done';
      readonly reply: Reply;
      readonly request: Request;
      /** Why its note was not written; absent without a note, and with a written one. */
      readonly noteRefusal?: Refusal;
    }
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
  /** Items that are done, but whose notes were refused. */
  readonly noteless: number;
  /** Items that were not sent before the stop; 0 while the action runs. */
  readonly left: number;
  /** Sends all calls that have not succeeded yet. Resolves when all are answered, or after a stop. */
  readonly run: () => Promise<void>;
  readonly stop: () => void;
}

/**
 * Prepares an action on many items.
 *
 * @param requests one request per item, by a name for the item, for example the license key
 * @param noteOf the note that is written once an item is done; null for none
 */
export function useBulk<At extends Path>(
  path: At,
  requests: ReadonlyMap<string, BulkRequest<At>>,
  noteOf: (name: string) => RequestOf<'/addNote'> | null = () => null,
): Bulk<ReplyOf<At>, RequestOf<At>> {
  type State = BulkState<ReplyOf<At>, RequestOf<At>>;
  const client = useQueryClient();
  const keys = useRef(new Map<string, string>());
  /** Looked-up requests whose effect is unknown, by name of the item. */
  const unsettled = useRef(new Map<string, RequestOf<At>>());
  /** The states as they are; the shown ones follow. */
  const live = useRef(new Map<string, State>());
  const showing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isStopped = useRef(false);
  const [states, setStates] = useState<ReadonlyMap<string, State>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const show = () => {
    clearTimeout(showing.current);
    showing.current = undefined;
    setStates(new Map(live.current));
  };
  const set = (name: string, state: State) => {
    live.current.set(name, state);
    showing.current ??= setTimeout(show, SHOWN_EVERY_MS);
  };
  const keyFor = (name: string, request: object): string => {
    const sent = `${name} ${JSON.stringify(request)}`;
    const key = keys.current.get(sent) ?? newIdempotencyKey();
    keys.current.set(sent, key);
    return key;
  };
  const act = async (name: string, prepared: BulkRequest<At>): Promise<State> => {
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
  /** Writes the note of an item that is done. */
  const noted = async (name: string, state: State): Promise<State> => {
    const note = noteOf(name);
    if (state.state !== 'done' || note === null) return state;
    const { reply, request } = state;
    try {
      await call('/addNote', note, { idempotencyKey: keyFor(`note ${name}`, note) });
      return { state: 'done', reply, request };
    } catch (error) {
      return { state: 'done', reply, request, noteRefusal: asRefusal(error) };
    }
  };
  const run = async () => {
    setRunning(true);
    isStopped.current = false;
    const open = [...requests].filter(([name]) => isOpen(live.current.get(name)));
    for (const [name] of open) if (live.current.get(name)?.state !== 'done') set(name, { state: 'waiting' });
    show();
    await runBounded(
      AT_ONCE,
      open,
      async ([name, request]) => {
        const before = live.current.get(name);
        if (before?.state !== 'done') set(name, { state: 'sent' });
        set(name, await noted(name, before?.state === 'done' ? before : await act(name, request)));
      },
      () => isStopped.current,
    );
    await refreshAfter(client, path);
    show();
    setRunning(false);
  };
  const count = (state: State['state']) => [...states.values()].filter((each) => each.state === state).length;
  return {
    states,
    isRunning,
    done: count('done'),
    skipped: count('skipped'),
    refused: count('refused'),
    noteless: [...states.values()].filter((each) => isOpen(each) && each.state === 'done').length,
    left: isRunning ? 0 : count('waiting'),
    run,
    stop: () => {
      isStopped.current = true;
    },
  };
}

/** Whether something is left to send for an item. */
function isOpen(state: BulkState<unknown> | undefined): boolean {
  if (state?.state === 'done') return state.noteRefusal !== undefined;
  return state?.state !== 'skipped';
}

/** Whether a refusal proves that the request changed nothing: the service judged it, and refused it. */
function isSettled({ status }: Refusal): boolean {
  return status >= 400 && status < 500 && status !== 429;
}
