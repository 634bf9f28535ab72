/** The short form of `npm run shops`. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { it } from 'node:test';
import { runShops } from './shops-run.ts';

it('every paid sale of eight sellers becomes a license or waits for a person, whatever happens to two nodes', async (test) => {
  const seed = randomInt(2 ** 31);
  test.diagnostic(`seed ${seed}`);
  const tally = await runShops({ seed, durationMs: 20_000, say: (line) => test.diagnostic(line) });
  test.diagnostic(JSON.stringify(tally));
  assert.ok(tally.licensed > 20 && tally.kills > 0 && tally.unpaid > 0, JSON.stringify(tally));
});
