/** A short form of `npm run outage`: the same month with fewer apps. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { playMonth } from './play-month.ts';

it('a month of outages stops no app that has paid, and none that was revoked goes on past the end of its file', async () => {
  const said: string[] = [];
  const tally = await playMonth({
    apps: 12,
    appsOfLicense: 1,
    workingHours: 0.5,
    isShort: true,
    say: (line) => said.push(line),
  });
  assert.deepEqual(tally.wrong, [], said.join('\n'));
  assert.ok(tally.revoked >= 9 && tally.paid >= 4, JSON.stringify(tally));
  assert.ok(tally.daysInGrace > 50, JSON.stringify(tally));
});
