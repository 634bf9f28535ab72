/** Calls that prepare a journey and must succeed. */
import assert from 'node:assert/strict';
import type { Answer } from '../../../server/test/support/app.ts';

/** The body of an answer. The test fails unless it has this status, 200 by default. */
export async function mustSucceed(call: Promise<Answer>, status = 200): Promise<Answer['body']> {
  const answer = await call;
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}
