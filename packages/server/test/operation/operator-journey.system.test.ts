/**
 * `npm run operator-journey`: the procedures of docs/operators/operations.md, from the package to the loss of a primary
 * PostgreSQL.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runProgram } from '../support/command.ts';

describe('the journey of an operator', { skip: process.platform === 'win32' && 'npm makes other links there' }, () => {
  it('loses nothing acknowledged, and reports its observations', async () => {
    const { code, out, err } = await runProgram('scripts/operator-journey.ts', []);
    assert.equal(code, 0, err);
    assert.match(out, /^2\. start a second service on the port of the first\n {3}\S.*\d+/m);
    assert.match(out, /^ {3}\.\/backup\.db: \d+ bytes, \d+ licenses, .* [1-9]\d* licenses were issued meanwhile\.$/m);
    assert.match(out, /^ {3}all \d{3,} licenses and \d{3,} machines that were acknowledged are there$/m);
    assert.match(out, /^ {3}Restored .* all \d{3,} licenses and \d{3,} machines from before the backup are there, /m);
    assert.match(
      out,
      /^ {3}check names the table with [1-9]\d* damaged pages\. (Added: .*license \d+.* All [1-9]\d* are served|Not recovered: no sqlite3 with \.recover is installed)\.$/m,
    );
    assert.match(out, /^ {3}Carried over from .*: revoked 1 license, /m);
    assert.match(out, /^ {3}Copied [1-9]\d{3,} rows in \d+ tables\. Source and target are equal\.$/m);
    assert.match(
      out,
      /^ {3}each node has the \d{3,} licenses and \d{3,} machines of the restored backup, and nothing else$/m,
    );
    assert.match(out, /^ {3}both nodes knew it .* all (\d{3,}) licenses that were acknowledged are there once; /m);
    assert.match(out, /^ {3}check and serve refuse it, and say: set pool_mode = session there, /m);
    const back =
      / {3}the service was back \d+ ms after the promotion, \d+ ms after the loss; all (\d{3,}) licenses .* once, /;
    const issued = back.exec(out)?.[1];
    assert.match(out, new RegExp(`^ {3}${issued} orders were answered with the licenses that they had`, 'm'));
    assert.match(out, /^Everything is as it should be\.$/m);
  });
});
