/** Metadata of licenses: a vendor's own facts (rules 14.10). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inspect, update } from '../../support/answers.ts';
import type { TestApp } from '../../support/app.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { freshFor, served } from '../../support/for-test.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Fields = Readonly<Record<string, unknown>>;
const namesOf = (count: number, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name-${index}`, value]));

for (const engine of engines) {
  describe(`metadata on ${engine}`, () => {
    const app = startedApp(engine);

    async function keysOf(request: Fields): Promise<string[]> {
      const { licenses } = await mustSucceed(app.admin('/listLicenses', request));
      return licenses.map(({ key }: Fields) => key);
    }

    it('is set, merged, and taken away name by name', async () => {
      const licenseKey = await app.license({ metadata: { crm: 'A-1', plan: 'gold' } });
      assert.deepEqual((await inspect(app, licenseKey)).license.metadata, { crm: 'A-1', plan: 'gold' });
      await update(app, licenseKey, { metadata: { plan: null, region: 'EU', crm: 'A-2' } });
      assert.deepEqual((await inspect(app, licenseKey)).license.metadata, { crm: 'A-2', region: 'EU' });
      await update(app, licenseKey, { maxMachines: 7 });
      assert.deepEqual((await inspect(app, licenseKey)).license.metadata, { crm: 'A-2', region: 'EU' });
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey, types: ['license.updated'] }));
      const changed = events.find(({ after }: { readonly after: Fields }) => after.metadata !== undefined);
      assert.deepEqual(
        [changed.before, changed.after],
        [{ metadata: { crm: 'A-1', plan: 'gold' } }, { metadata: { crm: 'A-2', region: 'EU' } }],
      );
      await update(app, licenseKey, { metadata: { crm: null, region: null } });
      const { license } = await mustSucceed(app.admin('/getLicense', { licenseKey }));
      assert.equal(license.metadata, undefined);
    });

    it('has bounds, whose faults name the name', async () => {
      const create = (metadata: unknown) =>
        app.admin('/createLicense', { email: 'ada@example.com', productId: 'app', metadata });
      assert.equal((await create(namesOf(50))).status, 200);
      assert.equal((await create({ __proto__x: 'y', constructor: 'z', refused: 'no', message: 'm' })).status, 200);
      assert.equal((await create(JSON.parse('{"__proto__": "y"}'))).status, 200);
      for (const [given, text] of [
        [namesOf(51), 'metadata must be an object of at most 50 names'],
        ['text', 'metadata must be an object of at most 50 names'],
        [{ crm: 7 }, 'metadata.crm must be a text of 1 to 500 characters'],
        [{ crm: '' }, 'metadata.crm must be a text of 1 to 500 characters'],
        [{ crm: null }, 'metadata.crm must be a text of 1 to 500 characters'],
        [{ crm: 'x'.repeat(501) }, 'metadata.crm must be a text of 1 to 500 characters'],
        [{ crm: 'a\0b' }, 'metadata.crm must be a text of 1 to 500 characters'],
        [{ ['n'.repeat(41)]: 'x' }, 'metadata has a name that is not of 1 to 40 characters'],
        [namesOf(20, 'x'.repeat(500)), 'metadata must have at most 8192 bytes in all'],
      ] as const) {
        const { status, body } = await create(given);
        assert.deepEqual([status, body.error], [400, text]);
      }
      const licenseKey = await app.license({ metadata: namesOf(50) });
      const beyond = await app.admin('/updateLicense', { licenseKey, metadata: { other: 'x' } });
      assert.deepEqual([beyond.status, beyond.body.error], [400, 'metadata must be an object of at most 50 names']);
      await update(app, licenseKey, { metadata: { other: 'x', 'name-0': null } });
    });

    it('is shown to no app, and in no file', async () => {
      const licenseKey = await app.license({ metadata: { secret: 'vendors-own' } });
      const machine = new Machine(app, licenseKey);
      const answers = [await machine.activate(), await machine.validate(), await machine.verify()];
      const order = { licenseKey, machineFingerprint: 'machine-1', hostname: 'host' };
      const { licenseFile } = await mustSucceed(app.admin('/createLicenseFile', order));
      const [, claims = ''] = licenseFile.replace(/-----[^-]+-----|\s/g, '').split('.');
      const seen = JSON.stringify(answers.map(({ body }) => body)) + Buffer.from(claims, 'base64url').toString();
      assert.ok(!seen.includes('vendors-own'));
      assert.ok(!seen.includes('metadata'));
    });

    it('comes with a purchase', async () => {
      const { licenseKey } = await mustSucceed(
        app.webhook('/storefrontWebhook', {
          type: 'purchase.completed',
          email: 'ada@example.com',
          productId: 'app',
          purchaseId: `metadata-${engine}`,
          metadata: { campaign: 'spring' },
        }),
      );
      assert.deepEqual((await inspect(app, licenseKey)).license.metadata, { campaign: 'spring' });
    });

    it('filters lists by one pair beside other filters', async () => {
      const [one, two] = [
        await app.license({ metadata: { team: `red ${engine}`, x: '1' } }),
        await app.license({ metadata: { team: `red ${engine}` }, variant: 'studio', email: 'Zoe@example.com' }),
      ];
      await app.license({ metadata: { team: `blue ${engine}`, x: `red ${engine}` } });
      const metadata = { team: `red ${engine}` };
      assert.deepEqual((await keysOf({ metadata })).sort(), [one, two].sort());
      assert.deepEqual(await keysOf({ metadata, variant: 'studio' }), [two]);
      assert.deepEqual(await keysOf({ metadata, email: 'zoe@EXAMPLE.com', status: 'active', productId: 'app' }), [two]);
      assert.deepEqual(await keysOf({ metadata, status: 'revoked' }), []);
      assert.deepEqual(await keysOf({ metadata: { team: `RED ${engine}` } }), []);
      await update(app, one, { metadata: { team: null } });
      assert.deepEqual(await keysOf({ metadata }), [two]);
      for (const wrong of [{}, { a: 'b', c: 'd' }, { a: 1 }, 'team'])
        assert.equal((await app.admin('/listLicenses', { metadata: wrong })).status, 400, JSON.stringify(wrong));
      assert.equal((await app.admin('/listLicenses', { metadata, view: 'threat' })).status, 400);
      const page = await mustSucceed(app.admin('/listLicenses', { metadata: { x: '1' }, limit: 1 }));
      assert.deepEqual([page.licenses.length, page.nextCursor], [1, undefined]);
    });

    it('is found by a search for a value, by the operator and the owner of the product', async () => {
      const [ada, bo] = [await Creator.of(app), await Creator.of(app)];
      const licenseKey = await ada.license(await ada.product(), { metadata: { ticket: `Ticket 42 ${engine}` } });
      const search = async (ask: TestApp['admin']) =>
        (await mustSucceed(ask('/searchEverything', { query: `ticket 42 ${engine}` }))).hits;
      for (const ask of [app.admin, ada.send]) {
        const [hit, ...others] = await search(ask);
        assert.deepEqual([hit.kind, hit.matchedBy, hit.licenseKey, others], ['license', 'metadata', licenseKey, []]);
      }
      assert.deepEqual(await search(bo.send), []);
    });

    it('is removed with the customer, from events, too', async () => {
      const email = `gone-${engine}@example.com`;
      const licenseKey = await app.license({ email, metadata: { note: 'met at the fair' } });
      await update(app, licenseKey, { metadata: { note: 'met at the second fair' } });
      await mustSucceed(app.admin('/forgetCustomer', { email }));
      const { license } = await inspect(app, licenseKey);
      assert.equal(license.metadata, undefined);
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
      assert.ok(!JSON.stringify(events).includes('fair'));
      assert.deepEqual(await keysOf({ metadata: { note: 'met at the second fair' } }), []);
    });
  });

  describe(`export and import of metadata on ${engine}`, () => {
    it('carry it, with its index', async (test) => {
      const [from, to] = [
        await freshFor(test, engine),
        await freshFor(test, engine === 'sqlite' ? 'postgres' : 'sqlite'),
      ];
      const file = join(temporaryFolder(test), 'export.jsonl');
      const licenseKey = await served(from, (app) => app.license({ metadata: { crm: 'A-1' } }));
      assert.equal((await runCommandHere(['export', file], environmentOf(from))).code, 0);
      assert.match(readFileSync(file, 'utf8'), /"metadata":\{"crm":"A-1"\}/);
      const imported = await runCommandHere(['import', file], environmentOf(to));
      assert.equal(imported.code, 0, imported.err);
      await served(to, async (app) => {
        const { licenses } = await mustSucceed(app.admin('/listLicenses', { metadata: { crm: 'A-1' } }));
        assert.equal(licenses[0].key, licenseKey);
      });
    });
  });
}
