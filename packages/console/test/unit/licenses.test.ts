/** The texts and requests about licenses: reasons of refusals, filters, issuing. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { removalEffect, removalOfAllEffect, sessionEndEffect } from '../../src/actions/machine-removal.ts';
import type {
  Activation,
  Customer,
  EndpointCheck,
  License,
  LicenseSummary,
  Remedy,
  RemedyAction,
  ReplacedAddresses,
  Verdict,
} from '../../src/api/contract.ts';
import { limitAt, maySend } from '../../src/api/session.ts';
import { chosenAfter, hiddenAmong, listedKeys } from '../../src/licenses/chosen-rows.ts';
import { countryChoices } from '../../src/licenses/country-choices.ts';
import {
  forgettingText,
  formerText,
  goingTexts,
  licensesText,
  listText,
  ownsText,
  replacedBy,
  replacedText,
} from '../../src/licenses/customer-words.ts';
import { earlierEnd, expiryOf, extendedEnd } from '../../src/licenses/expiry.ts';
import { filtersRequest } from '../../src/licenses/first-reads.ts';
import { issueRequests } from '../../src/licenses/issue-requests.ts';
import { changeOf, suggestedName } from '../../src/licenses/list-filters.ts';
import { declineTo, filledIn, templatesFor } from '../../src/licenses/other-replies.ts';
import { fieldsOf, hasKey, questionOf } from '../../src/licenses/remedy-question.ts';
import { replyTo } from '../../src/licenses/reply-words.ts';
import { keptQuery } from '../../src/licenses/saved-views.ts';
import { declines, evidenceFacts, verdictCodes, verdictTitle } from '../../src/licenses/verdict-words.ts';
import {
  decidingCheck,
  type Explanation,
  lastRefusalText,
  outcomes,
  outcomeText,
  remedyVerb,
  whyTitle,
} from '../../src/licenses/why-words.ts';
import { addressesIn, expiryText, limitText, revocationIn } from '../../src/licenses/words.ts';
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

function verdict(code: Verdict['code'], evidence: Verdict['evidence'] = {}): Verdict {
  return { code, sentence: 'A sentence.', evidence, firstStep: 'none' };
}

/** Reasons of the refusals that have some. */
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

function explained(
  outcome: EndpointCheck['outcome'],
  because: EndpointCheck['because'] = BECAUSE[outcome] ?? {},
): Explanation {
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
    verdict: verdict('works'),
    checks: [{ ...check('ok'), endpoint: '/verify' }, check(outcome, because)],
    lastRefusals: [],
    otherKey: null,
  };
}

const WORDS = { product: 'Tapehead Pro' };

/** The machines of a license that one is bound to. */
const MACHINES = { activations: [{ sessionActive: false }] as unknown as Activation[], activationCount: 1 };

describe('the reply to a customer', () => {
  for (const outcome of outcomes)
    it(`says what to do about "${outcomeText(outcome)}", without keys and codes`, () => {
      const reply = replyTo(explained(outcome), WORDS);
      assert.match(reply, /^Hello,\n\n[^\n]+\.\n[^\n]+\.\n\nKind regards$/, reply);
      assert.doesNotMatch(reply, /undefined|null|NaN|_|\{|GX2UF/, reply);
    });

  it('differs for each reason', () => {
    const replies = outcomes.map((outcome) => replyTo(explained(outcome), WORDS));
    assert.equal(new Set(replies).size, outcomes.length);
  });

  it('declines with the numbers where a key is shared, and names the other license of a customer', () => {
    const shared = verdict('shared', { machines: 9, withinHours: 3, limit: 2 });
    const limited = explained('machine_limit');
    assert.match(
      replyTo({ ...limited, verdict: shared }, WORDS),
      /is for 2 computers, and 9 other computers tried to use it within 3 hours\./,
    );
    const expired = { ...explained('license_expired'), verdict: verdict('other_license', { otherLicenses: 1 }) };
    assert.match(replyTo(expired, WORDS), /ended on 1 Feb 2027\. You have another one, which works\./);
    for (const reply of [replyTo({ ...limited, verdict: shared }, WORDS), replyTo(expired, WORDS)])
      assert.match(reply, /^Hello,\n\n[^\n]+\.\n[^\n]+\.\n\nKind regards$/);
  });

  it('names the last group of the key that works, whatever the case, and declining as well', () => {
    for (const outcome of ['license_revoked', 'license_expired', 'license_replaced'] as const) {
      const other = { ...explained(outcome), otherKey: 'GX2UF-AAAAA-BBBBB-CCCCC-DD4KQ' };
      for (const reply of [replyTo(other, WORDS), declineTo(other, WORDS)]) {
        assert.match(reply, /\nThe key of your license for Tapehead Pro that works ends with DD4KQ\.\n\nKind/);
        assert.doesNotMatch(reply, /GX2UF|AAAAA/);
      }
    }
  });

  it('names the machines that are in use, and the day of the end', () => {
    assert.match(replyTo(explained('machine_limit'), WORDS), /"old laptop" and 1 more\. That is why "new laptop"/);
    assert.match(replyTo(explained('license_expired'), WORDS), /ended on 1 Feb 2027\./);
  });
});

describe('other replies to a customer', () => {
  const refused = explained('machine_limit');

  it('decline in every case, each in its own words, without keys and codes', () => {
    for (const code of verdictCodes) {
      const reply = declineTo({ ...refused, verdict: verdict(code) }, WORDS);
      assert.match(reply, /^Hello,\n\n[^\n]+\.\n[^\n]+\.\n\nKind regards$/, reply);
      assert.doesNotMatch(reply, /undefined|null|NaN|_|\{|GX2UF|tapehead/, reply);
      assert.match(reply, /cannot|nothing that we could change/, reply);
    }
  });

  it('name the product, and times in the time zone of the customer', () => {
    const expired = { ...explained('license_expired'), license: { ...license, expiresAt: '2027-01-31T22:30:00.000Z' } };
    assert.match(
      replyTo(expired, { ...WORDS, timeZone: 'Asia/Tokyo' }),
      /license for Tapehead Pro ended on 1 Feb 2027, 07:30 GMT\+9\./,
    );
    const declined = { ...expired, verdict: verdict('expired') };
    assert.match(
      declineTo(declined, { ...WORDS, timeZone: 'America/Los_Angeles' }),
      /ended on 31 Jan 2027, 14:30 GMT-8/,
    );
  });

  it('are templates, those for the case first, with their placeholders filled in', () => {
    const template = (name: string, code: Verdict['code'] | null) =>
      ({ templateId: name, creatorId: null, name, text: '', verdict: code, createdAt: '', updatedAt: '' }) as const;
    const all = [template('b', 'shared'), template('c', null), template('a', null), template('z', 'expired')];
    assert.deepEqual(
      templatesFor(all, 'expired').map(({ name }) => name),
      ['z', 'a', 'c', 'b'],
    );
    const text = '{product} on {machine}, {used} of {limit}, until {end}, for {email}: {x} and {Product}';
    assert.equal(
      filledIn(text, refused, MACHINES, WORDS),
      'Tapehead Pro on "new laptop", 2 of 2, until 1 Feb 2027, for ada@example.com: {x} and {Product}',
    );
    assert.equal(
      filledIn(
        '{email} {machine}',
        { ...refused, license: { ...license, email: '{machine}$&@example.com' } },
        MACHINES,
        WORDS,
      ),
      '{machine}$&@example.com "new laptop"',
    );
  });

  const slotsIn = (explanation: Explanation, machines = MACHINES) =>
    filledIn('{used} of {limit}', explanation, machines, WORDS);
  const floating = { ...license, licenseType: 'floating', maxMachines: 100, maxConcurrent: 5 } as const;
  const machinesOf = (count: number, live: number, all = count) => ({
    activations: Array.from({ length: count }, (_, at) => ({ sessionActive: at < live })) as unknown as Activation[],
    activationCount: all,
  });

  it('name the slots of the license, not the attempts of an hour', () => {
    const tooMany = explained('activation_rate', { limit: 15, attempts: 15 });
    assert.equal(slotsIn(tooMany), '1 of 2');
    assert.equal(slotsIn({ ...tooMany, license: floating }, machinesOf(9, 3)), '3 of 5');
    assert.equal(slotsIn({ ...tooMany, license: { ...license, maxMachines: -1 } }), '1 of unlimited');
  });

  it('name the limit of the present type, also if seats of a former type are kept', () => {
    const former = { ...explained('ok'), license: { ...license, maxConcurrent: 5 } };
    assert.equal(slotsIn(former), '1 of 2');
    assert.match(declineTo({ ...former, verdict: verdict('new_computer') }, WORDS), /is for 2 computers,/);
    const seats = { ...former, license: floating, verdict: verdict('seats_in_use') };
    assert.match(declineTo(seats, WORDS), /is for 5 computers at once,/);
  });

  it('have a word where the console knows only some of the sessions', () => {
    const expired = { ...explained('license_expired'), license: floating };
    assert.equal(slotsIn(expired, machinesOf(50, 3, 80)), 'at least 3 of 5');
    assert.equal(slotsIn(expired, machinesOf(50, 0, 80)), 'some of 5');
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
    assert.equal(whyTitle(explained('machine_limit')), 'new laptop cannot get in: 2 of 2 machines are in use.');
    assert.equal(whyTitle(explained('ok')), 'new laptop can use this license.');
    const [old] = BECAUSE.machine_limit?.usedBy ?? [];
    const namesake = { ...BECAUSE.machine_limit, usedBy: [{ ...old!, hostname: 'new laptop' }] };
    assert.match(whyTitle(explained('machine_limit', namesake)), /^new laptop \(\w{1,8}\) cannot get in: /);
    for (const outcome of outcomes)
      assert.match(whyTitle(explained(outcome, { limit: 1, used: 1 })), /^new laptop .*[a-z]\.$/);
  });

  it('says that a machine runs where only another activation is refused', () => {
    const refused = explained('activation_rate', { limit: 15, attempts: 15 });
    const validate = { ...check('ok'), endpoint: '/validate' as const };
    const running = { ...refused, machine: { ...refused.machine, bound: true }, checks: [...refused.checks, validate] };
    assert.equal(
      whyTitle(running),
      'new laptop runs, but cannot be activated again: it was tried too often within an hour.',
    );
    assert.match(replyTo(running, WORDS), /"new laptop" keeps working\./);
    assert.match(whyTitle(refused), /^new laptop cannot get in: /);
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
      lastRefusalText({ ...explained('ok'), lastRefusals }, NOW);
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

describe('a verdict', () => {
  it('is a title of its own for each case; a machine that works has the present answer instead', () => {
    const titles = verdictCodes.map((code) => verdictTitle({ code }));
    assert.equal(new Set(titles).size, verdictCodes.length);
    assert.deepEqual(
      verdictCodes.filter((code) => verdictTitle({ code }) === null),
      ['works'],
    );
  });

  it('shows its evidence as numbers with terms, and nothing that is not known', () => {
    const shown = (code: Verdict['code'], evidence: Verdict['evidence']) =>
      evidenceFacts({ code, evidence }).map(({ term, value }) => `${term}: ${value}`);
    assert.deepEqual(
      shown('shared', { machines: 9, names: 8, withinHours: 60, refusals: 1200, countries: 3, limit: 2, used: 2 }),
      [
        'Machines refused: 9',
        'Names: 8',
        'Within: 3 days',
        'Countries in a day: 3',
        'Refused calls: 1,200',
        'In use: 2 of 2',
      ],
    );
    assert.deepEqual(shown('refunded', { reports: 1, daysSince: 0 }), ['Open reports: 1', 'Reported: within a day']);
    assert.deepEqual(shown('expired', { daysSince: 3, otherLicenses: 0 }), [
      'Expired: 3 days ago',
      'Other active licenses: 0',
    ]);
    assert.deepEqual(shown('works', {}), []);
  });

  it('declines for misuse and for what was not paid, and never for a customer who only changed the computer', () => {
    for (const code of ['shared', 'refunded', 'charged_back', 'expired'] as const) assert.ok(declines({ code }), code);
    for (const code of ['new_computer', 'dead_machine', 'reinstalled', 'works'] as const)
      assert.ok(!declines({ code }), code);
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

  const seenDaysAgo = (days: number) => ({
    because: {
      usedBy: [
        {
          fingerprint: 'm1',
          hostname: 'studio-pc',
          lastSeen: new Date(NOW - days * 86_400_000).toISOString(),
          sessionExpiresAt: null,
        },
      ],
    },
  });
  const freeing = remedy('release_activation', { licenseKey: KEY, machineFingerprint: 'm1' });

  it('free an idle machine at once, also by a key', () => {
    assert.equal(questionOf(freeing, seenDaysAgo(7), NOW), 'none');
    assert.equal(hasKey('none'), true);
  });

  it('ask about a machine that was seen within 7 days or is unknown, and have no key for it', () => {
    assert.equal(questionOf(freeing, seenDaysAgo(6.99), NOW), 'machine');
    assert.equal(questionOf(freeing, seenDaysAgo(-1), NOW), 'machine', 'seen by a clock that is ahead');
    assert.equal(questionOf(freeing, { because: null }, NOW), 'machine');
    assert.equal(questionOf(remedy('end_session', freeing.fields), seenDaysAgo(0), NOW), 'session');
    assert.equal(questionOf(remedy('reset_activations', { licenseKey: KEY }), because, NOW), 'all machines');
    for (const question of ['machine', 'session', 'all machines'] as const) assert.equal(hasKey(question), false);
  });

  it('send the values that the person sees with those that they change', () => {
    const seen = { expiresAt: '2027-01-01T00:00:00.000Z', maxMachines: 2, maxConcurrent: null };
    assert.deepEqual(fieldsOf(remedy('raise_limit', { licenseKey: KEY, maxMachines: 3 }), seen), {
      licenseKey: KEY,
      maxMachines: 3,
      wasMaxMachines: 2,
    });
    assert.deepEqual(fieldsOf(remedy('extend_license', { expiresAt: 'x' }), seen), {
      expiresAt: 'x',
      wasExpiresAt: '2027-01-01T00:00:00.000Z',
    });
  });

  it('show the effect where they reach further than one machine or limit', () => {
    for (const action of ['resolve_violations', 'activate_license'] as const)
      assert.equal(questionOf(remedy(action), because, NOW), 'effect', action);
  });

  it('reinstate by the dialog of every screen, which names the revocation', () => {
    assert.equal(questionOf(remedy('reinstate'), because, NOW), 'reinstatement');
    assert.equal(hasKey('reinstatement'), true);
    assert.equal(revocationIn(explained('license_revoked')), 'refund');
    assert.equal(revocationIn(explained('machine_limit')), null);
  });
});

describe('licenses in words', () => {
  it('say when they end', () => {
    // Days are those of the browser's time zone.
    const now = new Date(2027, 2, 10, 12).getTime();
    const textOf = (end: Date) => expiryText(end.toISOString(), now);
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
    const endOfDay = '2027-05-01T23:59:59.999Z';
    assert.equal(expiryOf({ ...base, kind: 'day', day: '2027-05-01' }, NOW), endOfDay);
  });
});

describe('filters of the list', () => {
  const none = {
    email: '',
    product: '',
    variant: '',
    purchase: '',
    status: '',
    view: '',
    country: '',
    created: '',
    sort: '',
  };

  it('ask the service, and leave out unknown values', () => {
    assert.deepEqual(filtersRequest({ ...none, email: 'a@b.c', status: 'active' }), {
      email: 'a@b.c',
      status: 'active',
    });
    assert.deepEqual(filtersRequest({ ...none, status: 'great', view: 'odd' }), {});
    assert.deepEqual(filtersRequest({ ...none, product: 'p', view: 'expiring-30' }), {
      productId: 'p',
      view: 'expiring',
      withinDays: 30,
    });
    assert.deepEqual(filtersRequest({ ...none, view: 'threat-3' }), { view: 'threat', minimum: 3 });
    assert.deepEqual(filtersRequest({ ...none, product: 'p', country: 'DE' }), { productId: 'p', country: 'DE' });
    assert.deepEqual(filtersRequest({ ...none, status: 'active', country: 'Q1' }), { status: 'active' });
  });

  it('remove incompatible filters', () => {
    const others = { email: '', variant: '', purchase: '', status: '' };
    const ordered = { created: '', sort: '' };
    assert.deepEqual(changeOf({ view: 'threat-1' }), { ...others, ...ordered, view: 'threat-1', country: '' });
    assert.deepEqual(changeOf({ country: 'DE' }), { ...others, sort: '', view: '', country: 'DE' });
    assert.deepEqual(changeOf({ status: 'active' }), { status: 'active', view: '', country: '' });
    assert.deepEqual(changeOf({ product: 'p' }), { product: 'p' });
    assert.deepEqual(changeOf({ country: '' }), { country: '' });
  });

  it('are saved under a name without data that names a customer', () => {
    const values = { ...none, email: 'ada@example.com', purchase: 'o-1', product: 'tapehead', status: 'active' };
    assert.equal(keptQuery(values), 'product=tapehead&status=active');
    assert.equal(suggestedName({ ...values, email: '', purchase: '' }), 'Active, tapehead');
    assert.equal(suggestedName({ ...none, country: 'DE' }), 'Germany');
  });

  it('choose among all countries by name, each once', () => {
    const choices = countryChoices('DE');
    const names = choices.map(({ title }) => title);
    assert.equal(choices.length, 250);
    assert.equal(new Set(names).size, 250);
    assert.deepEqual(names.slice(0, 2), ['Afghanistan', 'Åland Islands']);
    assert.deepEqual(
      countryChoices('SU').filter(({ value }) => value === 'SU').length,
      1,
      'the chosen country is among them even if it exists no longer',
    );
  });
});

describe('an extension', () => {
  const days = (count: string) => ({ kind: 'days', days: count, day: '' }) as const;
  const onDay = (day: string) => ({ kind: 'day', days: '', day }) as const;

  it('counts from the end of the license, or from now if that is past', () => {
    assert.equal(extendedEnd('2027-06-01T00:00:00.000Z', days('30'), NOW), '2027-07-01T00:00:00.000Z');
    assert.equal(extendedEnd('2026-06-01T00:00:00.000Z', days('30'), NOW), '2027-04-09T12:00:00.000Z');
    assert.equal(extendedEnd('2027-06-01T00:00:00.000Z', { kind: 'never', days: '', day: '' }, NOW), null);
  });

  it('never shortens a license', () => {
    assert.equal(extendedEnd('2027-06-01T00:00:00.000Z', onDay('2027-05-30'), NOW), undefined);
    assert.ok(extendedEnd('2027-06-01T00:00:00.000Z', onDay('2027-06-03'), NOW));
    assert.equal(extendedEnd('9999-12-31T23:59:59.999Z', days('1'), NOW), undefined);
  });

  it('keeps to the days of the role', () => {
    assert.ok(extendedEnd('2027-06-01T00:00:00.000Z', days('30'), NOW, 30));
    assert.equal(extendedEnd('2027-06-01T00:00:00.000Z', days('31'), NOW, 30), undefined);
  });

  it('is another thing than an end that takes time away', () => {
    assert.ok(earlierEnd(null, '2027-06-03'));
    assert.ok(earlierEnd('2027-06-01T00:00:00.000Z', '2027-05-30'));
    assert.equal(earlierEnd('2027-06-01T00:00:00.000Z', '2027-06-03'), undefined);
    assert.equal(earlierEnd(null, ''), undefined);
  });
});

describe('the removal of machines', () => {
  const machine = { licenseKey: KEY, fingerprint: 'm1', name: 'studio-pc' };
  const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

  it('says who is stopped', () => {
    const effectOf = (lastSeen: string | null) => removalEffect({ ...machine, lastSeen }, NOW).split('. ')[0];
    assert.equal(effectOf(ago(5)), 'studio-pc was seen 5 minutes ago; its app stops at its next check');
    assert.equal(effectOf(ago(41 * 1440)), 'studio-pc was last seen 41 days ago');
    assert.equal(effectOf(null), 'If studio-pc is in use, its app stops at its next check');
  });

  it('says when a machine was heard of whose session ends', () => {
    assert.match(
      sessionEndEffect({ ...machine, lastSeen: ago(4) }, NOW),
      /^studio-pc was heard of 4 minutes ago, so somebody may work on it\. Its seat is free at once\. /,
    );
    assert.match(sessionEndEffect({ ...machine, lastSeen: null }, NOW), /^Its seat is free at once\. /);
  });

  it('counts those in use among all', () => {
    const seen = [{ lastSeen: ago(5) }, { lastSeen: ago(41 * 1440) }];
    assert.match(
      removalOfAllEffect(2, seen, NOW),
      /^2 machines are removed. 1 of them was seen within 7 days and stops /,
    );
    assert.match(removalOfAllEffect(60, seen, NOW), / At least 1 of them was seen /);
    assert.match(removalOfAllEffect(1, seen.slice(1), NOW), /^1 machine is removed. This cannot be undone: each may /);
  });
});

describe('selected licenses', () => {
  const row = (key: string) => ({ key, email: `${key}@example.com` }) as LicenseSummary;
  const chosen = chosenAfter(new Map(), new Set(['a', 'b']), [row('a'), row('b'), row('c')]);

  it('stay known when other rows are shown, and are listed first then', () => {
    const later = chosenAfter(chosen, new Set(['a', 'b', 'd']), [row('b'), row('d')]);
    assert.deepEqual([...later.keys()], ['a', 'b', 'd']);
    assert.equal(later.get('a')?.email, 'a@example.com');
    const shown = [row('d'), row('b')];
    assert.deepEqual(hiddenAmong(later, shown), ['a']);
    assert.deepEqual(listedKeys(chosenAfter(later, new Set(['b', 'd', 'a']), shown), shown), ['a', 'b', 'd']);
  });

  it('are only those that were in sight once', () => {
    assert.deepEqual([...chosenAfter(chosen, new Set(['a', 'unknown']), []).keys()], ['a']);
  });

  it('are shown as they are now where they are in sight', () => {
    const changed = { ...row('a'), status: 'revoked' } as LicenseSummary;
    const present = chosenAfter(chosen, new Set(chosen.keys()), [changed]);
    assert.deepEqual([...present.values()], [changed, row('b')]);
  });
});

describe('a role', () => {
  const support = {
    can: ['/updateLicense', '/revokeLicense'],
    limits: [{ endpoint: '/updateLicense', fields: ['licenseKey', 'expiresAt'], extensionDays: 30 }],
  };

  it('is offered what it may send, field by field', () => {
    assert.equal(maySend(support, '/updateLicense', ['licenseKey', 'expiresAt']), true);
    assert.equal(maySend(support, '/updateLicense', ['licenseKey', 'maxMachines']), false);
    assert.equal(maySend(support, '/revokeLicense', ['licenseKey', 'reason']), true);
    assert.equal(maySend(support, '/createLicense', ['email']), false);
    assert.equal(limitAt(support, '/revokeLicense'), undefined);
  });
});

describe('a customer in words', () => {
  const nothing = {
    ...{ licenseCount: 0, orderCount: 0, machines: [], refusals: [], notes: [], mails: [], redemptions: [], seats: [] },
    cut: [],
  } as unknown as Customer;

  it('says where counting ended', () => {
    assert.equal(licensesText({ licenseCount: 1 }), '1 license');
    assert.equal(licensesText({ licenseCount: 999 }), '999 licenses');
    assert.equal(licensesText({ licenseCount: 1000 }), '1,000 licenses or more');
  });

  it('lists what forgetting replaces, and nothing else', () => {
    assert.deepEqual(goingTexts(nothing), []);
    const machines = [{}, {}] as unknown as Customer['machines'];
    assert.deepEqual(goingTexts({ ...nothing, licenseCount: 2, orderCount: 100, machines, cut: ['machines'] }), [
      'the address of 2 licenses, and of all their changes',
      'the names of more than 2 machines',
      'the buyer of 100 orders or more',
    ]);
  });

  const none: ReplacedAddresses = {
    ...{ licenses: 0, events: 0, machines: 0, users: 0, violations: 0, refusals: 0, licenseFiles: 0 },
    ...{ redemptions: 0, orders: 0, seats: 0, storefrontEvents: 0, shopSales: 0, mails: 0 },
  };

  it('says how forgetting gets on', () => {
    const some = { ...none, licenses: 50 };
    assert.equal(forgettingText('idle', null), '');
    assert.equal(forgettingText('running', null), '');
    assert.equal(forgettingText('running', some), 'Replaced so far: 50 licenses.');
    assert.equal(forgettingText('stopping', null), 'Stopping after the current step.');
    assert.equal(forgettingText('stopping', some), 'Replaced so far: 50 licenses. Stopping after the current step.');
    assert.equal(
      forgettingText('idle', some),
      'Not finished. Replaced so far: 50 licenses. "Go on" replaces the rest.',
    );
  });

  it('says what a customer has, and who has a former address', () => {
    const machines = [{}, {}] as unknown as Customer['machines'];
    assert.equal(ownsText(nothing), 'no license');
    assert.equal(ownsText({ ...nothing, licenseCount: 1 }), '1 license');
    assert.equal(
      ownsText({ ...nothing, licenseCount: 3, machines, orderCount: 1, cut: ['machines'] }),
      '3 licenses, more than 2 machines and 1 order',
    );
    const email = 'was@example.com';
    assert.match(formerText({ email, licenseCount: 0 }), /The history of changes holds it\.$/);
    assert.match(formerText({ email, licenseCount: 1 }), / 1 license has it now, perhaps of another customer\.$/);
    assert.match(formerText({ email, licenseCount: 2 }), / 2 licenses have it now, /);
    assert.deepEqual([listText([]), listText(['a']), listText(['a', 'b', 'c'])], ['', 'a', 'a, b and c']);
  });

  it('adds what was replaced of several addresses', () => {
    const sum = replacedBy([{ replaced: { ...none, licenses: 2, events: 1 } }, { replaced: { ...none, events: 3 } }]);
    assert.deepEqual(sum, { ...none, licenses: 2, events: 4 });
    assert.deepEqual(replacedBy([]), none);
  });

  it('says what was replaced', () => {
    assert.equal(replacedText(none), 'nothing');
    assert.equal(
      replacedText({ ...none, licenses: 1, events: 14, storefrontEvents: 2 }),
      '1 license, 14 events, 2 events of the shop',
    );
  });
});
