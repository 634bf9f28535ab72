/** The party of a call in the queue of other work: its secret, the owner of its key or session, or its network. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Credential } from '../../../src/platform/endpoint/caller.ts';
import type { Actor } from '../../../src/platform/events/event.ts';
import type { Call } from '../../../src/runtime/dispatch/call.ts';
import { Parties } from '../../../src/runtime/dispatch/parties.ts';

const ADDRESS = '203.0.113.1';

const callWith = (credential: Credential, address: string | null = ADDRESS): Call => ({
  path: '/listLicenses',
  credential,
  read: { fields: {} },
  requestContext: { requestId: 'r', now: 0, country: null, address },
  idempotency: null,
});

const KEY: Credential = { kind: 'apiKey', hash: 'hash of a key', beside: 'none' };
const SESSION: Credential = { kind: 'session', sessionId: 'hash of a cookie', keepsUse: false };

describe('the party of a call', () => {
  const nameOf = (parties: Parties, call: Call, actor?: Actor) => parties.of(call, { actor }).name;

  it('is the operator or the storefront with their secrets, also beside a key', () => {
    const parties = new Parties();
    const kinds: readonly (readonly [Credential, string])[] = [
      [{ kind: 'admin' }, 'operator'],
      [{ kind: 'webhook' }, 'storefront'],
      [{ ...KEY, beside: 'admin' }, 'operator'],
      [{ ...KEY, beside: 'webhook' }, 'storefront'],
    ];
    for (const [credential, name] of kinds)
      assert.deepEqual(parties.of(callWith(credential), {}), { name, goesAhead: true });
  });

  it('is the network until the owner of a key or a session is known, and after it was refused', () => {
    for (const credential of [KEY, SESSION]) {
      const parties = new Parties();
      const call = callWith(credential);
      assert.equal(nameOf(parties, call), `network ${ADDRESS}`);
      parties.learn(call, { caller: { actor: 'creator:c', keyName: 'k' } });
      assert.deepEqual(parties.of(callWith(credential, '203.0.113.2'), {}), { name: 'creator:c', goesAhead: false });
      // The service may be too busy to say who it is.
      parties.learn(call, { refused: 'overloaded' });
      assert.equal(nameOf(parties, call), 'creator:c');
      parties.learn(call, { refused: 'unauthorized' });
      assert.equal(nameOf(parties, call), `network ${ADDRESS}`);
    }
  });

  it('of a session of the operator goes ahead once it is known', () => {
    const parties = new Parties();
    const call = callWith(SESSION);
    assert.equal(parties.of(call, {}).goesAhead, false);
    parties.learn(call, { caller: { actor: 'operator', keyName: 'Ada' } });
    assert.deepEqual(parties.of(call, {}), { name: 'operator', goesAhead: true });
  });

  it('of a creator never goes ahead, whatever the name of the creator', () => {
    const parties = new Parties();
    const call = callWith(KEY);
    parties.learn(call, { caller: { actor: 'creator:operator' } });
    assert.equal(parties.of(call, {}).goesAhead, false);
  });

  it('of a stranger is the IPv4 address, the /48 of an IPv6 address, or one for all unknown addresses', () => {
    const parties = new Parties();
    const party = (address: string | null) => nameOf(parties, callWith({ kind: 'none' }, address));
    assert.equal(party(ADDRESS), `network ${ADDRESS}`);
    assert.equal(party('2001:db8:1:2::3'), 'network 2001:db8:1::/48');
    assert.equal(party('2001:db8:1:ff::3'), 'network 2001:db8:1::/48');
    assert.equal(party(null), 'network unknown');
  });

  it('of a site is the visitor, but the storefront where its endpoint acts for that', () => {
    const parties = new Parties();
    const call = callWith({ kind: 'none' });
    assert.equal(nameOf(parties, call, { kind: 'customer' }), `network ${ADDRESS}`);
    assert.equal(nameOf(parties, call, { kind: 'storefront', name: 'stripe' }), 'storefront');
    assert.equal(parties.of(call, { actor: () => ({ kind: 'storefront' }) }).name, 'storefront');
  });
});
