import type { RecordedTx } from '../../src/storage/contract/recorded.ts';
import type { Tx } from '../../src/storage/contract/storage.ts';

/** A transaction that writes recorded tables without an event, for rows that a test prepares. */
export function unrecorded(tx: Tx): RecordedTx {
  return tx as RecordedTx;
}
