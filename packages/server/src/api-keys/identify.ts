import type { Identify } from '../endpoint/caller.ts';
import { refuse } from '../refusals.ts';
import { findCreatorByKey } from './store.ts';

/**
 * Who shows this credential (specification, "Authentication", "Scoping rules"). A failure says `Unauthorized`, whichever
 * kind it was.
 */
export const identify: Identify = async (sql, credential, access) => {
  if (access === 'client') return { kind: 'client' };
  if (credential.kind === 'none') return refuse('unauthorized');
  if (credential.kind !== 'apiKey') return { kind: credential.kind };
  const creatorId = await findCreatorByKey(sql, credential.hash);
  if (creatorId === undefined) return refuse('unauthorized');
  if (credential.beside !== 'none') return { kind: credential.beside };
  return access === 'superAdmin' ? refuse('unauthorized') : { kind: 'creator', creatorId };
};
