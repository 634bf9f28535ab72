import { type Identify, needsCredential } from '../../platform/endpoint/caller.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { findApiKey } from './store.ts';

/**
 * Identifies the caller by a secret or an API key (rules 5.1, 5.2). Every failure says `Unauthorized`, regardless of
 * its kind. Console sessions are identified elsewhere (access/console/identify.ts).
 */
export const identify: Identify = async (sql, credential, { access }) => {
  if (access === 'client') return { kind: 'client' };
  if (credential.kind === 'none') return needsCredential(access) ? refuse('unauthorized') : { kind: 'client' };
  if (credential.kind === 'session' || credential.kind === 'signIn') return refuse('unauthorized');
  if (credential.kind !== 'apiKey') return { kind: credential.kind };
  const key = await findApiKey(sql, credential.hash);
  if (key === undefined || !key.active)
    return needsCredential(access) ? refuse('unauthorized') : { kind: 'client', showedUnknownKey: true };
  if (credential.beside !== 'none') return { kind: credential.beside };
  return access === 'superAdmin'
    ? refuse('unauthorized')
    : { kind: 'creator', creatorId: key.creatorId, keyName: key.name, keyHash: key.hash };
};
