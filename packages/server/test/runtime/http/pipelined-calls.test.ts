/** Many calls on one connection: none is mistaken for invalid, and each one that is processed gets its own reply. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN_SECRET, startApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { answersOf, requestBytes, Wire } from './wire.ts';

const GARBAGE = 'this is no request\r\n\r\n';
const order = (email: string) => JSON.stringify({ adminSecret: ADMIN_SECRET, email, productId: 'app' });

for (const engine of engines)
  describe(`pipelined calls on ${engine}`, () => {
    const app = startedApp(engine);

    const issuedTo = async (email: string): Promise<string[]> => {
      const { licenses } = (await app.admin('/listLicenses', { email, limit: 1000 })).body;
      return licenses.map(({ key }: { key: string }) => key).sort();
    };

    it('are each answered in their place, three thousand of them in one piece', async () => {
      const licenseKey = await app.license();
      const known = JSON.stringify({ licenseKey, productId: 'app' });
      const unknown = JSON.stringify({ licenseKey: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE', productId: 'app' });
      const wire = await Wire.open(app.port);
      const requests = Array.from({ length: 3000 }, (_, index) =>
        requestBytes('/verify', index % 3 === 0 ? unknown : known, { headers: [`X-Request-Id: r${index}`] }),
      );
      wire.write(Buffer.concat(requests));
      for (const [index, { status, headers }] of (await answersOf(wire, 3000)).entries())
        assert.deepEqual([status, headers['x-request-id']], [index % 3 === 0 ? 404 : 200, `r${index}`]);
      wire.end();
    });

    it('are never called invalid because their answers are large and not taken for a while', async () => {
      const email = 'many@example.com';
      for (let count = 0; count < 100; count += 1) await app.license({ email });
      const list = requestBytes('/listLicenses', JSON.stringify({ adminSecret: ADMIN_SECRET, email }));
      const wire = await Wire.open(app.port);
      wire.pause();
      // More than fits into one TLS record, and little enough to be read within the time limit of headers.
      const half = Buffer.concat(Array.from({ length: 150 }, () => list));
      wire.write(half);
      // During each call on another connection the service reads and replies on this one.
      for (let turn = 0; turn < 100; turn += 1) await app.send('/healthz', undefined, { method: 'GET' });
      wire.write(half);
      for (let turn = 0; turn < 10; turn += 1) await app.send('/healthz', undefined, { method: 'GET' });
      wire.resume();
      for (let count = 0; count < 300; count += 1) {
        const { status, body } = await wire.answer();
        assert.deepEqual([status, body.licenses?.length], [200, 100]);
      }
      wire.end();
    });

    it('are answered with their results even if garbage follows', async () => {
      const email = 'garbage@example.com';
      const wire = await Wire.open(app.port);
      wire.write(Buffer.concat([requestBytes('/createLicense', order(email)), Buffer.from(GARBAGE)]));
      const [created, refused] = await answersOf(wire, 2);
      await wire.closed;
      assert.equal(created?.status, 200);
      assert.deepEqual(await issuedTo(email), [created?.body.licenseKey]);
      assert.deepEqual([refused?.status, refused?.body.error], [400, 'Request is not valid HTTP']);
    });

    it('are answered with their results even if too long headers follow', async () => {
      const email = 'headers@example.com';
      const wire = await Wire.open(app.port);
      const large = requestBytes('/verify', '{}', { headers: [`X-Large: ${'x'.repeat(20_000)}`] });
      wire.write(Buffer.concat([requestBytes('/createLicense', order(email)), large]));
      const [created, refused] = await answersOf(wire, 2);
      await wire.closed;
      assert.deepEqual(await issuedTo(email), [created?.body.licenseKey]);
      assert.equal(refused?.status, 431);
    });

    it('are answered when the client shuts its side behind them', async () => {
      const email = 'half-closed@example.com';
      const wire = await Wire.open(app.port);
      wire.write(Buffer.concat(Array.from({ length: 200 }, () => requestBytes('/createLicense', order(email)))));
      wire.finishWriting();
      const keys = (await answersOf(wire, 200)).map(({ body }) => body.licenseKey);
      await wire.closed;
      assert.deepEqual(await issuedTo(email), keys.sort());
    });

    it('are begun one after the other where the configured limit is one', async (test) => {
      const other = await startApp(engine, { LATCHKEY_CONNECTION_CALLS: '1' });
      test.after(() => other.stop());
      const email = 'in-turn@example.com';
      const create = requestBytes('/createLicense', order(email));
      const list = requestBytes('/listLicenses', JSON.stringify({ adminSecret: ADMIN_SECRET, email }));
      const wire = await Wire.open(other.port);
      wire.write(Buffer.concat(Array.from({ length: 40 }, () => [create, list]).flat()));
      const answers = await answersOf(wire, 80);
      wire.end();
      // A list that begins before the license ahead of it is stored would lack that license.
      const listed = answers.filter((_, index) => index % 2 === 1).map(({ body }) => body.licenses.length);
      assert.deepEqual(
        listed,
        Array.from({ length: 40 }, (_, index) => index + 1),
      );
    });

    it('are all answered where the limit is off', async (test) => {
      const other = await startApp(engine, { LATCHKEY_CONNECTION_CALLS: 'off' });
      test.after(() => other.stop());
      const wire = await Wire.open(other.port);
      wire.write(
        Buffer.concat(Array.from({ length: 300 }, () => requestBytes('/createLicense', order('a@b.example')))),
      );
      const keys = (await answersOf(wire, 300)).map(({ body }) => body.licenseKey);
      wire.end();
      assert.equal(new Set(keys).size, 300);
    });
  });

for (const engine of engines)
  describe(`the values that decide a call on ${engine}`, () => {
    it('is the time when its body is there, not that of its headers', async (test) => {
      const app = await startApp(engine);
      test.after(() => app.stop());
      const licenseKey = await app.license({ expiresAt: app.clock.at(60_000) });
      const request = requestBytes('/verify', JSON.stringify({ licenseKey, productId: 'app' }));
      const wire = await Wire.open(app.port);
      wire.write(request);
      assert.equal((await wire.answer()).status, 200);
      wire.write(request.subarray(0, -5));
      // A reply on another connection means that the headers of this one have arrived, too.
      await app.send('/healthz', undefined, { method: 'GET' });
      app.clock.move(60_000);
      wire.write(request.subarray(-5));
      const late = await wire.answer();
      wire.end();
      assert.deepEqual([late.status, late.body.error], [403, 'License has expired']);
    });
  });
