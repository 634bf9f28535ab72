import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

const LIFETIME_MS = 30 * DAY_MS;
const REFRESH_WINDOW_MS = 7 * DAY_MS;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

for (const engine of engines)
  describe(`session tokens on ${engine}`, () => {
    const app = startedApp(engine);

    const assertAlive = async (machine: Machine) => assert.equal((await machine.validate()).status, 200);
    const assertDead = async (machine: Machine) =>
      assertRefused(await machine.validate(), 401, 'Invalid or expired token', 'valid');

    it('live for 30 days, to the millisecond that the answer names', async () => {
      const machine = new Machine(app, await app.license());
      const expiresAt = Date.parse((await machine.activate()).body.expiresAt);
      app.clock.move(expiresAt - app.clock.now() - 1);
      await assertAlive(machine);
      app.clock.move(1);
      await assertDead(machine);
    });

    it('are replaced by /validate from 7 days before their expiry on, and not before', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      const expiresAt = Date.parse((await machine.activate()).body.expiresAt);
      app.clock.move(expiresAt - REFRESH_WINDOW_MS - app.clock.now() - 1);
      const early = await machine.validate();
      assert.ok(!('newToken' in early.body));
      assert.equal(Date.parse(early.body.expiresAt), expiresAt);
      app.clock.move(1);
      const { body } = await machine.validate();
      assert.equal(typeof body.newToken, 'string');
      assert.notEqual(body.newToken, machine.token);
      const lifetimeMs = Date.parse(body.expiresAt) - app.clock.now();
      assert.ok(lifetimeMs <= LIFETIME_MS && lifetimeMs > LIFETIME_MS - 1000, body.expiresAt);
      assert.equal((await inspect(app, licenseKey)).activations[0].tokenExpiry, body.expiresAt);
    });

    it('survive their replacement until their own expiry: the answer may have got lost', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      const previous = machine.token;
      app.clock.move(LIFETIME_MS - DAY_MS);
      const { newToken } = (await machine.validate()).body;
      const again = await machine.validate();
      assert.equal(typeof again.body.newToken, 'string');
      machine.token = newToken;
      const renewed = await machine.validate();
      assert.equal(renewed.status, 200);
      assert.ok(!('newToken' in renewed.body));
      app.clock.move(DAY_MS);
      await assertAlive(machine);
      machine.token = previous;
      await assertDead(machine);
    });

    it('carry a machine on for as long as it validates now and then, without taking slots or attempts', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const machine = await new Machine(app, licenseKey).activated();
      for (let weeks = 0; weeks < 20; weeks += 1) {
        app.clock.move(7 * DAY_MS);
        const { status, body } = await machine.validate();
        assert.equal(status, 200);
        machine.token = body.newToken ?? machine.token;
      }
      assert.equal((await inspect(app, licenseKey)).activationCount, 1);
    });

    it('of a machine that is activated again without being deactivated stay good', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      const previous = machine.token;
      app.clock.move(HOUR_MS);
      await machine.activated();
      assert.notEqual(machine.token, previous);
      await assertAlive(machine);
      machine.token = previous;
      await assertAlive(machine);
    });

    it('of an earlier activation are invalid once the machine is activated again', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      const first = machine.token;
      await machine.deactivate();
      await machine.activated();
      const second = machine.token;
      await app.admin('/resetActivations', { licenseKey });
      await machine.activated();
      await assertAlive(machine);
      for (const token of [first, second]) {
        machine.token = token;
        await assertDead(machine);
        assertRefused(await machine.heartbeat(), 401, 'Invalid token');
        assertRefused(await machine.deactivate(), 401, 'Invalid or expired token');
      }
      assert.equal((await inspect(app, licenseKey)).activationCount, 1);
      assert.deepEqual((await inspect(app, licenseKey)).violations, []);
    });

    it('are refused when any character of them is changed, added or left out', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      const good = machine.token;
      const last = good.length - 1;
      const changed = [...good].map((character, index) => {
        const other = character === '.' ? 'A' : BASE64URL[BASE64URL.indexOf(character) ^ 1];
        return good.slice(0, index) + other + good.slice(index + 1);
      });
      // The last character of the signature has unused bits: other characters there encode the same bytes.
      const sameBytes = [1, 2, 3].map((bits) => good.slice(0, last) + BASE64URL[BASE64URL.indexOf(good[last]!) ^ bits]);
      const more = ['A', '=', ' ', '\n', '.'].flatMap((extra) => [good + extra, extra + good]);
      const forged = [...changed, ...sameBytes, ...more, good.slice(0, last), good.slice(1)];
      const answers = await Promise.all(
        forged.map((token) =>
          app.send('/validate', { licenseKey: machine.licenseKey, machineFingerprint: machine.fingerprint, token }),
        ),
      );
      for (const [index, answer] of answers.entries())
        assert.equal(answer.status, 401, `${JSON.stringify(forged[index])} was answered with ${answer.status}`);
      await assertAlive(machine);
    });

    it('are refused without a signature by one of our keys, whatever they claim', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      const [header, payload, signature] = machine.token.split('.') as [string, string, string];
      const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const signed = (head: unknown, body: unknown) => {
        const text = `${encode(head)}.${encode(body)}`;
        return `${text}.${createHmac('sha256', 'a key of somebody else').update(text).digest('base64url')}`;
      };
      const forgeries = [
        signed({ alg: 'HS256', typ: 'JWT', kid }, claims),
        signed({ alg: 'HS256', typ: 'JWT', kid: 'unknown' }, claims),
        signed({ alg: 'HS256', typ: 'JWT' }, claims),
        `${encode({ alg: 'none', typ: 'JWT', kid })}.${payload}.`,
        `${encode({ alg: 'none', typ: 'JWT', kid })}.${payload}.${signature}`,
        `${header}.${encode({ ...claims, exp: claims.exp * 2 })}.${signature}`,
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `${header}.${signature}`,
        header,
        `${encode(null)}.${payload}.${signature}`,
        `${encode({ kid: 7 })}.${payload}.${signature}`,
        `${encode({ kid: '__proto__' })}.${payload}.${signature}`,
        '.',
        '..',
        '...',
        '\u{1F511}.\u{1F511}.\u{1F511}',
        'x'.repeat(2048),
      ];
      for (const token of forgeries) {
        machine.token = token;
        await assertDead(machine);
      }
    });

    it('reveal neither the license key nor the fingerprint', async () => {
      const licenseKey = await app.license({ email: 'ada@example.com' });
      const machine = await new Machine(app, licenseKey, 'serial-number-of-the-board').activated();
      const readable = machine.token.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
      for (const secret of [licenseKey, machine.fingerprint, 'ada@example.com'])
        assert.ok(!`${machine.token} ${readable.join(' ')}`.includes(secret));
    });

    it('of a floating license outlive the session: the machine resumes with the same token', async () => {
      const machine = await new Machine(app, await app.license({ licenseType: 'floating' })).activated();
      app.clock.move(DAY_MS);
      assert.equal((await machine.heartbeat()).status, 200);
    });
  });

for (const engine of engines)
  describe(`session tokens with a lifetime of an hour on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_TOKEN_LIFETIME: '1h' });

    it('expire after an hour and are replaced at every validation, since that is within 7 days', async () => {
      const machine = new Machine(app, await app.license());
      const activated = await machine.activate();
      const lifetimeMs = Date.parse(activated.body.expiresAt) - app.clock.now();
      assert.ok(lifetimeMs <= HOUR_MS && lifetimeMs > HOUR_MS - 1000, activated.body.expiresAt);
      app.clock.move(HOUR_MS / 2);
      const { newToken } = (await machine.validate()).body;
      assert.equal(typeof newToken, 'string');
      app.clock.move(HOUR_MS / 2);
      assertRefused(await machine.validate(), 401, 'Invalid or expired token', 'valid');
      machine.token = newToken;
      assert.equal((await machine.validate()).status, 200);
    });
  });
