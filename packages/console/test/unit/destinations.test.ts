/** Destinations: their states as sentences, their forms, and the verifiers beside a new secret. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  createRequest,
  formOf,
  NEW_DESTINATION,
  typesOf,
  updateRequest,
} from '../../src/destinations/destination-form.ts';
import { VERIFIERS } from '../../src/destinations/verifiers.ts';
import { outcomeOf, type StatedDestination, stateOf } from '../../src/sentences/destinations.ts';

const NOW = Date.parse('2027-03-04T12:00:00.000Z');
const ACTIVE: StatedDestination = {
  state: 'active',
  stateReason: null,
  failingSince: null,
  lastSuccessAt: '2027-03-04T11:00:00.000Z',
  lastError: null,
  waiting: 0,
  behind: 0,
  oldestUnsentAt: null,
};
const said = (changes: Partial<StatedDestination>) => stateOf({ ...ACTIVE, ...changes }, NOW).sentence;

describe('the state of a destination', () => {
  it('says since when it fails, why, and how many events wait', () => {
    const failing = { state: 'failing', failingSince: '2027-03-02T09:00:00.000Z' } as const;
    assert.equal(
      said({ ...failing, lastError: 'certificate: CERT_HAS_EXPIRED', waiting: 4120 }),
      'Failing since Tuesday: the certificate has expired. 4,120 events wait.',
    );
    assert.equal(
      said({ ...failing, failingSince: '2027-02-02T09:00:00.000Z', lastError: 'status 503', waiting: 1 }),
      'Failing since 2 Feb 2027: the receiver answers 503. 1 event waits.',
    );
    assert.equal(
      said({ ...failing, lastError: 'timeout', behind: 10_000 }),
      'Failing since Tuesday: no answer in time. 10,000 events or more wait.',
    );
  });

  it('says that too many refused events wait for further ones to be sent', () => {
    assert.equal(
      said({
        state: 'failing',
        stateReason: 'too_many_refused',
        failingSince: '2027-03-02T09:00:00.000Z',
        lastError: 'status 422',
        waiting: 1_000,
        behind: 4,
      }),
      'Failing since Tuesday: the receiver answers 422. Too many events wait for another attempt, so no further ones ' +
        'are sent. Up to 1,004 events wait.',
    );
  });

  it('says that it was stopped, by whom, and that a copy sends nothing', () => {
    assert.match(said({ state: 'disabled', stateReason: 'gone' }), /^Stopped: the receiver answered 410/);
    assert.equal(
      said({
        state: 'disabled',
        stateReason: 'gave_up',
        failingSince: '2027-03-01T09:00:00.000Z',
        lastError: 'refused',
      }),
      'Stopped since Monday: no connection to the receiver.',
    );
    assert.equal(
      said({ state: 'active', stateReason: 'no_node_sends', behind: 2 }),
      'No node of the service sends events. Up to 2 events wait.',
    );
    assert.match(said({ state: 'paused', stateReason: 'copied' }), /this database is a copy/);
    assert.equal(
      said({ state: 'paused', stateReason: 'by_person', behind: 2 }),
      'Paused by a person. Up to 2 events wait.',
    );
  });

  it('says that all is sent, or that nothing was sent yet', () => {
    assert.equal(said({}), 'All events are sent.');
    assert.equal(said({ lastSuccessAt: null }), 'No event was sent yet.');
  });
});

describe('the outcome of an attempt', () => {
  it('is in words', () => {
    assert.equal(outcomeOf({ outcome: 'delivered', status: 204 }).title, 'Delivered');
    assert.equal(outcomeOf({ outcome: 'status', status: 503 }).title, 'Answered 503');
    assert.equal(outcomeOf({ outcome: 'name_not_found', status: null }).title, 'The name has no address');
  });
});

describe('the form of a destination', () => {
  const destination = {
    destinationId: 'dst_1',
    creatorId: null,
    url: 'https://shop.example.com/hook',
    types: ['activation.*', 'activations.*', 'license.revoked'],
    description: null,
    productIds: ['app'],
    includeLicenseKeys: false,
    includePersonalData: false,
    requestsPerSecond: 50,
    ...ACTIVE,
    failed: 0,
    previousSecretEndsAt: null,
    createdAt: '2027-03-01T00:00:00.000Z',
    updatedAt: '2027-03-01T00:00:00.000Z',
  };

  it('keeps the types of an existing one, and sends changed fields only', () => {
    const form = formOf(destination);
    assert.deepEqual(new Set(typesOf(form)), new Set(destination.types));
    assert.equal(updateRequest(destination, form), null);
    assert.deepEqual(updateRequest(destination, { ...form, products: '' }), {
      destinationId: 'dst_1',
      productIds: null,
      wasUpdatedAt: destination.updatedAt,
    });
  });

  it('makes no request without an address, without types, or with a wrong rate', () => {
    const form = { ...NEW_DESTINATION, url: 'https://shop.example.com' };
    assert.deepEqual(createRequest(form, '')?.types, ['*']);
    for (const wrong of [{ url: ' ' }, { isEverything: false }, { rate: '0' }, { rate: 'x' }])
      assert.equal(createRequest({ ...form, ...wrong }, ''), null);
  });
});

describe('the verifiers beside a new secret', () => {
  it('are those of the page on events, whose tests run them', () => {
    const page = readFileSync(new URL('../../../../docs/shops/events.md', import.meta.url), 'utf8');
    const verify = page.split('\n## ').find((section) => section.startsWith('Verify\n')) ?? '';
    const blocks = [...verify.matchAll(/^```\w+\n(.*?)\n```$/gms)].map(([, code = '']) => code);
    assert.deepEqual(
      VERIFIERS.map(({ code }) => code),
      blocks,
    );
  });
});
