/** `npm run lockstep`: this version beside itself, on both engines. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type ComparedService, LentClock, startCompared } from '../../scripts/lockstep/compared-service.ts';
import { readOtherVersion } from '../../scripts/lockstep/other-version.ts';
import { runInLockstep } from '../../scripts/lockstep/run.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { engines } from '../support/databases.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const other = readOtherVersion(ROOT);

/** Refuses unknown licenses with another text in calls of apps, which are never sent again. */
function withAnotherText(service: ComparedService): ComparedService {
  return {
    ...service,
    async ask(call) {
      const answer = await service.ask(call);
      if (!['/activate', '/validate', '/verify', '/heartbeat', '/deactivate'].includes(call.url)) return answer;
      return { ...answer, body: answer.body.replace('"License not found"', '"No such license"') };
    },
  };
}

for (const engine of engines)
  describe(`this version in lockstep with itself on ${engine}`, () => {
    it('answers the same calls in the same way, and a changed text is found', async (test) => {
      const directory = mkdtempSync(join(tmpdir(), 'latchkey-lockstep-'));
      const clock = new LentClock(directory);
      test.after(() => rmSync(directory, { recursive: true }));
      const here = await startCompared(ROOT, engine, clock);
      test.after(here.stop);
      const beside = await startCompared(ROOT, engine, clock);
      test.after(beside.stop);
      const alike = await runInLockstep({ services: { here, beside }, clock, other, seed: 1, calls: 300 });
      assert.deepEqual(alike.differences, []);
      assert.equal(alike.calls, 300);
      assert.deepEqual([...alike.additions], []);
      assert.ok((alike.statuses[200] ?? 0) > 100, JSON.stringify(alike.statuses));

      const changed = { here, beside: withAnotherText(beside) };
      const found = await runInLockstep({ services: changed, clock, other, seed: 2, calls: 150 });
      assert.ok(found.differing > 0);
      for (const { place, here: text, beside: otherText } of found.differences)
        assert.deepEqual([place, text, otherText], ['body.error', 'License not found', 'No such license']);
      assert.ok(!JSON.stringify(found.differences).includes(ADMIN_SECRET));
    });
  });
