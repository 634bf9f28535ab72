/** A short form of `npm run outage`: the same month with fewer apps. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { playMonth } from './month.ts';

it('a month of outages stops no app that has paid, and none that was revoked goes on past the end of its file', async () => {
  const said: string[] = [];
  const tally = await playMonth({ apps: 24, appsOfLicense: 2, workingHours: 0.5, say: (line) => said.push(line) });
  assert.deepEqual(tally.wrong, [], said.join('\n'));
  assert.ok(tally.revoked >= 18 && tally.paid >= 8, JSON.stringify(tally));
  assert.ok(tally.daysInGrace > 100, JSON.stringify(tally));
});
