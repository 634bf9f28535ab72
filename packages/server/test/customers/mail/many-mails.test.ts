/** The short form of the proof `mails` of `npm run deliver`: arrivals, never durations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeToAll } from '../../deliver/mails-run.ts';
import { engines } from '../../support/databases.ts';

for (const engine of engines)
  describe(`e-mails to many customers on ${engine}`, () => {
    it('arrive once each, also those that the mail server takes later, while other calls are answered', async () => {
      const { errors, refused } = await writeToAll(engine, { mails: 200, perSecond: 200 });
      assert.deepEqual(errors, []);
      assert.ok(refused >= 3, `${refused} were refused at first`);
    });
  });
