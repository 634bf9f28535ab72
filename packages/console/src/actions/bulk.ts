/**
 * One action on many things: ordinary calls, four at a time, each with an Idempotency-Key of its own that stays the same
 * when somebody presses again. What succeeded is not sent again.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../api/call.ts';
import type { Path, ReplyOf, RequestOf } from '../api/contract.ts';
import { refreshAfter } from '../api/keys.ts';
import { asRefusal, type Refusal } from '../api/refusal.ts';
import { newIdempotencyKey } from '../api/writes.ts';
import { runBounded } from './run-bounded.ts';

/** Calls at once. */
const AT_ONCE = 4;

/** How one of them stands. */
export type BulkState<Reply> =
  | { readonly state: 'waiting' | 'sent' }
  | { readonly state: 'done'; readonly reply: Reply }
  | { readonly state: 'refused'; readonly refusal: Refusal };

/** A bulk action under way or done. */
export interface Bulk<Reply> {
  /** By the name that the caller gave each. */
  readonly states: ReadonlyMap<string, BulkState<Reply>>;
  readonly isRunning: boolean;
  readonly done: number;
  readonly refused: number;
  /** Sends what is not done yet. Answers once all are answered. */
  readonly run: () => Promise<void>;
}

/**
 * Prepares an action on many.
 *
 * @param requests what is sent, by a name for each, such as the license key
 */
export function useBulk<At extends Path>(path: At, requests: ReadonlyMap<string, RequestOf<At>>): Bulk<ReplyOf<At>> {
  const client = useQueryClient();
  const keys = useRef(new Map<string, string>());
  const [states, setStates] = useState<ReadonlyMap<string, BulkState<ReplyOf<At>>>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const set = (name: string, state: BulkState<ReplyOf<At>>) => setStates((before) => new Map(before).set(name, state));
  const keyFor = (name: string, request: RequestOf<At>): string => {
    const sent = `${name} ${JSON.stringify(request)}`;
    const key = keys.current.get(sent) ?? newIdempotencyKey();
    keys.current.set(sent, key);
    return key;
  };
  const run = async () => {
    setRunning(true);
    const open = [...requests].filter(([name]) => states.get(name)?.state !== 'done');
    for (const [name] of open) set(name, { state: 'waiting' });
    await runBounded(AT_ONCE, open, async ([name, request]) => {
      set(name, { state: 'sent' });
      try {
        set(name, { state: 'done', reply: await call(path, request, { idempotencyKey: keyFor(name, request) }) });
      } catch (error) {
        set(name, { state: 'refused', refusal: asRefusal(error) });
      }
    });
    await refreshAfter(client, path);
    setRunning(false);
  };
  const all = [...states.values()];
  return {
    states,
    isRunning,
    done: all.filter(({ state }) => state === 'done').length,
    refused: all.filter(({ state }) => state === 'refused').length,
    run,
  };
}
