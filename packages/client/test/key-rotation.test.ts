/** The real service rotates its signing keys while apps in use have only the first one compiled in. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyIdIn, SigningKey } from './support/license-files.ts';
import { DAY_MS, DOWN, type Machine, startedWorld } from './support/world.ts';

describe('an app whose service has changed its signing key', () => {
  const world = startedWorld();

  const stateOf = async (machine: Machine) => JSON.parse((await machine.storage.read()) ?? '{}');

  /** Creates another key, which signs two minutes later. */
  async function rotate(): Promise<string> {
    const { out, err } = await world.command('rotate-signing-key', '--from', '2m');
    const [, keyId] = /^(k[\da-f]{12}) is published/.exec(out) ?? [];
    assert.ok(keyId !== undefined, err);
    return keyId;
  }

  it('follows three rotations without a new app', async () => {
    const machine = world.machine('of the first key', await world.trust());
    await (await machine.start()).activate(await world.server.license());
    for (let n = 0; n < 3; n++) {
      const keyId = await rotate();
      await world.pass(9 * DAY_MS);
      const { file, keyLists } = await stateOf(machine);
      assert.equal(keyIdIn(file), keyId);
      assert.equal(keyLists.length, 1, 'one list leads to all keys');
    }
    machine.fault = DOWN;
    assert.equal((await machine.start()).state.status, 'grace');
  });

  it('and was built after a theft, learns new keys but not the stolen one, which they vouch for', async () => {
    const { issuer, publicKeys } = await world.trust();
    const [stolen] = publicKeys;
    const newest = publicKeys.at(-1);
    assert.ok(stolen !== undefined && newest !== undefined && stolen !== newest);
    const next = await rotate();
    await world.pass(DAY_MS);
    const forged = new SigningKey(stolen.kid).file({ iat: Math.floor(world.now() / 1000), iss: issuer });
    for (const stolenKeys of [[], [stolen.kid]]) {
      const machine = world.machine(`of ${stolenKeys}`, { issuer, publicKeys: [newest], stolenKeys });
      await (await machine.start()).activate(await world.server.license());
      assert.equal(keyIdIn((await stateOf(machine)).file), next, 'a key that it was not built with');
      // The forgery has an invalid signature in any case. The reason shows whether its key id led to a key that was
      // tried.
      const reason = stolenKeys.length === 0 ? 'signature' : 'key';
      await assert.rejects(machine.app.importFile(forged), { name: 'BadLicenseFile', reason });
    }
  });
});
