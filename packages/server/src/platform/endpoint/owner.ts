import type { Scope } from './caller.ts';
import { type Refusal, refuse } from './refusals.ts';

/** The owner that a caller means, null for the operator; refuses an API key that names another creator. */
export function ownerOf(given: string | undefined, { creatorId }: Scope): Scope | Refusal<'creator_mismatch'> {
  if (creatorId !== null && given !== undefined && given !== creatorId) return refuse('creator_mismatch');
  return { creatorId: creatorId ?? given ?? null };
}
