import type { Scope } from '../endpoint/caller.ts';
import { type Refusal, refuse } from '../endpoint/refusals.ts';
import { OPERATOR } from './brand.ts';

/** The key of the brand that a caller means; refuses an API key that names another creator. */
export function brandKey(given: string | undefined, { creatorId }: Scope): string | Refusal<'creator_mismatch'> {
  if (creatorId === null) return given ?? OPERATOR;
  return given === undefined || given === creatorId ? creatorId : refuse('creator_mismatch');
}
