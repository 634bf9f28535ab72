/**
 * Texts that callers choose are never joined to one name: with any blanks in them, each call is about the license and
 * the machine that it names, even in a batch with calls that look alike.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { endpointsByPath } from '../../src/app.ts';
import { systemClock } from '../../src/ground/base/clock.ts';
import { mintUuid } from '../../src/ground/base/random.ts';
import { insertLicenses } from '../../src/licensing/licenses/store.ts';
import { TokenKeys } from '../../src/licensing/session-tokens/token-keys.ts';
import type { BatchResult, Reply, UncheckedFields } from '../../src/platform/endpoint/endpoint.ts';
import { statement, tableOf } from '../../src/storage/contract/storage.ts';
import { requestContextAt, ruleContextOf } from '../support/contexts.ts';
import { engines } from '../support/databases.ts';
import { Machine } from '../support/machine.ts';
import { aLicense } from '../support/plain-license.ts';
import { startedApp } from '../support/started-app.ts';
import { startedStorage } from '../support/storages.ts';
import { unrecorded } from '../support/unrecorded.ts';

const listActivations = statement(
  'test_blanks.activations',
  (dialect) => `select a.license_key as "licenseKey", a.fingerprint as "fingerprint", a.hostname as "hostname"
    from ${dialect.table('$1', { license_key: 'text' })} r join activation a on a.license_key = r.license_key`,
);

/** Few letters and many blanks, so that many texts look alike once they are joined. */
const blanky = fc.string({ unit: fc.constantFrom('A', ' ', ' '), minLength: 1, maxLength: 5 });
const machine = fc.record({ key: blanky, fingerprint: blanky, hostname: blanky });
const machines = fc.uniqueArray(machine, {
  minLength: 2,
  maxLength: 40,
  size: 'max',
  selector: ({ key, fingerprint }) => JSON.stringify([key.replaceAll(' ', ''), fingerprint]),
});

for (const engine of engines)
  describe(`texts with blanks on ${engine}`, () => {
    const app = startedApp(engine);
    const storage = startedStorage(engine);
    const tokenKeys = new TokenKeys();
    const ruleContext = ruleContextOf(tokenKeys);
    before(() => tokenKeys.open(storage, systemClock));

    const decide = async (path: `/${string}`, fields: readonly UncheckedFields[]): Promise<readonly BatchResult[]> => {
      const work = endpointsByPath.get(path)?.work;
      assert.equal(work?.kind, 'batch');
      const { batch } = work;
      assert.equal(batch.mode, 'write');
      const requestContext = requestContextAt(systemClock());
      const calls = fields.map((each) => work.bind(each, requestContext));
      return storage.transaction((tx) => batch.run(tx, calls, ruleContext));
    };

    it('name one license and one machine each, in any batch', async () => {
      await fc.assert(
        fc.asyncProperty(machines, blanky, fc.integer(), async (given, productId, seed) => {
          // Each run has separate licenses.
          const run = mintUuid().toUpperCase();
          // A license may be activated 15 times an hour.
          const tried = new Map<string, number>();
          const few = given.filter(({ key }) => {
            tried.set(key.replaceAll(' ', ''), (tried.get(key.replaceAll(' ', '')) ?? 0) + 1);
            return tried.get(key.replaceAll(' ', ''))! <= 15;
          });
          const named = few.map((each) => ({ ...each, licenseKey: `${run}${each.key.replaceAll(' ', '')}` }));
          const keys = [...new Set(named.map(({ licenseKey }) => licenseKey))];
          await storage.transaction(async (tx) => {
            const licenses = keys.map((licenseKey) => aLicense({ licenseKey, productId, maxMachines: -1 }));
            await insertLicenses(unrecorded(tx), licenses, systemClock());
          });
          const activated = await decide(
            '/activate',
            named.map(({ licenseKey, fingerprint: machineFingerprint, hostname }) => ({
              licenseKey,
              machineFingerprint,
              hostname,
              productId,
            })),
          );
          const shown = named.map(({ licenseKey, fingerprint: machineFingerprint }, index) => ({
            licenseKey,
            machineFingerprint,
            token: (activated[index] as Reply).token as string,
          }));
          const order = shown
            .map((_, index) => index)
            .sort((one, other) => ((one * 31 + seed) % 7) - ((other * 31 + seed) % 7));
          const validated = await decide(
            '/validate',
            order.map((index) => shown[index]!),
          );
          assert.ok(
            validated.every((answer) => 'valid' in answer && answer.valid === true),
            JSON.stringify(validated),
          );
          const rows = await storage.read((sql) =>
            sql.all(listActivations, tableOf(keys.map((licenseKey) => [licenseKey]))),
          );
          const text = (each: object) => JSON.stringify(each);
          const expected = named.map(({ licenseKey, fingerprint, hostname }) => ({
            licenseKey,
            fingerprint,
            hostname,
          }));
          assert.deepEqual(rows.map((row) => text(row as object)).sort(), expected.map(text).sort());
        }),
        { numRuns: 50 },
      );
    });

    it('do not let a stranger who guesses at a key get a customer another answer', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const customer = await new Machine(app, licenseKey, 'WIN 4711').activated();
      for (let round = 0; round < 20; round += 1) {
        const stranger = { licenseKey: `${licenseKey} WIN`, machineFingerprint: '4711', token: 'guess' };
        const [answer] = await Promise.all([
          customer.validate(),
          ...Array.from({ length: 5 }, () => app.send('/validate', stranger)),
        ]);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
      }
    });
  });
