/** Tells whoever listens in this thread which changes were committed; costs nothing where nobody does. */
import { channel } from 'node:diagnostics_channel';
import type { Tx } from '../storage/storage.ts';
import type { Change } from './event.ts';

/** The name of the channel of `node:diagnostics_channel`. */
export const COMMITTED_CHANGES = 'latchkey.committed_changes';

/** What is told: the changes that one transaction recorded together. */
export type CommittedChanges = readonly (Pick<Change, 'type'> & Partial<Pick<Change, 'after'>>)[];

const committed = channel(COMMITTED_CHANGES);

/** Tells of changes once their transaction is committed. */
export function tellCommitted(tx: Tx, changes: CommittedChanges): void {
  if (!committed.hasSubscribers) return;
  tx.afterwards((isCommitted) => {
    if (isCommitted) committed.publish(changes);
  });
}
