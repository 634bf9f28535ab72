/** Writes as React mutations: one Idempotency-Key per intended change, no matter how often the button is pressed. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call } from './call.ts';
import type { Path, ReplyOf, RequestOf } from './contract.ts';
import { refreshAfter } from './keys.ts';
import { Refusal } from './refusal.ts';

/** The service stores no reply for dry runs, because each must be computed again. */
type Tried = { readonly dryRun?: boolean };

/**
 * Writes to an endpoint. The Idempotency-Key stays the same while the same request is repeated; another request, or the
 * first one after a success, gets a new key. Stale reads are refetched before the promise settles.
 */
export function useWrite<At extends Path>(path: At): UseMutationResult<ReplyOf<At>, Refusal, RequestOf<At>> {
  const client = useQueryClient();
  const sent = useRef<{ readonly request: string; readonly key: string } | null>(null);
  return useMutation<ReplyOf<At>, Refusal, RequestOf<At>>({
    mutationFn: async (request) => {
      if ((request as Tried).dryRun === true) return call(path, request);
      const text = JSON.stringify(request);
      if (sent.current?.request !== text) sent.current = { request: text, key: newIdempotencyKey() };
      const reply = await call(path, request, { idempotencyKey: sent.current.key }).catch(async (error: unknown) => {
        // The screen shows an old value.
        if (error instanceof Refusal && error.code === 'changed_meanwhile') await refreshAfter(client, path);
        throw error;
      });
      sent.current = null;
      await refreshAfter(client, path);
      return reply;
    },
  });
}

/** A random key. */
export function newIdempotencyKey(): string {
  return crypto.randomUUID();
}
