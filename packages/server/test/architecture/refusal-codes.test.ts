/** Clients can map each error text to exactly one published code. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpoints } from '../../src/app.ts';
import {
  codeOf,
  type PublishedCode,
  publishedCodes,
  type RefusalCode,
  refusalCodes,
  statusesOf,
  statusOf,
  textPattern,
} from '../../src/platform/endpoint/refusals.ts';
import { sources } from './sources.ts';

/** Refusals with texts of the endpoint or the field. */
const OWN_TEXTS: readonly RefusalCode[] = ['missing_fields', 'invalid_field'];
const fixed = refusalCodes.filter((refused) => !OWN_TEXTS.includes(refused));

/** Messages of endpoints for a missing required field. */
const missing = new Set(endpoints.map((endpoint) => endpoint.missing).filter((text) => text !== ''));

/** Pattern of a text with any values in its placeholders. */
function patternOf(refused: RefusalCode): RegExp {
  const parts = textPattern(refused).split(/\{\w+\}/);
  return new RegExp(`^${parts.map(RegExp.escape).join('.*')}$`, 's');
}

const sampleOf = (refused: RefusalCode) => textPattern(refused).replace(/\{\w+\}/g, '7');

/** The published code of a text in the list. Fails unless there is exactly one. */
function codeOfText(text: string): PublishedCode {
  const codes = new Set(fixed.filter((refused) => patternOf(refused).test(text)).map(codeOf));
  assert.equal(codes.size, 1, `"${text}" is ${[...codes].join(' and ')}`);
  return [...codes][0]!;
}

describe('the text of a refusal', () => {
  it('has one published code, for any number of refusals with that text', () => {
    for (const refused of fixed) assert.equal(codeOfText(sampleOf(refused)), codeOf(refused));
    assert.equal(codeOfText('Machine not activated'), 'machine_not_activated');
    assert.equal(codeOfText('Invalid token'), 'invalid_token');
    assert.equal(codeOfText('invalid'), 'code_invalid');
  });

  it('about missing fields is no other refusal, and begins like no sentence about a field', () => {
    assert.ok(missing.size > 10);
    for (const text of missing)
      for (const refused of fixed) assert.ok(!patternOf(refused).test(text), `${text}: ${refused}`);
    // A sentence about a field begins with the field's name.
    for (const { fields, path } of endpoints)
      for (const name of Object.keys(fields.properties))
        for (const text of missing) assert.ok(!text.startsWith(`${name} `), `${path} ${name}: ${text}`);
  });

  it('about a field that does not fit is no other refusal', () => {
    const messages = sources.flatMap(({ code }) =>
      [...code.matchAll(/refuse\('invalid_field', \{\s*details: \{ message: ('[^']*'|`[^`]*`) \}/g)].map(
        ([, text = '']) => text.slice(1, -1).replace(/\$\{[^}]*\}/g, 'name'),
      ),
    );
    assert.ok(messages.length >= 6, messages.join('\n'));
    for (const text of messages) {
      assert.ok(!missing.has(text), text);
      for (const refused of fixed) assert.ok(!patternOf(refused).test(text), `${text}: ${refused}`);
    }
  });
});

describe('published codes', () => {
  it('are words, each the name of a refusal or given by several that mean the same', () => {
    for (const code of publishedCodes) {
      assert.match(code, /^[a-z]+(_[a-z]+)*$/);
      assert.ok(statusesOf(code).length > 0);
    }
    const names: readonly string[] = refusalCodes;
    for (const code of publishedCodes.filter((each) => !names.includes(each)))
      assert.ok(refusalCodes.filter((refused) => codeOf(refused) === code).length > 1, code);
  });

  it('have every status of the refusals that have them', () => {
    for (const refused of refusalCodes) assert.ok(statusesOf(codeOf(refused)).includes(statusOf(refused)), refused);
    assert.deepEqual(statusesOf('machine_not_activated'), [403, 404]);
    assert.deepEqual(statusesOf('machine_limit'), [403]);
  });
});
