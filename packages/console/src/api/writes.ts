/** Writes as React uses them: one Idempotency-Key for each thing that a person wants, however often they press. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call } from './call.ts';
import type { Path, ReplyOf, RequestOf } from './contract.ts';
import { refreshAfter } from './keys.ts';
import type { Refusal } from './refusal.ts';

/** Values that the service keeps no answer for: a try must be answered anew each time. */
type Tried = { readonly dryRun?: boolean };

/**
 * Writes to an endpoint. The Idempotency-Key stays the same while the same request is sent again, and is another one for
 * another request and after a success. What the write made stale is read anew before the promise ends.
 */
export function useWrite<At extends Path>(path: At): UseMutationResult<ReplyOf<At>, Refusal, RequestOf<At>> {
  const client = useQueryClient();
  const sent = useRef<{ readonly request: string; readonly key: string } | null>(null);
  return useMutation<ReplyOf<At>, Refusal, RequestOf<At>>({
    mutationFn: async (request) => {
      if ((request as Tried).dryRun === true) return call(path, request);
      const text = JSON.stringify(request);
      if (sent.current?.request !== text) sent.current = { request: text, key: newIdempotencyKey() };
      const reply = await call(path, request, { idempotencyKey: sent.current.key });
      sent.current = null;
      await refreshAfter(client, path);
      return reply;
    },
  });
}

/** A key that no other write has. */
export function newIdempotencyKey(): string {
  return crypto.randomUUID();
}
