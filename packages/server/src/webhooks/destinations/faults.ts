/** Conditions in which events are not sent although nobody asked for it. */
import { counted } from '../../ground/base/count-words.ts';
import { NEWEST } from '../../platform/endpoint/page.ts';
import { openSecret, type SecretsKey } from '../../platform/sealing/seal.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { countCopied } from './count-store.ts';
import { listDestinations } from './listing-store.ts';

/** Newest destinations whose secrets are opened as a trial; all have the same key unless it was replaced. */
const MAX_OPENED = 100;

/** Returns warnings for the operator, as sentences without a full stop. `key` is the one of this node. */
export async function destinationWarnings(sql: Sql, key: SecretsKey | null): Promise<string[]> {
  const copied = await countCopied(sql);
  const tried = await listDestinations(sql, {}, NEWEST, MAX_OPENED);
  const sealed = tried.filter(
    ({ secret, destinationId }) => key === null || openSecret(secret, destinationId, key) === null,
  ).length;
  return [
    ...(copied === 0
      ? []
      : [
          `${counted(copied, 'destination')} paused by copy or restore: no events are sent there until ` +
            'resume-destinations or /resumeDestination',
        ]),
    ...(sealed === 0
      ? []
      : [
          `${counted(sealed, 'destination')} with a secret that this node cannot open, so it sends nothing there: ` +
            'LATCHKEY_SECRETS_KEY, or the file secrets-key of the data directory, must be the one under which the ' +
            'destinations were made',
        ]),
  ];
}
