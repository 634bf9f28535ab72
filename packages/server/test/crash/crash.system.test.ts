/** The short form of `npm run crash-test`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../support/databases.ts';
import { crashRounds } from './crash-rounds.ts';

for (const engine of engines)
  describe(`a server on ${engine} that is killed under load`, () => {
    it('has kept every license, activation and deactivation that it acknowledged, and sends each event', async () => {
      const { licenses, activations, deactivations, sent } = await crashRounds(engine, 2, () => {});
      assert.ok(licenses > 0 && activations > 0 && deactivations > 0 && sent > 0, 'the load was none');
    });
  });
