/** The history of a license: changes, notes, refusals and violations in one list. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../../src/ground/base/clock.ts';
import { inspect } from '../../../support/answers.ts';
import type { Answer } from '../../../support/app.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { historyWithRefusals } from '../../../support/kept-refusals.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

type Entry = Answer['body'];

/** An entry in a few words. */
function wordsOf({ kind, event, refusal, violation }: Entry): string {
  if (kind === 'note') return `note: ${event.after.text}`;
  if (kind === 'refusal') return `${refusal.code} of ${refusal.hostname} ×${refusal.count}`;
  return kind === 'violation' ? `${violation.type} ×${violation.occurrences}` : event.type;
}

for (const engine of engines)
  describe(`the history of a license on ${engine}`, () => {
    const app = startedApp(engine, {}, undefined, { memory: { refusalIntervalMs: 10 } });

    /** A license that was bought, activated, refused to another machine three times, and given a note. */
    async function eventful(): Promise<string> {
      const licenseKey = await app.license({ maxMachines: 1 });
      app.clock.move(MINUTE_MS);
      await new Machine(app, licenseKey, 'desk').activated();
      const road = new Machine(app, licenseKey, 'road');
      for (let time = 0; time < 3; time++) {
        app.clock.move(MINUTE_MS);
        assert.equal((await road.activate()).status, 403);
      }
      app.clock.move(HOUR_MS);
      await mustSucceed(app.admin('/addNote', { licenseKey, text: 'Called twice.' }));
      await historyWithRefusals(app, licenseKey, 3);
      return licenseKey;
    }

    it('is answered on request, with all entries, newest first', async () => {
      const licenseKey = await eventful();
      const [plain, full] = await Promise.all([
        inspect(app, licenseKey),
        mustSucceed(app.admin('/getLicense', { licenseKey, history: true })),
      ]);
      assert.deepEqual(['history' in plain, 'nextHistoryCursor' in full], [false, false]);
      assert.deepEqual(full.history.map(wordsOf).slice(0, 1), ['note: Called twice.']);
      assert.deepEqual(
        new Set(full.history.slice(1).map(wordsOf)),
        new Set([
          'machine_limit of host of road ×3',
          'machine_limit ×3',
          'violation.opened',
          'activation.created',
          'license.created',
        ]),
      );
      const times = full.history.map(({ at }: Entry) => at);
      assert.deepEqual(times, times.toSorted().reverse());
      const { refusal } = full.history.find(({ kind }: Entry) => kind === 'refusal');
      assert.deepEqual(
        [refusal.endpoint, refusal.machineFingerprint, refusal.details, refusal.firstAt, refusal.lastAt],
        ['/activate', 'road', { limit: 1 }, app.clock.at(-HOUR_MS - 2 * MINUTE_MS), app.clock.at(-HOUR_MS)],
      );
    });

    it('comes in pages, each entry once', async () => {
      const licenseKey = await eventful();
      const { history } = await mustSucceed(app.admin('/getLicense', { licenseKey, history: true }));
      for (const historyLimit of [1, 2, 4]) {
        const paged: Entry[] = [];
        let historyCursor: string | undefined;
        do {
          const page = await mustSucceed(
            app.admin('/getLicense', { licenseKey, history: true, historyLimit, historyCursor }),
          );
          assert.ok(page.history.length <= historyLimit);
          paged.push(...page.history);
          historyCursor = page.nextHistoryCursor;
        } while (historyCursor !== undefined);
        assert.deepEqual(paged, history);
      }
    });

    it('is shown to an API key for its own licenses only', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product());
      const { history } = await mustSucceed(creator.send('/getLicense', { licenseKey, history: true }));
      assert.deepEqual(history.map(wordsOf), ['license.created']);
      const foreign = await creator.send('/getLicense', { licenseKey: await eventful(), history: true });
      assert.equal(foreign.status, 404);
    });

    for (const fields of [
      { history: 'yes' },
      { historyLimit: 0 },
      { historyLimit: 1001 },
      { historyCursor: 'nonsense' },
      { historyCursor: Buffer.from('evt_x\n').toString('base64url') },
      { historyCursor: Buffer.from('\na\0').toString('base64url') },
    ])
      it(`400 for ${JSON.stringify(fields)}`, async () => {
        const answer = await app.admin('/getLicense', { licenseKey: await app.license(), ...fields });
        assert.equal(answer.status, 400);
        assert.match(answer.body.error, new RegExp(Object.keys(fields)[0] as string));
      });

    it('shows machines whose names are as long as they may be, and /explainLicense does', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'desk').activated();
      const [fingerprint, hostname] = ['\u{1F600}'.repeat(512), '\u{1F4BB}'.repeat(255)];
      const activation = { licenseKey, machineFingerprint: fingerprint, hostname, productId: 'app' };
      assert.equal((await app.send('/activate', activation)).status, 403);
      const { refusal } = (await historyWithRefusals(app, licenseKey, 1)).find(({ kind }) => kind === 'refusal');
      assert.deepEqual([refusal.machineFingerprint, refusal.hostname], [fingerprint, hostname]);
      const { machine, lastRefusals } = await mustSucceed(app.admin('/explainLicense', { licenseKey }));
      assert.deepEqual([machine.fingerprint, machine.hostname], [fingerprint, hostname]);
      assert.equal(lastRefusals[0].machineFingerprint, fingerprint);
    });
  });
