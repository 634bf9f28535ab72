/** The events that a destination receives, and their contents. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { License } from '../../../src/licensing/licenses/license.ts';
import type { Event } from '../../../src/platform/events/event.ts';
import { kindOfFact } from '../../../src/platform/events/event-facts.ts';
import { type EventType, eventTypes } from '../../../src/platform/events/event-types.ts';
import { includesType } from '../../../src/webhooks/destinations/destination.ts';
import { exampleEvent } from '../../../src/webhooks/destinations/outbound-events.ts';
import { sentEvents } from '../../../src/webhooks/destinations/outbound-schema.ts';
import { LARGEST_BODY, payloadOf } from '../../../src/webhooks/destinations/payload.ts';
import { matches } from '../../../src/webhooks/destinations/sendable.ts';

const NOW = Date.parse('2027-03-01T09:30:00.000Z');

const event = (more: Partial<Event> = {}): Event => ({
  eventId: 'evt_1',
  type: 'license.email_changed',
  licenseKey: 'K7QWM-2MNPR-9XHTB-V4CDE-6WFGJ',
  licenseNumber: 2,
  previousEventId: null,
  productId: 'paint',
  creatorId: 'ada',
  subject: 'old@example.com',
  actor: 'creator:ada',
  actorName: 'Build server',
  requestId: 'r',
  occurredAt: '2027-03-01T09:30:00.000Z',
  before: { email: 'old@example.com', maxMachines: 2 },
  after: { email: 'new@example.com', maxMachines: 3, unheardOf: 'value' },
  ...more,
});

const license = {
  licenseKey: 'K7QWM-2MNPR-9XHTB-V4CDE-6WFGJ',
  issuedKey: null,
  email: 'new@example.com',
  productId: 'paint',
  eventCount: 5,
  expiresAt: null,
  revocation: null,
} as License;

const included = (more = {}) => ({
  creatorId: 'ada',
  includeLicenseKeys: false,
  includePersonalData: false,
  ...more,
});

describe('the body of an event', () => {
  const read = (more = {}) => JSON.parse(payloadOf(event(), license, included(more), NOW));

  it('has the number of the change, and the license as it is now with its own', () => {
    const { id, type, data } = read();
    assert.deepEqual([id, type, data.number, data.license.number], ['evt_1', 'license.email_changed', 2, 5]);
    assert.deepEqual([data.license.status, data.license.keyHint], ['active', '6WFGJ']);
    assert.equal(data.license.ref.length, 22);
  });

  it('has neither keys nor personal data, nor facts that nobody classified, unless they are asked for', () => {
    const text = payloadOf(event(), license, included(), NOW);
    assert.doesNotMatch(text, /example\.com|K7QWM|Build server|unheardOf/);
    assert.deepEqual(JSON.parse(text).data.after, { maxMachines: 3 });
    const whole = read({ includeLicenseKeys: true, includePersonalData: true }).data;
    assert.equal(whole.license.licenseKey, license.licenseKey);
    assert.deepEqual([whole.license.email, whole.subject], ['new@example.com', 'old@example.com']);
    assert.deepEqual([whole.before.email, whole.after.email], ['old@example.com', 'new@example.com']);
    assert.equal(whole.actor.keyName, 'Build server');
  });

  it("names no other owner's people", () => {
    const { actor } = read({ includePersonalData: true, creatorId: 'eve' }).data;
    assert.equal(actor.keyName, null);
  });

  it('comes without its facts rather than with more than 16 KiB', () => {
    const long = event({ type: 'license.noted', after: { text: 'long '.repeat(5000) } });
    const text = payloadOf(long, license, included({ includePersonalData: true }), NOW);
    assert.ok(Buffer.byteLength(text) <= LARGEST_BODY);
    assert.deepEqual([JSON.parse(text).data.isShortened, JSON.parse(text).data.after], [true, null]);
  });
});

describe('a destination', () => {
  it('gets what it names; * is what happens in the shop', () => {
    const shop = eventTypes.filter((type) => includesType(['*'], type));
    assert.ok(shop.includes('license.created') && shop.includes('studio_order.created'));
    const left = [
      'api_key.',
      'operator_key.',
      'token_key.',
      'console_session.',
      'customer.',
      'customer_link.',
      'brand.',
      'reply_template.',
      'mail_template.',
      'destination.',
      'connector.',
    ];
    assert.deepEqual(
      eventTypes.filter((type) => !shop.includes(type)),
      eventTypes.filter((type) => left.some((prefix) => type.startsWith(prefix))),
    );
    assert.ok(includesType(['customer.*'], 'customer.forgotten'));
    assert.ok(!includesType(['license.*'], 'license_file.issued'));
    assert.ok(includesType(['license.created'], 'license.created'));
  });

  it('of a creator gets events of products that were its own then and are now, and its own without a product', () => {
    const of = (creatorId: string | null, productIds: readonly string[] | null = null) => ({
      destinationId: 'dst_1',
      creatorId,
      types: ['*', 'api_key.*', 'destination.*'],
      productIds,
    });
    const owners = new Map([['paint', 'ada']]);
    assert.ok(matches(of('ada'), event(), owners));
    assert.ok(!matches(of('eve'), event(), owners));
    assert.ok(!matches(of('ada'), event({ creatorId: 'eve' }), owners), 'it was of somebody else');
    assert.ok(!matches(of('ada'), event(), new Map([['paint', 'eve']])), 'it is of somebody else');
    assert.ok(!matches(of('ada'), event({ creatorId: null, productId: 'unknown' }), owners));
    assert.ok(matches(of(null), event({ creatorId: null, productId: 'unknown' }), owners));
    const key = event({ type: 'api_key.created', productId: null, subject: 'hash' });
    assert.ok(matches(of('ada'), key, owners));
    assert.ok(!matches(of('eve'), key, owners));
    assert.ok(!matches(of('ada', ['other']), event(), owners));
    assert.ok(matches(of('ada', ['paint']), event(), owners));
  });

  it('is not told of itself', () => {
    const destination = { destinationId: 'dst_1', creatorId: null, types: ['destination.*'], productIds: null };
    const paused = (subject: string) =>
      event({ type: 'destination.paused' satisfies EventType, productId: null, subject });
    assert.ok(!matches(destination, paused('dst_1'), new Map()));
    assert.ok(matches(destination, paused('dst_2'), new Map()));
  });
});

describe('the examples of events', () => {
  it('exist for every type, and fit the schema of the reference without further fields', () => {
    const schema = Compile(closed(sentEvents.schema));
    const types = sentEvents.types();
    assert.deepEqual(
      types.map(({ type }) => type),
      ['ping', ...eventTypes],
    );
    for (const { type, example } of types) {
      assert.deepEqual([...schema.Errors(example)], [], `${type}: ${JSON.stringify(example)}`);
      assert.equal(schema.Check({ ...example, further: 1 }), false);
    }
  });

  it('fit the schema with all optional parts', () => {
    const schema = Compile(closed(sentEvents.schema));
    const { event: revoked, license: revokedLicense } = exampleEvent('license.revoked');
    const all = { creatorId: null, includeLicenseKeys: true, includePersonalData: true };
    const body = JSON.parse(payloadOf(revoked, revokedLicense, all, NOW, true));
    assert.equal(body.data.license.email, 'ada@example.com');
    assert.deepEqual([...schema.Errors(body)], []);
  });

  it('show facts of the closed list only', () => {
    for (const type of eventTypes) {
      const { before, after } = exampleEvent(type).event;
      for (const fact of Object.keys({ ...before, ...after }))
        assert.ok(kindOfFact(type, fact) !== undefined, `${type}: ${fact}`);
    }
  });
});

/** A schema that allows no further fields, at any depth. */
function closed<Schema extends TSchema>(schema: Schema): Schema {
  const strict = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(strict);
    if (typeof part !== 'object' || part === null) return part;
    const inner = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, strict(value)]));
    return 'properties' in inner ? { ...inner, additionalProperties: false } : inner;
  };
  return strict(schema) as Schema;
}
