/** The short form of `npm run chaos`. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../support/databases.ts';
import { runChaos } from './chaos-run.ts';

for (const engine of engines)
  describe(`a service on ${engine} to which one thing after the other happens`, () => {
    it('keeps everything it acknowledged, does nothing twice, and keeps its limits', async (test) => {
      const seed = randomInt(2 ** 31);
      test.diagnostic(`seed ${seed}`);
      const { comparisons, ledgers, mails } = await runChaos({
        engine,
        seed,
        durationMs: 8_000,
        say: (line) => test.diagnostic(line),
      });
      assert.ok(
        mails.some((each) => each.mails > 0),
        'no mail was promised',
      );
      assert.ok(comparisons > 0 && ledgers.every(({ changes }) => changes > 50), JSON.stringify(ledgers));
    });
  });
