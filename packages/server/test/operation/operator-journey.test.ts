/** `npm run operator-journey`: what docs/operations.md describes, from the package to the restored backup. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runProgram } from '../support/command.ts';

describe('the journey of an operator', { skip: process.platform === 'win32' && 'npm makes other links there' }, () => {
  it('loses nothing that was acknowledged, and says what it saw', async () => {
    const { code, out, err } = await runProgram('scripts/operator-journey.ts', []);
    assert.equal(code, 0, err);
    assert.match(out, /^ {3}\.\/backup\.db: \d+ bytes, \d+ licenses, .* [1-9]\d* licenses were issued meanwhile\.$/m);
    assert.match(out, /^ {3}all \d{3,} licenses and \d{3,} machines that were acknowledged are there$/m);
    assert.match(out, /^ {3}Restored .* all \d{3,} licenses and \d{3,} machines from before the backup are there, /m);
    assert.match(out, /^Everything is as it should be\.$/m);
  });
});
