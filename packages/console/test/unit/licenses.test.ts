/** The texts and requests about licenses: reasons of refusals, filters, issuing. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EndpointCheck, License, Remedy, RemedyAction } from '../../src/api/contract.ts';
import { expiryOf } from '../../src/licenses/expiry.ts';
import { issueRequests } from '../../src/licenses/issue-requests.ts';
import { changeOf, listRequest, suggestedName } from '../../src/licenses/list-filters.ts';
import { keptQuery } from '../../src/licenses/saved-views.ts';
import {
  decidingCheck,
  type Explanation,
  isDoneAtOnce,
  lastRefusalText,
  outcomes,
  outcomeText,
  remedyVerb,
  replyTo,
  whyTitle,
} from '../../src/licenses/why-words.ts';
import { addressesIn, expiryText, limitText } from '../../src/licenses/words.ts';
import { machineName } from '../../src/sentences/refusals.ts';

const NOW = Date.parse('2027-03-10T12:00:00.000Z');
const KEY = 'GX2UF-JZVXX-7B8MJ-TA48W-5PWPX';

const license = {
  key: KEY,
  email: 'ada@example.com',
  productId: 'tapehead',
  variant: 'indie',
  licenseType: 'per-machine',
  status: 'active',
  maxMachines: 2,
  maxConcurrent: null,
  // Noon in any time zone.
  expiresAt: new Date(2027, 1, 1, 12).toISOString(),
} as unknown as License;

function check(outcome: EndpointCheck['outcome'], because: EndpointCheck['because'] = null): EndpointCheck {
  return {
    endpoint: '/activate',
    outcome,
    status: 403,
    error: null,
    because,
    sentence: 'A sentence.',
    remedies: [],
  };
}

function explained(outcome: EndpointCheck['outcome'], because: EndpointCheck['because'] = {}): Explanation {
  return {
    license,
    machine: {
      fingerprint: 'm3',
      hostname: 'new laptop',
      bound: false,
      chosen: 'refused_last',
      lastSeen: null,
      tokenExpiry: null,
      sessionExpiresAt: null,
    },
    checks: [{ ...check('ok'), endpoint: '/verify' }, check(outcome, because)],
    lastRefusals: [],
  };
}

const BECAUSE: Readonly<Partial<Record<EndpointCheck['outcome'], EndpointCheck['because']>>> = {
  machine_limit: {
    limit: 2,
    used: 2,
    usedBy: [
      { fingerprint: 'm1', hostname: 'old laptop', lastSeen: '2027-01-28T12:00:00.000Z', sessionExpiresAt: null },
    ],
  },
  license_revoked: { revocation: 'refund' },
  wrong_product: { productId: 'loom', licenseProductId: 'tapehead', unlockedProducts: [] },
};

describe('the reply to a customer', () => {
  for (const outcome of outcomes)
    it(`says what to do about "${outcomeText(outcome)}", without keys and codes`, () => {
      const reply = replyTo(explained(outcome, BECAUSE[outcome] ?? {}), 'en-GB');
      assert.match(reply, /^Hello,\n\n[^\n]+\.\n[^\n]+\.\n\nKind regards$/, reply);
      assert.doesNotMatch(reply, /undefined|null|NaN|_|\{|GX2UF/, reply);
    });

  it('differs for each reason', () => {
    const replies = outcomes.map((outcome) => replyTo(explained(outcome, BECAUSE[outcome] ?? {}), 'en-GB'));
    assert.equal(new Set(replies).size, outcomes.length);
  });

  it('names the machines that are in use, and the day of the end', () => {
    assert.match(
      replyTo(explained('machine_limit', BECAUSE.machine_limit ?? {})),
      /"old laptop" and 1 more\. That is why "new laptop"/,
    );
    assert.match(replyTo(explained('license_expired'), 'en-GB'), /ended on 1 Feb 2027\./);
  });
});

describe('why an app is refused', () => {
  it('is decided by the first call that fails, of those that the machine can make', () => {
    assert.equal(decidingCheck(explained('machine_limit'))?.outcome, 'machine_limit');
    const unbound = explained('ok');
    const later = {
      ...unbound,
      checks: [...unbound.checks, { ...check('machine_not_activated'), endpoint: '/validate' as const }],
    };
    assert.equal(decidingCheck(later), null);
    assert.equal(decidingCheck({ ...later, machine: { ...later.machine, bound: true } })?.endpoint, '/validate');
  });

  it('is a title with the numbers', () => {
    assert.equal(
      whyTitle(explained('machine_limit', BECAUSE.machine_limit ?? {})),
      'new laptop cannot get in: 2 of 2 machines are in use.',
    );
    assert.equal(whyTitle(explained('ok')), 'new laptop can use this license.');
    const [old] = BECAUSE.machine_limit?.usedBy ?? [];
    const namesake = { ...BECAUSE.machine_limit, usedBy: [{ ...old!, hostname: 'new laptop' }] };
    assert.match(whyTitle(explained('machine_limit', namesake)), /^new laptop \(\w{1,8}\) cannot get in: /);
    for (const outcome of outcomes)
      assert.match(whyTitle(explained(outcome, { limit: 1, used: 1 })), /^new laptop .*[a-z]\.$/);
  });

  it('distinguishes machines of one name by the beginning of their fingerprints', () => {
    const lastSeen = '2027-03-10T08:00:00.000Z';
    const holder = (fingerprint: string, hostname: string) => ({
      fingerprint,
      hostname,
      lastSeen,
      sessionExpiresAt: null,
    });
    const usedBy = [holder('44f6d01bc7b0', 'fedora'), holder('bc2a5efb9de8', 'fedora'), holder('m3', 'studio')];
    const free = (machineFingerprint: string) =>
      remedyVerb(
        {
          action: 'release_activation',
          endpoint: '/releaseActivation',
          fields: { licenseKey: KEY, machineFingerprint },
          effect: '',
          outcome: 'ok',
        },
        { because: { usedBy } },
        NOW,
      );
    assert.deepEqual(
      usedBy.map(({ fingerprint }) => free(fingerprint)),
      ['Free fedora (44f6d01b)', 'Free fedora (bc2a5efb)', 'Free studio'],
    );
  });

  it('says how often and when it was last', () => {
    const refusal = {
      id: 'r',
      endpoint: '/activate',
      code: 'machine_limit',
      error: 'Machine limit reached (2). Deactivate another machine first.',
      machineFingerprint: 'm3',
      hostname: 'new laptop',
      count: 4,
      firstAt: '2027-03-10T11:50:00.000Z',
      lastAt: '2027-03-10T11:57:00.000Z',
      details: {},
      requestId: 'q',
    } as const;
    const said = (...lastRefusals: Explanation['lastRefusals']) =>
      lastRefusalText({ ...explained('ok'), lastRefusals }, NOW, 'en');
    assert.equal(said(refusal), 'new laptop was refused 4 times, last 3 minutes ago.');
    assert.equal(said({ ...refusal, count: 1, hostname: null }), 'Machine m3 was refused 3 minutes ago.');
    assert.equal(said({ ...refusal, machineFingerprint: null, count: 1 }), 'An app was refused 3 minutes ago.');
    const ofAnother = { ...refusal, machineFingerprint: 'm4', hostname: 'other laptop', count: 1 };
    assert.equal(said(ofAnother, refusal), 'new laptop was refused 4 times, last 3 minutes ago.');
    assert.equal(said(ofAnother), null, 'what is said is of the machine that is explained');
    assert.equal(said(), null);
    assert.equal(machineName({ hostname: '', fingerprint: null }), 'A new machine');
  });
});

describe('buttons of remedies', () => {
  const because = check('machine_limit', BECAUSE.machine_limit);
  const remedy = (action: RemedyAction, fields: Remedy['fields'] = {}): Remedy => ({
    action,
    endpoint: '/x',
    fields,
    effect: '',
    outcome: 'ok',
  });
  const cases: readonly (readonly [Remedy, string | null])[] = [
    [remedy('release_activation', { machineFingerprint: 'm1' }), 'Free old laptop (idle 41 days)'],
    [remedy('end_session', { machineFingerprint: 'm1' }), 'End the session of old laptop'],
    [remedy('raise_limit', { maxMachines: 3 }), 'Allow 3 machines'],
    [remedy('raise_limit', { maxConcurrent: 1 }), 'Allow 1 seat'],
    [remedy('reset_activations'), 'Remove all machines'],
    [remedy('lift_activation_limit'), 'Let it try again now'],
    [remedy('extend_license', { expiresAt: '2027-04-09T12:00:00.000Z' }), 'Extend by 30 days'],
    [remedy('resolve_violations', { violationIds: ['a', 'b'] }), 'Resolve 2 violations'],
    [remedy('reinstate'), 'Reinstate'],
    [remedy('activate_license'), 'Lift the revocation only'],
    [remedy('wait'), null],
    [remedy('activate_machine'), null],
  ];
  for (const [each, verb] of cases)
    it(`${each.action} says ${verb ?? 'nothing, because nobody here can do it'}`, () => {
      assert.equal(remedyVerb(each, because, NOW), verb);
    });

  it('ask first where they reach further than one machine or limit', () => {
    for (const action of ['reset_activations', 'resolve_violations', 'reinstate', 'activate_license'] as const)
      assert.equal(isDoneAtOnce({ action }), false, action);
  });
});

describe('licenses in words', () => {
  it('say when they end', () => {
    // Days are those of the browser's time zone.
    const now = new Date(2027, 2, 10, 12).getTime();
    const textOf = (end: Date) => expiryText(end.toISOString(), now, 'en-GB');
    assert.equal(expiryText(null, now), 'never expires');
    assert.equal(textOf(new Date(2027, 2, 22, 13)), 'expires on 22 Mar 2027, in 12 days');
    assert.equal(textOf(new Date(2027, 8, 22, 13)), 'expires on 22 Sept 2027');
    assert.equal(textOf(new Date(2027, 2, 10, 11, 59, 59)), 'expired on 10 Mar 2027');
  });

  it('describe their filters', () => {
    assert.equal(limitText({ licenseType: 'per-machine', maxMachines: 1, maxConcurrent: null }), '1 machine');
    assert.equal(limitText({ licenseType: 'site', maxMachines: -1, maxConcurrent: null }), 'any number of machines');
    assert.equal(limitText({ licenseType: 'floating', maxMachines: -1, maxConcurrent: 5 }), '5 seats at once');
  });
});

describe('an issued license', () => {
  const form = {
    productId: 'tapehead',
    variant: '',
    addresses: ['ada@example.com', 'bo@example.com'],
    each: '2',
    licenseType: '',
    machines: '',
    seats: '',
    expiresAt: null,
    purchaseId: '',
  } as const;

  it('is one request for each license, with nothing in it that the variant decides', () => {
    const { all } = issueRequests(form);
    assert.deepEqual(
      [...(all ?? new Map()).keys()],
      ['ada@example.com 1', 'ada@example.com 2', 'bo@example.com 1', 'bo@example.com 2'],
    );
    assert.deepEqual(all?.get('bo@example.com 2'), { email: 'bo@example.com', productId: 'tapehead' });
  });

  it('is at most 500 at once, for addresses that are addresses', () => {
    assert.match(issueRequests({ ...form, each: '251' }).wrong.each ?? '', /at most 500/);
    assert.equal(issueRequests({ ...form, each: '250' }).all?.size, 500);
    assert.match(issueRequests({ ...form, addresses: ['ada'] }).wrong.addresses ?? '', /"ada"/);
    assert.equal(issueRequests({ ...form, expiresAt: undefined }).all, null);
    assert.equal(issueRequests({ ...form, machines: '1.5' }).all, null);
  });

  it('goes to each address once, however the list was pasted', () => {
    assert.deepEqual(addressesIn('ada@x.y, bo@x.y;\n<cy@x.y>\n ada@x.y'), ['ada@x.y', 'bo@x.y', 'cy@x.y']);
  });

  it('ends when somebody says', () => {
    const base = { kind: 'days', days: '30', day: '' } as const;
    assert.equal(expiryOf(base, NOW), '2027-04-09T12:00:00.000Z');
    assert.equal(expiryOf({ ...base, kind: 'never' }, NOW), null);
    for (const days of ['', '0', '1.5', 'x', '40000']) assert.equal(expiryOf({ ...base, days }, NOW), undefined, days);
    assert.equal(expiryOf({ ...base, kind: 'day' }, NOW), undefined);
    const endOfDay = new Date(2027, 4, 1, 23, 59, 59, 999).toISOString();
    assert.equal(expiryOf({ ...base, kind: 'day', day: '2027-05-01' }, NOW), endOfDay);
  });
});

describe('filters of the list', () => {
  const none = { email: '', product: '', variant: '', purchase: '', status: '', view: '' };

  it('ask the service, and leave out unknown values', () => {
    assert.deepEqual(listRequest({ ...none, email: 'a@b.c', status: 'active' }), { email: 'a@b.c', status: 'active' });
    assert.deepEqual(listRequest({ ...none, status: 'great', view: 'odd' }), {});
    assert.deepEqual(listRequest({ ...none, product: 'p', view: 'expiring-30' }), {
      productId: 'p',
      view: 'expiring',
      withinDays: 30,
    });
    assert.deepEqual(listRequest({ ...none, view: 'threat-3' }), { view: 'threat', minimum: 3 });
  });

  it('remove incompatible filters', () => {
    assert.deepEqual(changeOf({ view: 'threat-1' }), {
      view: 'threat-1',
      email: '',
      variant: '',
      purchase: '',
      status: '',
    });
    assert.deepEqual(changeOf({ status: 'active' }), { status: 'active', view: '' });
  });

  it('are saved under a name without data that names a customer', () => {
    const values = { ...none, email: 'ada@example.com', purchase: 'o-1', product: 'tapehead', status: 'active' };
    assert.equal(keptQuery(values), 'product=tapehead&status=active');
    assert.equal(suggestedName({ ...values, email: '', purchase: '' }), 'Active, tapehead');
  });
});
