import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { statusAt } from '@latchkey/server/licensing/licenses/license.ts';
import { Catalogue } from '../src/catalogue.ts';
import { Client } from '../src/client.ts';
import { ENDPOINTS } from '../src/endpoints.ts';
import { liveOnce } from '../src/machine-life.ts';
import { readsOn } from '../src/reads.ts';
import { requestsOf, requestsTo } from '../src/requests.ts';
import { licenseOf, SPECIAL_KINDS } from '../src/special-licenses.ts';
import { supportReadsOn } from '../src/support-reads.ts';
import { type Bench, benchOn } from './support/bench.ts';

const LICENSES = 200;
/** The minimum for a full page in every read. */
const LICENSES_TO_LIST = 10_000;

describe('the licenses of the bench', () => {
  const filledAt = Date.parse('2026-01-31T09:30:00.000Z');
  const catalogue = new Catalogue(LICENSES, filledAt);
  const licenses = Array.from({ length: LICENSES }, (_, number) => catalogue.license(number));

  it('have keys like real ones, all different, that rise', () => {
    const keys = licenses.map(({ licenseKey }) => licenseKey);
    for (const key of keys) assert.match(key, /^([A-HJKMNP-Z2-9]{5}-){4}[A-HJKMNP-Z2-9]{5}$/);
    assert.equal(new Set(keys).size, LICENSES);
    assert.deepEqual(keys, [...keys].sort());
  });

  it('have as many machines as they count, none twice', () => {
    const machines = licenses.flatMap((license) => catalogue.machines(license));
    assert.equal(
      machines.length,
      licenses.reduce((sum, { machinesUsed }) => sum + machinesUsed, 0),
    );
    assert.equal(new Set(machines.map(({ fingerprint }) => fingerprint)).size, machines.length);
    assert.equal(new Set(machines.map(({ activationId }) => activationId)).size, machines.length);
  });

  it('are revoked or expired at the old end, and active from the first active one on', () => {
    const statuses = licenses.map((license) => statusAt(license, filledAt));
    assert.deepEqual(statuses.slice(0, catalogue.firstActive), [
      ...Array.from({ length: 2 }, () => 'revoked'),
      ...Array.from({ length: 10 }, () => 'expired'),
    ]);
    assert.ok(statuses.slice(catalogue.firstActive).every((status) => status === 'active'));
    const ages = licenses.map(({ createdAt }) => createdAt);
    assert.deepEqual(ages, [...ages].sort());
  });
});

describe('Latchkey on a seeded database', () => {
  let bench: Bench;
  before(async () => {
    bench = await benchOn({ licenses: LICENSES });
  });
  after(() => bench?.[Symbol.asyncDispose]());

  for (const endpoint of ENDPOINTS) {
    it(`answers every prepared request to /${endpoint} as expected`, () =>
      bench.expectAll(requestsTo(endpoint, bench.seeded)));
  }

  it('answers every request of machines that return to the same licenses', async () => {
    const source = requestsTo('activate', bench.seeded, 3);
    assert.equal(source.usesMax, 3);
    const requests = [...source.requests];
    assert.ok(requests.length > 0);
    assert.ok(requests.every(({ fields }) => fields.message === 'License activated'));
    await bench.expectAll({ ...source, requests });
  });

  it('lets a machine live on every kind of license, and takes nothing along', async () => {
    const { catalogue } = bench.seeded;
    const client = await Client.connect(bench.latchkey.address);
    for (let life = 0; life < 10; life += 1) {
      const { licenseKey, productId } = catalogue.license(catalogue.firstActive + life);
      const before = await client.ask('/verify', { licenseKey, productId });
      await liveOnce(client, { licenseKey, productId }, `machine ${life}`);
      const after = await client.ask('/verify', { licenseKey, productId });
      assert.equal(before.status, 200);
      assert.equal(after.body.machinesUsed, before.body.machinesUsed);
    }
    client.close();
  });

  it('ends the life of a machine whose license is none', async () => {
    const client = await Client.connect(bench.latchkey.address);
    const unknown = { licenseKey: 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA', productId: 'product-1' };
    await assert.rejects(liveOnce(client, unknown, 'machine'), /\/activate answered 404: License not found/);
    client.close();
  });
});

describe('Latchkey on a database with something of everything', () => {
  let bench: Bench;
  before(async () => {
    const amounts = { site: 2000, floating: 20, violations: 30 };
    bench = await benchOn({ licenses: LICENSES_TO_LIST, specials: [amounts], withShop: true, withHistory: true });
  });
  after(() => bench?.[Symbol.asyncDispose]());

  for (const kind of SPECIAL_KINDS) {
    for (const endpoint of ['verify', 'validate', 'heartbeat'] as const) {
      it(`answers every prepared request to /${endpoint} for the license with special ${kind}`, async () => {
        const license = licenseOf(kind, bench.seeded.specials[0]!);
        await bench.expectAll(requestsOf(license, endpoint, bench.seeded));
      });
    }
  }

  it('has all the violations of the license that has many', async () => {
    const license = licenseOf('violations', bench.seeded.specials[0]!);
    const { address, secrets } = bench.latchkey;
    const client = await Client.connect(address);
    const { body } = await client.ask('/getLicense', { licenseKey: license.licenseKey, adminSecret: secrets.admin });
    assert.equal((body.violations as unknown[]).length, 30);
    client.close();
  });

  it('answers every read with a full page', async () => {
    const subject = { seeded: bench.seeded, secrets: bench.latchkey.secrets };
    const reads = [...readsOn(subject), ...supportReadsOn(subject)];
    assert.equal(new Set(reads.map(({ title }) => title)).size, reads.length);
    for (const { title, source } of reads) {
      await assert.doesNotReject(bench.expectAll(source), title);
    }
  });
});
