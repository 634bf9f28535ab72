/** An explanation costs the same for any number of machines and sessions of a license. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointsByPath } from '../../../src/app.ts';
import { DAY_MS, MINUTE_MS, systemClock, toTimestamp } from '../../../src/ground/base/clock.ts';
import { issueLicense } from '../../../src/licensing/licenses/issue.ts';
import { saveLicenses } from '../../../src/licensing/licenses/save.ts';
import type { Activation } from '../../../src/licensing/machines/activation.ts';
import type { LicenseType } from '../../../src/licensing/products/license-type.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { requestContextAt, ruleContextOf } from '../../support/contexts.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { originAt } from '../../support/origin.ts';
import { type CountingSql, countRowsVisited } from '../../support/rows-visited.ts';

const NOW = systemClock();
const [SOME, MANY] = [500, 10_000];
/** A license, a product, and the machines that an explanation reads, each of them perhaps twice. */
const MAX_ROWS = 500;

/** Licenses whose slots are all taken, or were. */
const LICENSES = [
  { what: 'a site license with every slot taken', licenseType: 'site', endsIn: null, outcome: 'machine_limit' },
  {
    what: 'a floating license with every session alive',
    licenseType: 'floating',
    endsIn: MINUTE_MS,
    outcome: 'machine_limit',
  },
  { what: 'a floating license whose sessions all lapsed', licenseType: 'floating', endsIn: -DAY_MS, outcome: 'ok' },
] as const satisfies readonly { what: string; licenseType: LicenseType; endsIn: number | null; outcome: string }[];

/** The rows that an explanation visits, and its result for /activate. */
async function ask(counting: CountingSql, fields: Readonly<Record<string, unknown>>, creatorId: string | null = null) {
  const work = endpointsByPath.get('/explainLicense')?.work;
  assert.ok(work?.kind === 'read');
  counting.done();
  const answer = await work.act(counting.sql, {
    ...requestContextAt(NOW),
    fields,
    caller: { kind: 'admin' },
    scope: { creatorId },
    origin: originAt(NOW),
    ruleContext: ruleContextOf(),
  });
  const { rows } = counting.done();
  const { checks } = answer as { checks?: readonly { endpoint: string; outcome: string }[] };
  return { rows, outcome: checks?.find(({ endpoint }) => endpoint === '/activate')?.outcome };
}

for (const engine of engines)
  describe(`an explanation on ${engine} visits the same rows`, () => {
    for (const { what, licenseType, endsIn, outcome } of LICENSES)
      it(`for ${what}, whether it has ${SOME} machines or ${MANY}`, async () => {
        const { database, remove } = await freshDatabase(engine);
        const storage = await openStorage(database);
        const keys: string[] = [];
        for (const machines of [SOME, MANY])
          keys.push(
            await storage.transaction(async (tx) => {
              const order = { email: 'ada@example.com', productId: 'app', expiresAt: null };
              const license = await issueLicense(tx, { ...order, licenseType, maxMachines: machines }, originAt(NOW));
              const { licenseKey } = license;
              const sessionsHeld = endsIn === null ? 0 : machines;
              const changed = { ...license, machinesUsed: machines, sessionsHeld, eventCount: 1 };
              const inserted = Array.from({ length: machines }, (_, index) => machineOf(licenseKey, index, endsIn));
              const changes = { inserted, touched: [], updated: [], deleted: [] };
              await saveLicenses(
                tx,
                [{ kind: 'changed', before: license, license: changed, machines: changes, entries: [] }],
                NOW,
              );
              return licenseKey;
            }),
          );
        const counting = await countRowsVisited(database);
        try {
          for (const machine of [{}, { machineFingerprint: 'another' }]) {
            const [some, many] = [
              await ask(counting, { licenseKey: keys[0], ...machine }),
              await ask(counting, { licenseKey: keys[1], ...machine }),
            ];
            if ('machineFingerprint' in machine) assert.equal(many.outcome, outcome);
            assert.deepEqual(many, some);
            assert.ok(many.rows > 0 && many.rows < MAX_ROWS, `${many.rows} rows`);
            const foreign = await ask(counting, { licenseKey: keys[1], ...machine }, 'somebody else');
            assert.equal(foreign.outcome, undefined);
            // The license and one machine, about which the reply says nothing.
            assert.ok(foreign.rows <= 2, `${foreign.rows} rows of a license out of scope`);
          }
        } finally {
          await counting.close();
          await storage.close();
          await remove();
        }
      });
  });

/** A bound machine; its session ends `endsIn` milliseconds from now, or has ended if negative. */
function machineOf(licenseKey: string, index: number, endsIn: number | null): Activation {
  const at = toTimestamp(NOW - DAY_MS - index);
  const ends = endsIn === null ? null : toTimestamp(NOW + endsIn + (index % 1000));
  return {
    licenseKey,
    fingerprint: `machine ${index}`,
    activationId: `activation ${index}`,
    hostname: `host ${index}`,
    firstSeen: at,
    lastSeen: at,
    tokenExpiry: toTimestamp(NOW + DAY_MS),
    sessionStarted: ends === null ? null : at,
    sessionDeadline: ends,
    sessionDue: ends,
    fileUntil: null,
    countries: [],
    lastCountry: null,
    user: null,
    userFolded: null,
  };
}
