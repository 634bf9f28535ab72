/** Reading fields: every value that is accepted has the declared shape, and no input makes the reader throw. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import {
  email,
  flag,
  listOfText,
  machineLimit,
  nullable,
  oneOf,
  text,
  timestamp,
  wholeNumber,
} from '../../src/platform/endpoint/field-types.ts';
import { fieldReader } from '../../src/platform/endpoint/fields.ts';
import { statusOf } from '../../src/platform/endpoint/refusals.ts';
import { moment } from './arbitraries.ts';

const shape = Type.Object({
  name: text('', 20),
  email: Type.Optional(email('')),
  limit: Type.Optional(wholeNumber('', 1, 1000)),
  machines: Type.Optional(machineLimit('')),
  kind: Type.Optional(oneOf('', ['one', 'two'])),
  isOn: Type.Optional(flag('')),
  at: Type.Optional(nullable(timestamp(''))),
  list: Type.Optional(listOfText('', 3)),
});
const read = fieldReader(shape, 'Missing name');

/** A field's value as a caller might send it. */
const valid = {
  name: fc.string({ minLength: 1, maxLength: 20 }).filter((value) => !value.includes('\0')),
  email: fc.emailAddress(),
  limit: fc.integer({ min: 1, max: 1000 }),
  machines: fc.oneof(fc.constant(-1), fc.integer({ min: 1, max: 1_000_000_000 })),
  kind: fc.constantFrom('one', 'two'),
  isOn: fc.boolean(),
  at: moment.map((at) => new Date(at).toISOString()),
  list: fc.array(fc.stringMatching(/^[^,\0]{1,20}$/), { minLength: 1, maxLength: 3 }),
};
const validBody = fc.record(valid, { requiredKeys: ['name'], noNullPrototype: true });
const names = Object.keys(valid) as (keyof typeof valid)[];
/** Any JSON value, in place of any field. */
const anyBody = fc.dictionary(fc.constantFrom(...names, 'other', '__proto__'), fc.jsonValue());

describe('reading fields', () => {
  it('returns the valid fields, and nothing more', () => {
    fc.assert(
      fc.property(validBody, fc.jsonValue(), (body, other) => {
        const result = read({ ...body, other }, 'body');
        assert.ok('fields' in result, JSON.stringify(result));
        assert.deepEqual(result.fields, body);
      }),
    );
  });

  it('accepts the same fields in a query string and in a body', () => {
    fc.assert(
      fc.property(validBody, (body) => {
        const query = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
        assert.deepEqual(read(query, 'query'), read(body, 'body'));
      }),
    );
  });

  it('makes of anything either fields that fit or a refusal with 400 that names a field', () => {
    fc.assert(
      fc.property(anyBody, fc.constantFrom('body', 'query'), (body, from) => {
        const result = read(body, from);
        if ('refusal' in result) {
          assert.equal(statusOf(result.refusal.refused), 400);
          const message = String(result.refusal.details?.message);
          assert.ok(message === 'Missing name' || names.some((name) => message.startsWith(`${name} must `)), message);
          return;
        }
        for (const [name, value] of Object.entries(result.fields))
          assert.ok(isFitting(name, value), `${name}: ${JSON.stringify(value)}`);
        assert.ok('name' in result.fields);
      }),
      { numRuns: 1000 },
    );
  });

  it('treats null and empty text as absent, but keeps a null that has a meaning', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.constantFrom(null, ''), (field, nothing) => {
        const result = read({ name: 'n', [field]: nothing }, 'body');
        if (field === 'name') assert.ok('refusal' in result && result.refusal.refused === 'missing_fields');
        else if (field === 'at' && nothing === null) assert.deepEqual(result, { fields: { name: 'n', at: null } });
        else assert.deepEqual(result, { fields: { name: 'n' } });
      }),
    );
  });

  it('lets no NUL and no half of a surrogate pair through, in texts and in lists', () => {
    const bad = fc
      .tuple(fc.string({ maxLength: 5 }), fc.constantFrom('\0', '\ud800', '\udc00'), fc.string({ maxLength: 5 }))
      .map((parts) => parts.join(''))
      .filter((value) => value.includes('\0') || !value.isWellFormed());
    fc.assert(
      fc.property(bad, (value) => {
        assert.ok('refusal' in read({ name: value }, 'body'));
        assert.ok('refusal' in read({ name: 'n', list: [value] }, 'body'));
      }),
    );
  });
});

describe('a moment', () => {
  it('is kept as the same moment from any time zone', () => {
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
    // Days on which an offset leads before the year 0 or after 9999 are not accepted.
    fc.assert(
      fc.property(moment, offset, (at, minutes) => {
        const local = new Date(at + minutes * 60_000);
        fc.pre(local.getTime() >= 0);
        const sign = minutes < 0 ? '-' : '+';
        const two = (number: number) => String(number).padStart(2, '0');
        const zone = `${sign}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
        const result = read({ name: 'n', at: local.toISOString().replace('Z', zone) }, 'body');
        assert.deepEqual(result, { fields: { name: 'n', at: new Date(at).toISOString() } });
      }),
    );
  });

  it('that does not exist is refused', () => {
    for (const at of [
      '2027-02-29',
      '2027-04-31T00:00:00Z',
      '2027-13-01',
      '2027-01-01T25:00:00Z',
      '2027-01-01T10:61:00Z',
    ])
      assert.ok('refusal' in read({ name: 'n', at }, 'body'), at);
  });

  it('of every day there is can be named by its date alone', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const date = new Date(at).toISOString().slice(0, 10);
        assert.deepEqual(read({ name: 'n', at: date }, 'body'), { fields: { name: 'n', at: `${date}T00:00:00.000Z` } });
      }),
    );
  });
});

/** Whether an action may rely on a value, judged without the schemas. */
function isFitting(name: string, value: unknown): boolean {
  const isText = (given: unknown, longest: number) =>
    typeof given === 'string' &&
    given !== '' &&
    [...given].length <= longest &&
    given.isWellFormed() &&
    !given.includes('\0');
  switch (name) {
    case 'name':
      return isText(value, 20);
    case 'email':
      return isText(value, 320) && String(value).includes('@');
    case 'limit':
      return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1000;
    case 'machines':
      return Number.isInteger(value) && (value === -1 || Number(value) >= 1);
    case 'kind':
      return value === 'one' || value === 'two';
    case 'isOn':
      return typeof value === 'boolean';
    case 'at':
      return value === null || (isText(value, 24) && new Date(String(value)).toISOString() === value);
    case 'list':
      return Array.isArray(value) && value.length <= 3 && value.every((each) => isText(each, 255));
    default:
      return false;
  }
}
