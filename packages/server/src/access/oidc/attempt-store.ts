/** The attempts whose answer arrived, so that each counts once. */
import { statement, type Tx } from '../../storage/contract/storage.ts';

const insert = statement(
  'provider_attempt.insert',
  'insert into provider_attempt (attempt_id, expires_at) values ($1, $2) on conflict (attempt_id) do nothing',
);

/** Uses up an attempt; returns false for all callers but one. */
export async function useUpAttempt(tx: Tx, attemptId: string, expiresAt: string): Promise<boolean> {
  return (await tx.run(insert, attemptId, expiresAt)) === 1;
}
